import type { DocumentPart } from './markdown.ts';

export interface SearchHit extends DocumentPart {
  title: string;
  /** Text around the first matching word. If only the heading matches, the beginning of the text. */
  excerpt: string;
}

interface SearchResult {
  hits: SearchHit[];
  /** The search after correction: words of the documents replace those that no document has. */
  corrected?: string | undefined;
}

type Documents = readonly { title: string; parts: readonly DocumentPart[] }[];

const hitsMax = 20;
const wordsMax = 10;
const [before, length] = [60, 220];

/**
 * Finds the parts of documents that contain all words of a search, also inside longer words. Matches in headings rank
 * first. If there is no match, the search is repeated with the nearest words of the documents.
 */
export function searchDocuments(documents: Documents, search: string): SearchResult {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean).slice(0, wordsMax);
  if (words.length === 0) return { hits: [] };
  const hits = findParts(documents, words);
  if (hits.length > 0) return { hits };
  const corrected = words.map((word, at) => (at < correctedMax ? correct(documents, word) : word));
  if (corrected.every((word, at) => word === words[at])) return { hits };
  return { hits: findParts(documents, corrected), corrected: corrected.join(' ') };
}

function findParts(documents: Documents, words: readonly string[]): SearchHit[] {
  const whole = words.join(' ');
  const hits = buildIndex(documents).parts.flatMap(({ part, title, head, heading, text }) => {
    if (!words.every((word) => head.includes(word) || text.includes(word))) return [];
    const score = words.reduce(
      (sum, word) =>
        sum + (heading.includes(word) ? 20 : 0) + (head.includes(word) ? 5 : 0) + occurrences(text, word, 5),
      heading === whole ? 100 : 0,
    );
    return [{ score, part, title, text }];
  });
  return hits
    .toSorted((a, b) => b.score - a.score)
    .slice(0, hitsMax)
    .map(({ part, title, text }) => ({ ...part, title, excerpt: extractExcerpt(part.text, text, words) }));
}

function occurrences(text: string, word: string, most: number): number {
  let count = 0;
  for (let at = text.indexOf(word); at >= 0 && count < most; at = text.indexOf(word, at + word.length))
    count++;
  return count;
}

/** @param lower the text in lower case */
function extractExcerpt(text: string, lower: string, words: readonly string[]): string {
  const first = Math.min(...words.map((word) => lower.indexOf(word)).filter((at) => at >= 0));
  // The excerpt starts at the beginning of a word.
  const from = Number.isFinite(first) ? text.lastIndexOf(' ', Math.max(0, first - before)) + 1 : 0;
  return text.slice(from, from + length).trim();
}

/** Most words of a search that are corrected, and the longest of them, in characters. */
const correctedMax = 3;
const longest = 30;

interface Index {
  /** Each part with its texts in lower case. `head` is the title of the document and the heading. */
  parts: { part: DocumentPart; title: string; head: string; heading: string; text: string }[];
  vocabulary: IndexedWord[];
  /** All words of the vocabulary in one text. */
  words: string;
}

interface IndexedWord {
  word: string;
  letters: number;
  /** Occurrences in all documents. */
  count: number;
}

/** Cached indexes. Documents do not change, so each list of documents is indexed once. */
const indexes = new WeakMap<Documents, Index>();

function buildIndex(documents: Documents): Index {
  const known = indexes.get(documents);
  if (known) return known;
  const counts = new Map<string, number>();
  const parts = documents.flatMap(({ title, parts }) =>
    parts.map((part) => {
      const [heading, text] = [part.heading.toLowerCase(), part.text.toLowerCase()];
      for (const [word] of `${heading} ${text}`.matchAll(/[\p{L}\p{N}_]+/gu))
        counts.set(word, (counts.get(word) ?? 0) + 1);
      return { part, title, head: `${title.toLowerCase()} ${heading}`, heading, text };
    }),
  );
  const vocabulary = [...counts].map(([word, count]) => ({ word, count, letters: computeLetterBits(word) }));
  const index = { parts, vocabulary, words: [...counts.keys()].join(' ') };
  indexes.set(documents, index);
  return index;
}

/** Returns a bit set of the letters in a word. Some letters share a bit. */
function computeLetterBits(word: string): number {
  let letters = 0;
  for (let at = 0; at < word.length; at++) letters |= 1 << (word.charCodeAt(at) & 31);
  return letters;
}

function bitsIn(set: number): number {
  let count = 0;
  for (let rest = set; rest !== 0; rest &= rest - 1) count++;
  return count;
}

/** Finds the nearest word of the documents, the most frequent of several. If none is near, returns the same word. */
function correct(documents: Documents, word: string): string {
  const { vocabulary, words } = buildIndex(documents);
  if (word.length < 4 || word.length > longest || words.includes(word)) return word;
  const letters = computeLetterBits(word);
  let best = { word, edits: word.length < 8 ? 2 : 3, count: 0 };
  for (const known of vocabulary) {
    if (Math.abs(known.word.length - word.length) > best.edits) continue;
    // An edit changes at most two bits of the set, so most words need no comparison.
    if (bitsIn(known.letters ^ letters) > 2 * best.edits) continue;
    const edits = editsBetween(word, known.word);
    if (edits < best.edits || (edits === best.edits && best.count > 0 && known.count > best.count))
      best = { word: known.word, edits, count: known.count };
  }
  return best.word;
}

/** Computes the edit distance: letters to add, remove, change or swap with the next one. */
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
