import type { Queryable } from '../queryable.ts';

/**
 * Length of a word that may have a typo. Too many words are one letter away from a shorter one, and a longer one makes
 * the pattern large.
 */
const [typoLettersMin, typoLettersMax] = [5, 24];
/**
 * Maximum number of entries that contain a word as it is written, for the word to be searched with a typo too. Counting a
 * word of all names up to this bound takes 2 ms.
 */
export const typoEntriesMax = 300;
/** Maximum number of words of a search that may have a typo. */
const mistypedMax = 2;
/** Maximum number of beginnings that a mistyped word stands for: those of the words that the catalog had first. */
const beginningsMax = 32;
/** Letters of a word that are stored, from its beginning. Service types have 66 and more without a gap. */
const wordLettersMax = 80;

/** Escapes a text as a pattern of LIKE that matches only it. */
export const escapeLike = (text: string) => text.replace(/[\\%_]/g, '\\$&');

export const containing = (word: string) => `%${escapeLike(word)}%`;

export const isId = (word: string) => /^0x[0-9a-f]{1,64}$/.test(word);

/**
 * SQL that adds the words of entries to those that a mistyped word can stand for. Words stay when their entries go: what
 * was listed stays in the database as well.
 * @param entries `from` item with the `search_text` of entries of network `$1`
 */
export const buildAddWordsSql = (entries: string) => `
  insert into catalog_words (network, word)
  select distinct $1, left(word, ${wordLettersMax})
  from ${entries} cross join lateral regexp_split_to_table(search_text, '\\W+') word
  where length(word) >= ${typoLettersMin - 1}
  on conflict do nothing`;

/** Returns `true` if a word is long enough to have a typo, and has letters and digits alone. */
function canHaveTypo(word: string): boolean {
  const letters = [...word];
  if (letters.length < typoLettersMin || letters.length > typoLettersMax) return false;
  return /^[\p{L}\p{N}]+$/u.test(word) && !isId(word);
}

/**
 * Returns a pattern of all beginnings of words that are one typo away: a letter wrong, missing, too many, or two
 * exchanged. A typo at the end is a missing letter, as a beginning may go on with any.
 */
function buildTypoPattern(word: string): string {
  const letters = [...word];
  const forms = letters.flatMap((letter, at) => {
    const [before, after] = [letters.slice(0, at).join(''), letters.slice(at + 1).join('')];
    const next = letters[at + 1];
    if (next === undefined) return before;
    const exchanged = `${before}${next}${letter}${letters.slice(at + 2).join('')}`;
    return [`${before}(?:\\w?|\\w${letter})${after}`, exchanged];
  });
  return `^(?:${forms.join('|')})`;
}

/**
 * Returns patterns of LIKE. Every word that begins with a typo of `word` matches one of them: a typo leaves one half of the
 * letters as they are, or exchanges the two in the middle. The trigram index of the words finds their matches.
 */
function buildNearPatterns(word: string): string[] {
  const letters = [...word];
  const half = Math.floor(letters.length / 2);
  const part = (from: number, to?: number) => letters.slice(from, to).join('');
  const exchanged = part(0, half - 1) + letters[half] + letters[half - 1] + part(half + 1);
  return [`${part(0, half)}%`, `%${part(half)}%`, `${exchanged}%`];
}

/** A beginning of words that a mistyped word stands for. */
interface Beginning {
  text: string;
  /** `true` if a word of the catalog also contains the text after its first character. */
  isInside: boolean;
}

interface Typo {
  /** `true` if an entry contains the word as it is written. */
  isWritten: boolean;
  beginnings: readonly Beginning[];
}

/** Facts of the catalog that decide which statement answers a search. */
export interface Survey {
  /** Number of shown entries. */
  shown: number;
  /** The words that may have a typo. */
  typos: ReadonlyMap<string, Typo>;
  /** Numbers of shown entries that contain a word, counted up to a bound. Short words have none. */
  counts: ReadonlyMap<string, number>;
}

/**
 * Finds the words that may have a typo, and the beginnings that they may stand for. These are the words that `canHaveTypo`
 * accepts and that at most `typoEntriesMax` entries contain; of several, the `mistypedMax` words with the fewest entries.
 * @param countedMax entries with a word are counted up to one more than this or `typoEntriesMax`, whichever is greater
 */
export async function surveyWords(
  db: Queryable,
  network: string,
  words: readonly string[],
  countedMax = typoEntriesMax,
): Promise<Survey> {
  const long = words.filter(canHaveTypo);
  const { rows } = await db.query<{ shown: number; counts: number[] }>({
    text: `select coalesce((select shown from catalog_state where network = $1), 0)::float8 as shown, array[${long.map(
      (_, at) => `(select count(*) from (select from catalog_entries
        where network = $1 and shown and search_text like $${at + 2} limit ${Math.max(countedMax, typoEntriesMax)} + 1) found)`,
    )}]::int[] as counts`,
    values: [network, ...long.map(containing)],
  });
  const { shown, counts } = rows[0]!;
  const counted = long.map((word, at) => ({ word, count: counts[at]! }));
  const mistyped = counted
    .filter(({ count }) => count <= typoEntriesMax)
    .sort((a, b) => a.count - b.count)
    .slice(0, mistypedMax);
  const found = mistyped.map(async ({ word, count }) => {
    const typo: Typo = { isWritten: count > 0, beginnings: await readBeginnings(db, network, word) };
    return [word, typo] as const;
  });
  return {
    shown,
    typos: new Map(await Promise.all(found)),
    counts: new Map(counted.map(({ word, count }) => [word, count])),
  };
}

async function readBeginnings(db: Queryable, network: string, word: string): Promise<Beginning[]> {
  const { rows } = await db.query<Beginning>({
    text: `
with begun as (
  select substring(word from $2) as text, min(number) as number from catalog_words
  where network = $1 and (word like $3 or word like $4 or word like $5) and word ~ $2
  group by 1 order by 2 limit ${beginningsMax}
)
select text, exists (
  select from catalog_words w where w.network = $1 and w.word like '%' || text || '%' and substring(w.word, 2) like '%' || text || '%'
) as "isInside"
from begun order by number`,
    values: [network, buildTypoPattern(word), ...buildNearPatterns(word)],
  });
  return rows;
}
