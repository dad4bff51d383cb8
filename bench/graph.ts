import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cp, mkdir, mkdtemp, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { execute, parse } from 'graphql';
import { request } from 'undici';
import { openDatabase } from '../db/client.ts';
import { startEmbeddedServer } from '../db/embedded/server.ts';
import { migrateDatabase } from '../db/migrate.ts';
import type { Queryable } from '../db/queries/queryable.ts';
import { createManifests } from '../graphql/manifests.ts';
import { schema } from '../graphql/schema.ts';
import { readModelBuilder } from '../test/support/read-model.ts';
import { type Load, load, medianLoad, type Server } from './catalog.ts';
import { fillGraph, owner, type Prepared, views } from './listings/graph-data.ts';
import { listingAt, network } from './listings/listings.ts';
import { type Options, type Result, startChild } from './measure.ts';

const requestsAtOnce = 16;
/** Statements at once of each server: a third of its pool is the graph's. */
const statementsAtOnce = 4;
const roundsFull = 15;
const roundSeconds = 1;

const { serviceType, publisher } = listingAt(7);

/** Typical queries, and the same fields from PostGraphile. */
const queries: Record<string, { ours: string; postgraphile: string }> = {
  'a page of the catalog': {
    ours: `{ adaptors(first: 20) { totalCount pageInfo { hasNextPage endCursor } edges { node {
      serviceType publisher publisherVerified version updatedAtMs manifest { name category summary }
      usage { actions uniqueVaults lastActionMs } reviews { count avg } } } } }`,
    postgraphile: `{ allAdaptors(first: 20, condition: { network: "${network}", shown: true },
      orderBy: [BY_ACTIONS_ASC, BY_VAULTS_ASC, SERVICE_TYPE_ASC, PUBLISHER_ASC]) {
      totalCount pageInfo { hasNextPage endCursor } edges { node {
      serviceType publisher publisherVerified version updatedAtMs manifest { name category summary }
      actions uniqueVaults lastActionMs reviewCount avgScore } } } }`,
  },
  'an adaptor with its history': {
    ours: `{ adaptor(serviceType: "${serviceType}", publisher: "${publisher}") {
      serviceType publisher version updatedAtMs manifest { name summary }
      versions(first: 10) { pageInfo { hasNextPage } edges { node {
        version listed manifestHash timestampMs checkpoint } } }
      events(first: 10) { pageInfo { hasNextPage } edges { node {
        eventId name sender timestampMs checkpoint data } } } } }`,
    postgraphile: `{ adaptorByNetworkAndServiceTypeAndPublisher(network: "${network}", serviceType: "${serviceType}", publisher: "${publisher}") {
      serviceType publisher version updatedAtMs manifest { name summary }
      versions(first: 10, orderBy: [CHECKPOINT_DESC, TX_INDEX_DESC, EVENT_INDEX_DESC]) {
        pageInfo { hasNextPage } edges { node { version listed manifestHash timestampMs checkpoint } } }
      events(first: 10, orderBy: [CHECKPOINT_DESC, TX_INDEX_DESC, EVENT_INDEX_DESC]) {
        pageInfo { hasNextPage } edges { node { eventId name sender timestampMs checkpoint data } } } } }`,
  },
  'the wallets of an owner': {
    ours: `{ wallets(owner: "${owner}", first: 10) { pageInfo { hasNextPage } edges { node {
      walletId owner identity paused createdMs grants { serviceType coin allowance grantedMs }
      delegates(first: 5) { edges { node { address addedMs } } } } } } }`,
    postgraphile: `{ allWallets(first: 10, condition: { network: "${network}", owner: "${owner}" },
      orderBy: [CREATED_CHECKPOINT_DESC]) { pageInfo { hasNextPage } edges { node {
      walletId owner identity paused createdMs grants { nodes { serviceType coin allowance grantedMs } }
      delegates(first: 5, orderBy: [ADDRESS_ASC]) { edges { node { address addedMs } } } } } } }`,
  },
};

/**
 * Requests per second for three typical queries of the graph. The limit is a bare server that runs the same statements and
 * sends their rows as JSON, with the same headers; PostGraphile answers the same fields from views of the same tables. Each
 * has a process of its own, and they are loaded in turn; the results are medians. The query that is furthest from its limit
 * counts.
 */
export async function run({ scale }: Options): Promise<Result> {
  const rounds = Math.max(1, Math.round(roundsFull * scale));
  await using stack = new AsyncDisposableStack();
  const dir = await mkdtemp(join(tmpdir(), 'bench-graph-'));
  stack.defer(() => rm(dir, { recursive: true, force: true }));
  const database = await startEmbeddedServer({ dir: join(dir, 'postgres'), volatile: true });
  stack.defer(() => database.stop());
  const db = openDatabase(database.url, { max: 1 });
  stack.defer(() => db.close());
  await migrateDatabase(db);
  for (const name of ['registry', 'wallet']) await readModelBuilder(db).source({ name });
  await fillGraph(db);
  await db.pool.query(views);

  const start = async (path: string, ...args: (string | number)[]): Promise<Server> => {
    const { process, said } = await startChild(path, [database.url, ...args], stack);
    return { process, url: String(said) };
  };
  const graph = await start('catalog/gateway-process.ts', '', 3 * statementsAtOnce);
  const file = join(dir, 'queries.json');
  const prepared: Record<string, Prepared> = {};
  for (const [name, { ours }] of Object.entries(queries)) {
    const statements = await recordStatements(db.pool, ours);
    prepared[buildKey(name)] = { statements, headers: await fetchHeaders(`${graph.url}/graphql`, ours) };
  }
  await writeFile(file, JSON.stringify(prepared));
  const bare = await start('graph/bare-process.ts', file, statementsAtOnce);
  const postgraphile = await start(join(await installPostgraphile(), 'server.mjs'), statementsAtOnce);

  const details: Result['details'] = { requestsAtOnce, rounds };
  const results: { ratio: number; value: number; limit: number }[] = [];
  for (const [name, texts] of Object.entries(queries)) {
    const loads = await loadInTurn(rounds, {
      graph: { server: { ...graph, url: `${graph.url}/graphql` }, query: texts.ours },
      bare: { server: { ...bare, url: `${bare.url}/${buildKey(name)}` }, query: texts.ours },
      postgraphile: { server: postgraphile, query: texts.postgraphile },
    });
    const { graph: ours, bare: limit, postgraphile: other } = loads;
    results.push({
      ratio: ours.perSecond / limit.perSecond,
      value: Math.round(ours.perSecond),
      limit: Math.round(limit.perSecond),
    });
    details[name] = [
      `${Math.round(ours.perSecond)} of ${Math.round(limit.perSecond)} requests/s`,
      `${round(ours.perSecond / limit.perSecond)} (by processor time ${round(ours.perCpuSecond / limit.perCpuSecond)})`,
      `PostGraphile ${Math.round(other.perSecond)}: ${round(ours.perSecond / other.perSecond)} times that ` +
        `(by processor time ${round(ours.perCpuSecond / other.perCpuSecond)})`,
    ].join(', ');
  }
  const worst = results.reduce((a, b) => (b.ratio < a.ratio ? b : a));
  return {
    name: 'graph',
    unit: 'requests/s',
    value: worst.value,
    limit: worst.limit,
    limitName: 'a bare server that runs the same statements and sends their rows as JSON',
    ratio: worst.ratio,
    aim: 0.65,
    details,
  };
}

const round = (ratio: number) => Math.round(ratio * 100) / 100;
const buildKey = (name: string) => name.replaceAll(' ', '-');

/** Headers of a single connection or of a single answer. */
const ownHeaders = ['connection', 'content-length', 'date', 'keep-alive'];

/** The headers of an answer of the graph, names and values in turn. */
async function fetchHeaders(url: string, query: string): Promise<string[]> {
  const body = JSON.stringify({ query });
  const answer = await request(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  });
  await answer.body.dump();
  return Object.entries(answer.headers).flatMap(([name, value]) =>
    ownHeaders.includes(name) ? [] : [name, String(value)],
  );
}

/** Executes a query once, and records its statements. */
async function recordStatements(pool: Queryable, query: string): Promise<Prepared['statements']> {
  const statements: Prepared['statements'] = [];
  const recorder = {
    query(statement: Prepared['statements'][number]) {
      statements.push(statement);
      return pool.query(statement);
    },
  } as unknown as Queryable;
  const contextValue = {
    db: recorder,
    manifests: createManifests(recorder),
    choose: () => network,
    requireSource: () => undefined,
    indexed: () => ({ checkpoint: null, sources: [] }),
  };
  const result = await execute({ schema, document: parse(query), contextValue });
  if (result.errors) throw new Error(`a query of the benchmark fails: ${result.errors[0]?.message}`);
  return statements;
}

interface Asked {
  server: Server;
  query: string;
}

/** Loads each server in turn with its query, after a round that warms it up. */
async function loadInTurn<Name extends string>(
  rounds: number,
  asked: Record<Name, Asked>,
): Promise<Record<Name, Load>> {
  const names = Object.keys(asked) as Name[];
  const loads = Object.fromEntries(names.map((name) => [name, [] as Load[]])) as Record<Name, Load[]>;
  for (let turn = 0; turn <= rounds; turn++) {
    for (const name of turn % 2 === 0 ? names : names.toReversed()) {
      const { server, query } = asked[name];
      const body = JSON.stringify({ query });
      const headers = { 'content-type': 'application/json' };
      if (turn === 0) await requireData(server, body, headers);
      const options = { connections: requestsAtOnce, duration: roundSeconds, headers, body };
      const one = await load(server, { ...options, method: 'POST' });
      if (turn > 0) loads[name].push(one);
    }
  }
  return Object.fromEntries(names.map((name) => [name, medianLoad(loads[name])])) as Record<Name, Load>;
}

/** An error comes with a 200 too, and quickly. */
async function requireData({ url }: Server, body: string, headers: Record<string, string>): Promise<void> {
  const answer = await request(url, { method: 'POST', headers, body });
  const text = await answer.body.text();
  if (text.includes('"errors"') || !text.includes('"data":{')) throw new Error(`${url} answers ${text}`);
}

const postgraphileFiles = ['package.json', '.npmrc', 'server.mjs'];

/**
 * PostGraphile needs another version of graphql, so it is installed into a folder of its own outside of the repository, once
 * for each content of its files. The `.npmrc` among them pins the versions by a date. Returns the folder.
 */
async function installPostgraphile(): Promise<string> {
  const source = new URL('graph/postgraphile/', import.meta.url);
  const hash = createHash('sha256');
  for (const name of postgraphileFiles) hash.update(await readFile(new URL(name, source)));
  const parent = join(
    process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'),
    'adaptor-marketplace',
    'postgraphile',
  );
  const dir = join(parent, hash.digest('hex').slice(0, 16));
  if (await stat(dir).catch(() => undefined)) return dir;
  await mkdir(parent, { recursive: true });
  const installing = await mkdtemp(join(parent, 'new-'));
  for (const name of postgraphileFiles) await cp(new URL(name, source), join(installing, name));
  const npm = process.env.npm_execpath;
  if (npm === undefined) throw new Error('Start the benchmark with npm: it installs PostGraphile.');
  await promisify(execFile)(process.execPath, [npm, 'install', '--no-audit', '--no-fund'], {
    cwd: installing,
  });
  await rename(installing, dir);
  return dir;
}
