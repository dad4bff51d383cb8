import pg from 'pg';

/** Object ids of array types, which pg's own list lacks; it reads `numeric[]` as numbers, which cannot hold amounts. */
export const [numericArray, textArray] = [1231, 1009];

const parseAnyArray: (text: string) => (string | null)[] = pg.types.getTypeParser(textArray, 'text');

/**
 * Parses a `text[]` as the server writes it: `{a,"b c","d\"e",NULL}`. The driver's parser, which goes from character to
 * character, takes some twenty times as long. It handles the other forms: several dimensions, and bounds.
 */
export function parseTextArray(text: string): (string | null)[] {
  if (text[0] !== '{' || text[1] === '{') return parseAnyArray(text);
  const items: (string | null)[] = [];
  const end = text.length - 1;
  for (let at = 1; at < end; ) {
    const isQuoted = text[at] === '"';
    const from = isQuoted ? at + 1 : at;
    const to = isQuoted ? findQuote(text, from) : findComma(text, from, end);
    items.push(isQuoted ? removeEscapes(text.slice(from, to)) : toItem(text.slice(from, to)));
    at = to + (isQuoted ? 2 : 1);
  }
  return items;
}

/** Finds the quote that ends an item: an even number of backslashes is before it. */
function findQuote(text: string, from: number): number {
  for (let at = from; ; at += 1) {
    at = text.indexOf('"', at);
    let first = at;
    while (first > from && text[first - 1] === '\\') first -= 1;
    if ((at - first) % 2 === 0) return at;
  }
}

function findComma(text: string, from: number, end: number): number {
  const comma = text.indexOf(',', from);
  return comma === -1 ? end : comma;
}

const removeEscapes = (text: string): string => (text.includes('\\') ? text.replace(/\\(.)/gs, '$1') : text);

const toItem = (text: string): string | null => (text === 'NULL' ? null : text);
