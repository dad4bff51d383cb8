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

/** What a search looks for, as expressions. */
export interface Search {
  /** What an entry meets that has all words. */
  conditions: string[];
  /**
   * The sort keys, best first: how well the words match the name, then the integrator, then the rest, each better as
   * written than with a typo; then use and rating.
   */
  rank: () => string[];
}

/**
 * @param value binds a text
 * @param typos whether words may be anywhere and have a typo: see `hasSearchIndex`
 */
export function toSearch(words: readonly string[], value: (given: string) => string, typos: boolean): Search {
  const sought = words.map((word) => {
    const written = typos
      ? { operator: 'like', pattern: value(`%${word.replace(/[\\%_]/g, '\\$&')}%`) }
      : { operator: '~', pattern: value(`(^|[^[:alnum:]])${literally(word)}`) };
    const typo = typos ? withTypo(word) : undefined;
    return {
      written: (text: string) => `${text} ${written.operator} ${written.pattern}`,
      typo: typo === undefined ? undefined : value(typo),
    };
  });
  const name = 'lower(name)';
  const integrator = `lower(coalesce(integrator, ''))`;
  const matched = sought.map(({ written, typo }) => {
    const cases = [
      [written(name), 6],
      [typo && `${name} ~ ${typo}`, 5],
      [written(integrator), 4],
      [typo && `${integrator} ~ ${typo}`, 3],
      [written('search_text'), 2],
    ].flatMap(([condition, points]) => (condition ? `when ${condition} then ${points}` : []));
    return `(case ${cases.join(' ')} else 1 end)`;
  });
  return {
    conditions: sought.map(({ written, typo }) =>
      typo === undefined ? written('search_text') : `(${written('search_text')} or search_text ~ ${typo})`,
    ),
    rank() {
      const phrase = value(words.join(' '));
      const whole = `case when ${name} = ${phrase} then 2 when starts_with(${name}, ${phrase}) then 1 else 0 end`;
      return [
        `(-(${[...matched, whole].join(' + ')}))`,
        `(-round((ln(1 + actions) + coalesce(score_sum::numeric / nullif(review_count, 0), 0) / 5)::numeric, 6))`,
      ];
    },
  };
}
