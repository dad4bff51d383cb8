import type { DocumentPart } from './markdown.ts';

export interface Hit extends DocumentPart {
  title: string;
  /** What stands around the first word that was found. */
  excerpt: string;
}

interface Found {
  hits: Hit[];
  /** The search with words of the documents in place of those that no document has. */
  corrected?: string | undefined;
}

type Documents = readonly { title: string; parts: readonly DocumentPart[] }[];

const hitsMax = 20;
const wordsMax = 10;
const [before, length] = [60, 220];

/**
 * The parts of documents that have all words of a search, also as parts of words: those with them in their heading first.
 * A word that no document has is corrected, if one of theirs is as good as the same.
 */
export function searchDocuments(documents: Documents, search: string): Found {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean).slice(0, wordsMax);
  if (words.length === 0) return { hits: [] };
  const hits = findParts(documents, words);
  if (hits.length > 0) return { hits };
  const corrected = words.map((word, at) => (at < correctedMax ? correct(documents, word) : word));
  if (corrected.every((word, at) => word === words[at])) return { hits };
  return { hits: findParts(documents, corrected), corrected: corrected.join(' ') };
}

function findParts(documents: Documents, words: readonly string[]): Hit[] {
  const whole = words.join(' ');
  const hits = documents.flatMap(({ title, parts }) =>
    parts.flatMap((part) => {
      const [heading, text] = [part.heading.toLowerCase(), part.text.toLowerCase()];
      const head = `${title.toLowerCase()} ${heading}`;
      if (!words.every((word) => head.includes(word) || text.includes(word))) return [];
      const score = words.reduce(
        (sum, word) =>
          sum +
          (heading.includes(word) ? 20 : 0) +
          (head.includes(word) ? 5 : 0) +
          Math.min(5, text.split(word).length - 1),
        heading === whole ? 100 : 0,
      );
      const first = Math.min(...words.map((word) => text.indexOf(word)).filter((at) => at >= 0));
      // From the beginning of a word.
      const from = Number.isFinite(first) ? part.text.lastIndexOf(' ', Math.max(0, first - before)) + 1 : 0;
      const excerpt = part.text.slice(from, from + length).trim();
      return [{ score, hit: { ...part, title, excerpt } }];
    }),
  );
  return hits
    .toSorted((a, b) => b.score - a.score)
    .slice(0, hitsMax)
    .map(({ hit }) => hit);
}

/** Words of a search that are corrected, and the longest that is. */
const correctedMax = 3;
const longest = 30;

/** Words of the documents by how often they occur. */
const vocabularies = new WeakMap<Documents, ReadonlyMap<string, number>>();

function vocabularyOf(documents: Documents): ReadonlyMap<string, number> {
  const known = vocabularies.get(documents);
  if (known) return known;
  const made = new Map<string, number>();
  for (const { parts } of documents) {
    for (const { heading, text } of parts) {
      for (const [word] of `${heading} ${text}`.toLowerCase().matchAll(/[\p{L}\p{N}_]+/gu))
        made.set(word, (made.get(word) ?? 0) + 1);
    }
  }
  vocabularies.set(documents, made);
  return made;
}

/** The nearest word of the documents, the most frequent of equally near ones; the word itself where none is near. */
function correct(documents: Documents, word: string): string {
  const vocabulary = vocabularyOf(documents);
  if (word.length < 4 || word.length > longest) return word;
  if ([...vocabulary.keys()].some((known) => known.includes(word))) return word;
  let best = { word, edits: word.length < 8 ? 2 : 3, count: 0 };
  for (const [known, count] of vocabulary) {
    if (Math.abs(known.length - word.length) >= best.edits + 1) continue;
    const edits = editsBetween(word, known);
    if (edits < best.edits || (edits === best.edits && best.count > 0 && count > best.count))
      best = { word: known, edits, count };
  }
  return best.word;
}

/** How many letters must be added, left out, changed or swapped with the next to make one word of another. */
function editsBetween(a: string, b: string): number {
  let [last, row]: [number[], number[]] = [[], Array.from({ length: b.length + 1 }, (_, at) => at)];
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const isSame = a[i - 1] === b[j - 1];
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swapped = isSwapped ? last[j - 2]! + 1 : Number.POSITIVE_INFINITY;
      next[j] = Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (isSame ? 0 : 1), swapped);
    }
    [last, row] = [row, next];
  }
  return row[b.length]!;
}
