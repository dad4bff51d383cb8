import type { Queryable } from '../queryable.ts';

/** The words of a search in lower case; none where it is absent or blank. */
export const wordsOf = (q: string | undefined): string[] =>
  q
    ?.toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '') ?? [];

/** Of this process's database; undefined before it was asked. */
let indexed: Promise<boolean> | undefined;

/**
 * Whether the database has the index of trigrams: a search then finds parts of words and words with a typo. Without it
 * each search reads all entries of the network, so it finds the beginnings of words alone. Asked once by each process.
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
 * Merges what waits in the list of the search index. A commit that fills the list would merge it below the lock of the
 * catalog: half a second at ten thousand entries.
 */
export async function mergeSearchIndex(db: Queryable): Promise<void> {
  if (await hasSearchIndex(db)) await db.query(`select gin_clean_pending_list('catalog_entries_search')`);
}

/** In shorter words, too many others are one letter away; longer ones make the pattern large. */
const [typoLettersMin, typoLettersMax] = [5, 24];

/** The word as a pattern that matches it alone. */
const literally = (word: string) => word.replace(/[^\p{L}\p{N}]/gu, '\\$&');

/**
 * A pattern of all beginnings of words that are one typo away: a letter wrong, missing, too many, or two exchanged. Such
 * patterns use the index of trigrams as LIKE does, and match no word that is further away.
 */
function withTypo(word: string): string | undefined {
  const letters = [...word];
  if (letters.length < typoLettersMin || letters.length > typoLettersMax) return undefined;
  if (!/^[\p{L}\p{N}]+$/u.test(word)) return undefined;
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
 * What a text has that matches the pattern, as conditions of which one holds: the half of the word where the typo is not,
 * or the middle two letters exchanged. The index of trigrams answers these, so that the pattern is compared with few texts.
 */
function nearTypo(word: string, value: (given: string) => string): string[] {
  const letters = [...word];
  const half = Math.floor(letters.length / 2);
  const part = (from: number, to?: number) => letters.slice(from, to).join('');
  const exchanged = part(0, half - 1) + letters[half] + letters[half - 1] + part(half + 1);
  // Less than three letters are in the index only as the beginning of a word.
  const begins = half < 3 ? `~ ${value(`\\m${part(0, half)}`)}` : `like ${value(`%${part(0, half)}%`)}`;
  return [begins, `like ${value(`%${part(half)}%`)}`, `like ${value(`%${exchanged}%`)}`];
}

const containing = (word: string) => `%${word.replace(/[\\%_]/g, '\\$&')}%`;

/** Where more entries than this contain a word as it is written, it has no typo. */
export const commonMin = 1_000;

/** The words that may have a typo: long enough, of letters, and not in many entries as they are written. */
export async function findMistyped(
  db: Queryable,
  network: string,
  words: readonly string[],
): Promise<Set<string>> {
  const long = words.filter((word) => withTypo(word) !== undefined);
  if (long.length === 0) return new Set();
  const { rows } = await db.query<{ common: boolean[] }>({
    text: `select array[${long.map(
      (_, at) => `(select count(*) from (select from catalog_entries
        where network = $1 and shown and search_text like $${at + 2} limit ${commonMin} + 1) found) > ${commonMin}`,
    )}] as common`,
    values: [network, ...long.map(containing)],
  });
  return new Set(long.filter((_, at) => !rows[0]!.common[at]));
}

/** What a search looks for, as expressions. */
export interface Search {
  /** What an entry meets that can have all words, by the index; none where `conditions` say it all. */
  near: string[] | undefined;
  /** What an entry meets that has all words. */
  conditions: string[];
  /**
   * The sort keys, best first: how well the words match the name, then the integrator, then the rest, each better as
   * written than with a typo; then use and rating.
   */
  rank: () => [match: string, merit: string];
}

/**
 * @param value binds a text
 * @param typos the words that may have a typo; undefined: words match by their beginning alone, see `hasSearchIndex`
 */
export function toSearch(
  words: readonly string[],
  value: (given: string) => string,
  typos: ReadonlySet<string> | undefined,
): Search {
  const sought = words.map((word) => {
    const written = typos
      ? { operator: 'like', pattern: value(containing(word)) }
      : { operator: '~', pattern: value(`(^|[^[:alnum:]])${literally(word)}`) };
    const typo = typos?.has(word) ? withTypo(word) : undefined;
    return {
      word,
      written: (text: string) => `${text} ${written.operator} ${written.pattern}`,
      typo: typo === undefined ? undefined : value(typo),
    };
  });
  const near = sought.map(({ word, written, typo }) => {
    if (typo === undefined) return written('search_text');
    // What has the word as it is written has its second half too.
    const forms = nearTypo(word, value).map((form) => `search_text ${form}`);
    // Each by itself: for all of them at once, the planner reads every entry.
    return `ctid in (${forms.map((form) => `select ctid from catalog_entries where ${form}`).join(' union all ')})`;
  });
  const name = 'lower(name)';
  const integrator = `lower(coalesce(integrator, ''))`;
  const matched = sought.map(({ written, typo }) => {
    const cases = [
      [written(name), 6],
      [typo && `${name} ~ ${typo}`, 5],
      [written(integrator), 4],
      [typo && `${integrator} ~ ${typo}`, 3],
      // Of a word without a typo, whatever matches does as it is written.
      [typo && written('search_text'), 2],
    ].flatMap(([condition, points]) => (condition ? `when ${condition} then ${points}` : []));
    return `(case ${cases.join(' ')} else ${typo ? 1 : 2} end)`;
  });
  return {
    near: sought.some(({ typo }) => typo !== undefined) ? near : undefined,
    conditions: sought.map(({ written, typo }) =>
      typo === undefined ? written('search_text') : `(${written('search_text')} or search_text ~ ${typo})`,
    ),
    rank() {
      const phrase = value(words.join(' '));
      const whole = `case when ${name} = ${phrase} then 2 when starts_with(${name}, ${phrase}) then 1 else 0 end`;
      return [
        `(-(${[...matched, whole].join(' + ')}))`,
        '(-(ln(1 + actions::float8) + coalesce(score_sum::float8 / nullif(review_count, 0), 0) / 5))',
      ];
    },
  };
}
