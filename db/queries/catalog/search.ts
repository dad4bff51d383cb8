import { normalizeAddress } from '@adaptor-marketplace/adaptor';
import type { Queryable } from '../queryable.ts';
import { idColumns } from './columns.ts';
import { containing, escapeLike, isId, type Survey } from './typos.ts';

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
    from unnest(array['catalog_entries_search', 'catalog_entries_search_hidden', 'catalog_entries_search_prominent']) name`);
}

/** Name and integrator of an entry: an index of trigrams of its own answers conditions on it. */
const prominentText = `(lower(name) || e'\\n' || lower(coalesce(integrator, '')))`;

/** Escapes the word as a pattern that matches only it. */
const escapeWord = (word: string) => word.replace(/[^\p{L}\p{N}]/gu, '\\$&');

/**
 * Most entries of a search that come first because their name is the whole search, or begins with it. A name is free, so
 * without this bound any number of listings with the name `Swap` would precede all others that are found with it.
 */
export const phrasesMax = 3;

/** SQL expressions of a search. */
export interface Search {
  /** Conditions of an entry that has all words. */
  conditions: string[];
  /**
   * SQL for the ids of entries with their sort keys, best first: `key_0` is how well the words match the name, then the
   * integrator, then the rest, each better as written than with a typo; `key_1` is use and rating. The keys hold over all
   * entries of `from` together: the best of those whose name is the whole search, or begins with it, come first.
   */
  rank(from: string): string;
  /** `true` if `rank` reads `search_text`. */
  readsText: boolean;
  findNames(): NameConditions;
  /**
   * Condition of an entry whose name begins with the whole search; and 2 if it is the whole search, 1 if it begins with
   * it, else 0.
   */
  findPhrases(): { begins: string; whole: string };
}

/** Conditions that indexes answer, for the entries that match best. */
interface NameConditions {
  /** The entry matches better than `plainMatch`, the points of all others. */
  prominent: string;
  plainMatch: number;
  /** The name has all words as well as any entry can: it has `namedMatch` points then, the most. */
  named: string;
  namedMatch: number;
}

/** Use and rating of entries. Deprecated entries come after all others that match as well. */
export const merit =
  '(case when deprecated then 1 else -(rank::float8 * 1e6 + ln(1 + actions::float8) + coalesce(score_sum::float8 / nullif(review_count, 0), 0) / 5) end)';

/**
 * SQL for a condition that an index answers. Shown entries and the others have an index each: without this, a search of
 * both reads every entry.
 */
const byIndex = (condition: string, includeUnverified: boolean) =>
  includeUnverified ? `(shown and ${condition} or not shown and ${condition})` : condition;

/** Services that a wallet used, and grants of it, that a search for its id reads: as many of each. */
const walletRowsMax = 1_000;

/**
 * SQL for conditions that indexes answer: the id is of the publisher, the package, an object of an operation, or a wallet
 * that used the service or granted to it.
 */
const buildIdentified = (network: string, address: string): string[] => [
  `publisher = ${address}`,
  `package_id = ${address}`,
  `object_ids @> array[${address}]`,
  `service_type = any (array(
      (select v.service_type from service_vaults v where v.network = ${network} and v.wallet_id = ${address}
        order by v.service_type limit ${walletRowsMax})
      union
      (select g.service_type from service_grants g where g.network = ${network} and g.wallet_id = ${address}
        order by g.service_type limit ${walletRowsMax})))`,
];

/**
 * Builds the SQL of a search.
 * @param network SQL for the network
 * @param value binds a text
 * @param includeUnverified `true` to search all entries, `false` to search those that are shown
 * @param typos of the words that may have one; undefined: words match by their beginning alone, see `hasSearchIndex`
 */
export function buildSearch(
  network: string,
  words: readonly string[],
  value: (given: string) => string,
  includeUnverified: boolean,
  typos: Survey['typos'] | undefined,
): Search {
  const name = 'lower(name)';
  const integrator = `lower(coalesce(integrator, ''))`;
  const sought = words.map((word) => {
    const { isWritten = true, beginnings = [] } = typos?.get(word) ?? {};
    const hasTypo = beginnings.length > 0;
    // The index has candidates for every word, which would be compared one by one. The survey counts shown entries alone.
    const isAbsent = hasTypo && !isWritten && !includeUnverified;
    const operator = typos ? 'like' : '~';
    // A parameter that a statement does not use has no type.
    let [written, mistyped]: (string | undefined)[] = [];
    const writtenIn = (text: string): string[] => {
      if (isAbsent) return [];
      written ??= value(typos ? containing(word) : `(^|[^[:alnum:]])${escapeWord(word)}`);
      return [`${text} ${operator} ${written}`];
    };
    /** The pattern of the beginnings. */
    const mistypedIn = (text: string): string[] => {
      if (!hasTypo) return [];
      mistyped ??= value(`\\m(?:${beginnings.map((beginning) => beginning.text).join('|')})`);
      return [`${text} ~ ${mistyped}`];
    };
    const inText = writtenIn('search_text').map((condition) => byIndex(condition, includeUnverified));
    // A part of a word costs a third of a pattern, and is the same where it is only the beginning of words.
    const forms = beginnings.map(({ text, isInside }) =>
      byIndex(
        isInside ? `search_text ~ ${value(`\\m${text}`)}` : `search_text like ${value(containing(text))}`,
        includeUnverified,
      ),
    );
    const named = isId(word) ? normalizeAddress(word) : undefined;
    const identified = named === undefined ? [] : buildIdentified(network, value(named));
    return {
      condition: `(${[...inText, ...forms, ...identified].join(' or ')})`,
      points(): string {
        const match = (conditions: readonly string[], points: number) =>
          conditions.map((condition) => `when ${condition} then ${points}`);
        const classes = [
          ...match(writtenIn(name), 6),
          ...match(mistypedIn(name), 5),
          ...match(writtenIn(integrator), 4),
          ...match(mistypedIn(integrator), 3),
          // For a word without a typo, every match contains it as it is written.
          ...(hasTypo ? match(writtenIn('search_text'), 2) : []),
        ];
        return `(case ${classes.join(' ')} else ${hasTypo ? 1 : 2} end)`;
      },
      readsText: hasTypo && !isAbsent,
      plain: hasTypo ? 1 : 2,
      prominent: () => [
        ...writtenIn(prominentText),
        ...mistypedIn(prominentText),
        ...(hasTypo ? inText : []),
      ],
      /** The best match that the word can have. */
      best: (): [condition: string, points: number] => {
        const [condition] = isWritten ? [] : mistypedIn(name);
        return condition === undefined ? [writtenIn(name)[0]!, 6] : [condition, 5];
      },
    };
  });
  const phrase = words.join(' ');
  const buildWhole = () => {
    const text = value(phrase);
    return `(case when ${name} = ${text} then 2 when starts_with(${name}, ${text}) then 1 else 0 end)`;
  };
  return {
    conditions: sought.map(({ condition }) => condition),
    readsText: sought.some(({ readsText }) => readsText),
    rank: (from) => `
  with ranked as materialized (
    select service_type, publisher, ${sought.map(({ points }) => points()).join(' + ')} as points,
      ${buildWhole()} as whole, ${merit} as merit
    from ${from}
  )
  select service_type, publisher, (-(points + case when (service_type, publisher) in (
      select service_type, publisher from ranked where whole > 0
      order by whole desc, merit, ${idColumns.join(', ')} limit ${phrasesMax}
    ) then whole else 0 end))::numeric as key_0, merit as key_1
  from ranked`,
    findPhrases: () => ({
      begins: `(lower(name) collate "C") like ${value(`${escapeLike(phrase)}%`)}`,
      whole: buildWhole(),
    }),
    findNames() {
      const best = sought.map((word) => word.best());
      return {
        prominent: `(${sought.flatMap(({ prominent }) => prominent()).join(' or ')})`,
        plainMatch: sought.reduce((sum, { plain }) => sum + plain, 0),
        named: best.map(([condition]) => condition).join(' and '),
        namedMatch: best.reduce((sum, [, points]) => sum + points, 0),
      };
    },
  };
}
