import type { DocumentPart } from './markdown.ts';

export interface Hit extends DocumentPart {
  title: string;
  /** What stands around the first word that was found. */
  excerpt: string;
}

const hitsMax = 20;
const [before, length] = [60, 220];

/** The parts of documents that have all words of a search: those with them in their heading first. */
export function searchDocuments(
  documents: readonly { title: string; parts: readonly DocumentPart[] }[],
  search: string,
): Hit[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean).slice(0, 10);
  if (words.length === 0) return [];
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
        0,
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
