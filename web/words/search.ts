import MiniSearch from 'minisearch';
import type { DocumentPart } from './markdown.ts';

export interface SearchHit extends DocumentPart {
  title: string;
  /** Text around the first matching word. If only the heading matches, the beginning of the text. */
  excerpt: string;
}

interface SearchResult {
  hits: SearchHit[];
  /** `true` if no part has the words themselves, and the hits have similar ones. */
  areSimilar: boolean;
}

export type DocumentSearch = (search: string) => SearchResult;

interface IndexedPart extends DocumentPart {
  id: number;
  title: string;
}

const hitsMax = 20;
const wordsMax = 10;
/** Characters of an excerpt, and those before its first matching word. */
const [excerptLength, excerptBefore] = [220, 60];

/** Words, and the parts of a name such as `rate_limited` beside the whole. */
function splitText(text: string): string[] {
  const words = text.match(/[\p{L}\p{N}_]+/gu) ?? [];
  return words.flatMap((word) => (word.includes('_') ? [word, ...word.split('_').filter(Boolean)] : [word]));
}

const splitSearch = (search: string): string[] => search.match(/[\p{L}\p{N}_]+/gu)?.slice(0, wordsMax) ?? [];

/** Letters that may differ in a word. Longer words than those of the documents are similar to none. */
function countEdits(word: string): number {
  if (word.length < 4 || word.length > 30) return 0;
  return word.length < 8 ? 2 : 3;
}

/**
 * Indexes documents for a search by the beginnings of words. It finds the parts that have all words, those in headings
 * first. If there are none, it finds those with similar words. Other work of the process runs while the index is built.
 */
export async function indexDocuments(
  documents: readonly { title: string; parts: readonly DocumentPart[] }[],
): Promise<DocumentSearch> {
  const parts = documents
    .flatMap(({ title, parts }) => parts.map((part) => ({ ...part, title })))
    .map((part, id): IndexedPart => ({ ...part, id }));
  const index = new MiniSearch<IndexedPart>({
    fields: ['heading', 'title', 'text'],
    tokenize: splitText,
    searchOptions: {
      boost: { heading: 8, title: 2 },
      combineWith: 'AND',
      tokenize: splitSearch,
    },
  });
  await index.addAllAsync(parts, { chunkSize: 20 });

  return (search) => {
    const whole = search.trim().toLowerCase();
    const boostDocument = (id: number) => (parts[id]!.heading.toLowerCase() === whole ? 10 : 1);
    const same = index.search(search, { prefix: true, boostDocument });
    const found = same.length > 0 ? same : index.search(search, { fuzzy: countEdits });
    const hits = found.slice(0, hitsMax).map(({ id, terms }) => {
      const { level, href, heading, text, title } = parts[id]!;
      return { level, href, heading, text, title, excerpt: extractExcerpt(text, terms) };
    });
    return { hits, areSimilar: same.length === 0 && hits.length > 0 };
  };
}

function extractExcerpt(text: string, words: readonly string[]): string {
  const lower = text.toLowerCase();
  const first = Math.min(...words.map((word) => lower.indexOf(word)).filter((at) => at >= 0));
  // The excerpt starts at the beginning of a word.
  const from = Number.isFinite(first) ? text.lastIndexOf(' ', Math.max(0, first - excerptBefore)) + 1 : 0;
  return text.slice(from, from + excerptLength).trim();
}
