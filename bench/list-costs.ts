import { readFile } from 'node:fs/promises';
import { canonicalType } from '@adaptor-marketplace/adaptor';
import type { Pool, QueryConfig } from 'pg';
import { readCatalog } from '../db/queries/catalog/list.ts';
import type { CatalogQuery } from '../db/queries/catalog/query.ts';
import { readNamedSources } from '../db/queries/package-sources/named.ts';
import type { Queryable } from '../db/queries/queryable.ts';
import { listingAt, network } from './listings/listings.ts';
import { cpuSeconds, median, startChild } from './measure.ts';

const rounds = 7;

/** A list or a search over REST. */
interface Question {
  name: string;
  query: Record<string, string>;
  /** Pages that are read before: the page is one of them after the first. */
  after?: number;
}

/** Processor time of one request, and what PostgreSQL reads for it. */
export interface Cost {
  name: string;
  postgresMs: number;
  gatewayMs: number;
  /** Pages of 8 kB. */
  pages: number;
  total: number;
}

const nameless = '0x2::nowhere::NOWHERE';

/** Lists and searches by their names. The words are those of the benchmark's listings. */
const questions: Question[] = [
  { name: 'by rank', query: {} },
  ...['trending', 'recent', 'usage', 'rating', 'updated', 'name'].map((sort) => ({
    name: `by ${sort}`,
    query: { sort },
  })),
  { name: 'by rank, the 20th page', query: {}, after: 19 },
  { name: 'a category', query: { category: 'Lend' } },
  { name: 'a category, by name', query: { category: 'Lend', sort: 'name' } },
  { name: 'a small category', query: { category: 'Trading' } },
  { name: 'a coin', query: { coin: '0x2::sui::SUI' } },
  { name: 'a coin without a match', query: { coin: nameless } },
  { name: 'a publisher', query: { publisher: listingAt(0).publisher } },
  { name: 'an integrator', query: { integrator: 'lagoon' } },
  { name: 'operations that work', query: { canary: 'up' } },
  { name: 'operations that fail', query: { canary: 'down' } },
  { name: 'operations that fail, in a category', query: { canary: 'down', category: 'Lend' } },
  { name: 'a word of all', query: { q: 'adaptor' } },
  { name: 'a word of all, the 20th page', query: { q: 'adaptor' }, after: 19 },
  { name: 'a word of all, by name', query: { q: 'adaptor', sort: 'name' } },
  { name: 'a word of many names', query: { q: 'vault' } },
  { name: 'a word of many names, the 20th page', query: { q: 'vault' }, after: 19 },
  { name: 'a word of some names', query: { q: 'lagoon' } },
  { name: 'a word in a category', query: { q: 'vault', category: 'Lend' } },
  { name: 'a typo', query: { q: 'colateral' } },
  { name: 'a short typo', query: { q: 'vualt' } },
  { name: 'two words', query: { q: 'lagoon vault' } },
  { name: 'two broad words', query: { q: 'adaptor swap' } },
  { name: 'three words', query: { q: 'lagoon vault collateral' } },
  { name: 'three words, two with typos', query: { q: 'lagoon vualt colateral' } },
  { name: 'no match', query: { q: 'xyzzyq' } },
];

/** Commits that the manifests of each package named, one after another. */
const commitsNamed = 5;

/** A page of the graph with the newest of these commits for each entry. */
const namedSourcesPage = JSON.stringify({
  query: '{ adaptors(first: 50) { edges { node { namedSource { repository commit state } } } } }',
});

/** Measures each list and search over REST, and the statement of named sources in a page of the graph. */
export async function measureCosts(
  pool: Pool,
  databaseUrl: string,
  stack: AsyncDisposableStack,
): Promise<Cost[]> {
  const { process: gateway, said } = await startChild(
    'catalog/gateway-process.ts',
    [databaseUrl, '', '2'],
    stack,
  );
  const url = String(said);
  const costs: Cost[] = [];
  const measure = async (
    name: string,
    request: () => Promise<Response>,
    read: { pages: number; total: number },
  ) => {
    const [postgres, own]: [number[], number[]] = [[], []];
    for (let n = -2; n < rounds; n++) {
      const before = [await readPostgresMs(pool), await cpuSeconds(gateway)] as const;
      const response = await request();
      const text = await response.text();
      if (!response.ok) throw new Error(`${name}: ${response.status} ${text.slice(0, 300)}`);
      const after = [await readPostgresMs(pool), await cpuSeconds(gateway)] as const;
      if (n < 0) continue;
      postgres.push(after[0] - before[0]);
      own.push((after[1] - before[1]) * 1_000);
    }
    costs.push({ name, postgresMs: median(postgres), gatewayMs: median(own), ...read });
  };
  for (const { name, query, after = 0 } of questions) {
    const at = new URLSearchParams({ network, limit: '50', ...query });
    for (let page = 0; page < after; page++) {
      const response = await fetch(`${url}/api/adaptors?${at}`);
      const { nextCursor } = (await response.json()) as { nextCursor?: string };
      // A small catalog has fewer pages.
      if (nextCursor === undefined) break;
      at.set('cursor', nextCursor);
    }
    const { coin, ...rest } = query;
    const asked: CatalogQuery = {
      network,
      limit: 50,
      ...(rest as Partial<CatalogQuery>),
      ...(coin !== undefined && { coin: canonicalType(coin)! }),
      cursor: at.get('cursor') ?? undefined,
    };
    const read = await explain(pool, async (db) => (await readCatalog(db, asked)).total);
    await measure(name, () => fetch(`${url}/api/adaptors?${at}`), read);
  }
  const packages = await nameSources(pool);
  await measure(
    'named sources, in a page of the graph',
    () =>
      fetch(`${url}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: namedSourcesPage,
      }),
    await explain(pool, async (db) => (await readNamedSources(db, packages)).length),
  );
  return costs;
}

/** Gives every package commits that its manifests named, and returns the 50 packages of a page. */
async function nameSources(pool: Pool): Promise<{ network: string; packageId: string }[]> {
  await pool.query(`insert into named_sources (network, package_id, repository, commit, path)
    select network, package_id, 'https://github.com/lagoon/vaults', lpad(to_hex(n), 40, '0'), ''
    from listings cross join generate_series(1, ${commitsNamed}) n`);
  await pool.query('vacuum analyze named_sources');
  const { rows } = await pool.query<{ network: string; packageId: string }>(
    `select network, package_id as "packageId" from listings order by service_type limit 50`,
  );
  return rows;
}

/** Processor time of the connections of other processes to the database, since they began. */
async function readPostgresMs(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ pid: number }>(
    `select pid from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()`,
  );
  const times = rows.map(async ({ pid }) => {
    const text = await readFile(`/proc/${pid}/schedstat`, 'utf8').catch(() => '0');
    return Number(text.split(' ')[0]) / 1e6;
  });
  return (await Promise.all(times)).reduce((sum, ms) => sum + ms, 0);
}

/** Pages of 8 kB that the statements of a query read, and the number of its matches, which `read` returns. */
async function explain(
  pool: Pool,
  read: (db: Queryable) => Promise<number>,
): Promise<{ pages: number; total: number }> {
  let pages = 0;
  const explaining = {
    async query(statement: QueryConfig) {
      const { text, values = [] } = statement;
      const { rows } = await pool.query(`explain (analyze, buffers, format json) ${text}`, values);
      const plan = rows[0]['QUERY PLAN'][0].Plan;
      pages += plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];
      return await pool.query(text, values);
    },
  };
  await read(pool);
  const total = await read(explaining as unknown as Queryable);
  return { pages, total };
}
