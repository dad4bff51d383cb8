import { normalizeAddress } from '@adaptor-marketplace/adaptor';
import type { Queryable } from '../queryable.ts';
import { id } from './columns.ts';

/** Splits a search into words in lower case. Empty if the search is absent or blank. */
export const splitWords = (q: string | undefined): string[] =>
  q
    ?.toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '') ?? [];

/** Cached answer for this process's database; undefined before the first query. */
let indexed: Promise<boolean> | undefined;

/**
 * Returns `true` if the database has the trigram index: a search then finds parts of words and words with a typo.
 * Without it each search reads all entries of the network, so it only finds the beginnings of words. Each process
 * queries this once.
 */
export function hasSearchIndex(db: Queryable): Promise<boolean> {
  indexed ??= db
    .query<{ found: boolean }>(`select to_regclass('catalog_entries_search') is not null as found`)
    .then(({ rows }) => rows[0]?.found ?? false);
  indexed.catch(() => {
    indexed = undefined;
  });
  return indexed;
}

/**
 * Merges the pending lists of the search indexes. A commit that fills a list would merge it under the lock of the
 * catalog, which takes half a second at ten thousand entries.
 */
export async function mergeSearchIndex(db: Queryable): Promise<void> {
  if (!(await hasSearchIndex(db))) return;
  await db.query(`select gin_clean_pending_list(name::regclass)
    from unnest(array['catalog_entries_search', 'catalog_entries_search_hidden']) name`);
}

/**
 * Length of a word that may have a typo. Too many words are one letter away from a shorter one, and a longer one makes
 * the pattern large.
 */
const [typoLettersMin, typoLettersMax] = [5, 24];

/** Escapes the word as a pattern that matches only it. */
const literally = (word: string) => word.replace(/[^\p{L}\p{N}]/gu, '\\$&');

const isId = (word: string) => /^0x[0-9a-f]{1,64}$/.test(word);

/**
 * Returns a pattern of all beginnings of words that are one typo away: a letter wrong, missing, too many, or two
 * exchanged. Such patterns use the trigram index as LIKE does, and match no word that is further away.
 */
function withTypo(word: string): string | undefined {
  const letters = [...word];
  if (letters.length < typoLettersMin || letters.length > typoLettersMax) return undefined;
  if (!/^[\p{L}\p{N}]+$/u.test(word) || isId(word)) return undefined;
  const forms = letters.flatMap((letter, at) => {
    const [before, after] = [letters.slice(0, at).join(''), letters.slice(at + 1).join('')];
    const next = letters[at + 1];
    return [
      `${before}(\\w?|\\w${letter})${after}`,
      ...(next === undefined ? [] : [`${before}${next}${letter}${letters.slice(at + 2).join('')}`]),
    ];
  });
  return `\\m(${forms.join('|')}|${word}\\w)`;
}

/**
 * Returns conditions of which at least one holds for a text that matches the pattern: it contains the half of the word
 * without the typo, or the word with the middle two letters exchanged. The trigram index answers them, so that the
 * pattern is compared with few texts.
 */
function nearTypo(word: string, value: (given: string) => string): string[] {
  const letters = [...word];
  const half = Math.floor(letters.length / 2);
  const part = (from: number, to?: number) => letters.slice(from, to).join('');
  const exchanged = part(0, half - 1) + letters[half] + letters[half - 1] + part(half + 1);
  // Fewer than three letters are in the index only as the beginning of a word.
  const begins = half < 3 ? `~ ${value(`\\m${part(0, half)}`)}` : `like ${value(`%${part(0, half)}%`)}`;
  return [begins, `like ${value(`%${part(half)}%`)}`, `like ${value(`%${exchanged}%`)}`];
}

const containing = (word: string) => `%${word.replace(/[\\%_]/g, '\\$&')}%`;

/** Maximum number of entries with a mistyped word. A word that more entries contain as it is written has no typo. */
export const commonMin = 1_000;
/** Most words of a search that may have a typo. The pattern of each costs some 40 µs for each entry near it. */
const mistypedMax = 2;
/**
 * Most entries of a search that come first because their name is the whole search, or begins with it. A name is free, so
 * without this bound any number of listings with the name `Swap` would precede all others that are found with it.
 */
export const phrasesMax = 3;
/** Most entries near mistyped words that are compared with their patterns. */
export const nearMax = 5_000;

/**
 * Finds the words that may have a typo: long enough, of letters, and not in many entries as they are written. Of more
 * than `mistypedMax`, those that the fewest entries contain as they are written.
 */
export async function findMistyped(
  db: Queryable,
  network: string,
  words: readonly string[],
): Promise<Set<string>> {
  const long = words.filter((word) => withTypo(word) !== undefined);
  if (long.length === 0) return new Set();
  const { rows } = await db.query<{ counts: number[] }>({
    text: `select array[${long.map(
      (_, at) => `(select count(*) from (select from catalog_entries
        where network = $1 and shown and search_text like $${at + 2} limit ${commonMin} + 1) found)`,
    )}]::int[] as counts`,
    values: [network, ...long.map(containing)],
  });
  const mistyped = long
    .map((word, at) => ({ word, count: rows[0]!.counts[at]! }))
    .filter(({ count }) => count <= commonMin)
    .sort((a, b) => a.count - b.count);
  return new Set(mistyped.slice(0, mistypedMax).map(({ word }) => word));
}

/** SQL expressions of a search. */
export interface Search {
  /** Conditions that the index answers and that every match meets; undefined if `conditions` are enough. */
  near: string[] | undefined;
  /** Conditions of an entry that has all words. */
  conditions: string[];
  /**
   * The sort keys, best first: how well the words match the name, then the integrator, then the rest, each better as
   * written than with a typo; then use and rating. They hold over all matches together: the best of those whose name is
   * the whole search, or begins with it, come first.
   */
  rank: () => [match: string, merit: string];
}

/**
 * SQL for a condition that an index answers. Shown entries and the others have an index each: without this, a search of
 * both reads every entry.
 */
const byIndex = (condition: string, includeUnverified: boolean) =>
  includeUnverified ? `(shown and ${condition} or not shown and ${condition})` : condition;

/**
 * @param value binds a text
 * @param includeUnverified `true` to search all entries, `false` to search those that are shown
 * @param typos the words that may have a typo; undefined: words match by their beginning alone, see `hasSearchIndex`
 */
export function toSearch(
  words: readonly string[],
  value: (given: string) => string,
  includeUnverified: boolean,
  typos: ReadonlySet<string> | undefined,
): Search {
  const sought = words.map((word) => {
    const written = typos
      ? { operator: 'like', pattern: value(containing(word)) }
      : { operator: '~', pattern: value(`(^|[^[:alnum:]])${literally(word)}`) };
    const typo = typos?.has(word) ? withTypo(word) : undefined;
    const writtenIn = (text: string) => `${text} ${written.operator} ${written.pattern}`;
    const named = isId(word) ? normalizeAddress(word) : undefined;
    const address = named === undefined ? undefined : value(named);
    return {
      word,
      written: writtenIn,
      /** The entry has the word, or it is its publisher or its package. */
      had: address
        ? `(${writtenIn('search_text')} or publisher = ${address} or package_id = ${address})`
        : writtenIn('search_text'),
      typo: typo === undefined ? undefined : value(typo),
    };
  });
  const near = sought.map(({ word, had, typo }) => {
    if (typo === undefined) return byIndex(had, includeUnverified);
    // A text with the word as it is written also has its second half.
    const forms = nearTypo(word, value).map((form) => `search_text ${form}`);
    // A subquery for each form: with all forms in one condition, the planner reads every entry.
    const parts = includeUnverified ? ['shown', 'not shown'] : ['shown'];
    const found = forms.flatMap((form) => parts.map((part) => `${part} and ${form}`));
    return `ctid in (${found.map((part) => `select ctid from catalog_entries where ${part}`).join(' union all ')})`;
  });
  const name = 'lower(name)';
  const integrator = `lower(coalesce(integrator, ''))`;
  const matched = sought.map(({ written, typo }) => {
    const cases = [
      [written(name), 6],
      [typo && `${name} ~ ${typo}`, 5],
      [written(integrator), 4],
      [typo && `${integrator} ~ ${typo}`, 3],
      // For a word without a typo, every match contains it as it is written.
      [typo && written('search_text'), 2],
    ].flatMap(([condition, points]) => (condition ? `when ${condition} then ${points}` : []));
    return `(case ${cases.join(' ')} else ${typo ? 1 : 2} end)`;
  });
  const hasTypo = sought.some(({ typo }) => typo !== undefined);
  const asWritten = (text: string) => (hasTypo ? text : byIndex(text, includeUnverified));
  return {
    near: hasTypo ? near : undefined,
    conditions: sought.map(({ had, typo }) =>
      typo === undefined ? asWritten(had) : `(${had} or search_text ~ ${typo})`,
    ),
    rank() {
      const phrase = value(words.join(' '));
      const whole = `case when ${name} = ${phrase} then 2 when starts_with(${name}, ${phrase}) then 1 else 0 end`;
      // Use and rating order only entries of one rank. Deprecated entries come after all others that match as well.
      const merit =
        '(case when deprecated then 1 else -(rank::float8 * 1e6 + ln(1 + actions::float8) + coalesce(score_sum::float8 / nullif(review_count, 0), 0) / 5) end)';
      const best = `row_number() over (order by ${whole} desc, ${merit}, ${id.join(', ')})`;
      const first = `case when ${best} <= ${phrasesMax} then ${whole} else 0 end`;
      return [`(-(${[...matched, first].join(' + ')}))`, merit];
    },
  };
}
