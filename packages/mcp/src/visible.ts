import { unseen } from './text.ts';

/*
 * Texts of strangers in a question to a person. A client may show the question as Markdown or HTML, so such a text must not
 * form a line, a link or other markup.
 */

/** Markup of Markdown, HTML and formulas, underscores at the edge of a word, and links without markup. */
const markup = String.raw`[<\x60\[\]*~$&@]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])|(?<=/)/|(?<=[wW]{3})\.`;
/** Blanks after a blank, and those other than a space: a reader cannot count them, and they can fill a line. */
const blanks = String.raw`(?<=\s)\s|(?! )\p{Zs}`;
/** Marks that enclose a character, and those above the third on one: they cover it, and the lines around it. */
const marks = String.raw`\p{Me}|(?<=\p{M}{3})\p{M}`;
const active = new RegExp(`${unseen.source}|${markup}|${blanks}|${marks}`, 'gu');
const isActive = (text: string) => text.search(active) >= 0;

const escaped = (part: string) =>
  part
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');

/** Returns a value as JSON, with escapes for what is active in its texts. Parsed as JSON, it is the value again. */
export const visibleJson = (value: unknown): string =>
  (JSON.stringify(value) ?? 'undefined').replace(/"(?:[^"\\]|\\.)*"/g, (text) =>
    text.replace(active, escaped),
  );

const plainTextMax = 600;

/** Returns an id, or a path of words such as `jar::tip`, unchanged, and anything else as JSON. */
export const visible = (value: unknown): string =>
  typeof value === 'string' && value.length <= plainTextMax && /^[\w:]+$/.test(value) && !isActive(value)
    ? value
    : visibleJson(value);

/** Returns a Move type unchanged, unless one of its parts could be a tag of HTML. */
export function visibleType(type: string): string {
  const isPlain = type.length <= plainTextMax && /^[\w:<>, ]+$/.test(type);
  return isPlain && !isActive(type.replaceAll('<0x', ' 0x')) ? type : visibleJson(type);
}

/** Lists each value inside of an object or a list on a line, with the path to it. */
export function valueLines(value: unknown, path = ''): string[] {
  if (typeof value !== 'object' || value === null) return [`- ${path} = ${visibleJson(value)}`];
  const entries = Object.entries(value);
  if (entries.length === 0) return path === '' ? [] : [`- ${path} = ${Array.isArray(value) ? '[]' : '{}'}`];
  return entries.flatMap(([key, inner]) =>
    valueLines(inner, path === '' ? visible(key) : `${path}.${visible(key)}`),
  );
}
