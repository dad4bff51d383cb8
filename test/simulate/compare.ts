import { buildRequest } from '../support/build-request.ts';
import type { World } from '../support/world/world.ts';
import type { Acts } from './acts/actors.ts';
import type { Credentials } from './credentials.ts';
import { foldChain, type Oracle } from './oracle/index.ts';
import { writeRow } from './oracle/rows.ts';
import type { Reader } from './reader.ts';
import type { Receiver } from './receiver.ts';
import type { Runs } from './runs.ts';
import type { Subscribers } from './subscribers.ts';
import { expectDeliveries } from './subscriptions.ts';

/** Differences that are listed at most, of each kind. */
const listedMax = 5;

const tableQueries: Readonly<Record<keyof Oracle['tables'], string>> = {
  events: `select tx_digest || ':' || event_index, sender, encode(contents, 'hex') from events`,
  listings: `select service_type, publisher, version, package_id, manifest_uri, manifest_hash, listed from listings`,
  versions: `select service_type, publisher, version, listed, package_id, manifest_hash from listing_versions`,
  attestations: `select e.tx_digest || ':' || a.event_index, a.service_type, a.attester, a.score,
      (extract(epoch from a.timestamp) * 1000)::bigint
    from attestations a join events e using (network, checkpoint, tx_index, event_index)`,
  wallets: `select wallet_id, owner, paused from wallets`,
  delegates: `select wallet_id, delegate from delegates`,
  grants: `select wallet_id, service_type, coin, allowance::text from service_grants`,
  uses: `select service_type, wallet_id, actions::int from service_vaults`,
  jobs: `select job_id, wallet_id, provider, amount::text, state, assessor, note, refund_reason from jobs`,
};

/** A listing as one of the doors shows it. */
interface Shown {
  serviceType: string;
  publisher: string;
  version: number;
  manifestHash: string;
}

/** Records of what happened, beside the chain. */
interface Records {
  acts: Acts;
  receiver: Receiver;
  subscribers: Subscribers;
  reader: Reader;
  runs: Runs;
  credentials: Credentials;
  apiKey: string;
}

/**
 * Compares what the world has and shows with the oracle: tables, REST of each gateway, graph, SQL, the feed of revisions,
 * what the receiver and the reader got, the runs of the agent, and which credentials work. @returns differences, in words
 */
export async function compareWorld(
  world: World,
  { acts, receiver, subscribers, reader, runs, credentials, apiKey }: Records,
): Promise<string[]> {
  const oracle = await foldChain(world, acts);
  const differences: string[] = [];
  const differ = (what: string, missing: Iterable<string>, extra: Iterable<string>) => {
    for (const [word, rows] of [
      ['lacks', [...missing]],
      ['has beyond', [...extra]],
    ] as const) {
      if (rows.length > 0)
        differences.push(
          `${what} ${word} ${rows.length} of the expected: ${rows.slice(0, listedMax).join(' ')}`,
        );
    }
  };
  for (const [table, query] of Object.entries(tableQueries)) {
    const expected = oracle.tables[table as keyof Oracle['tables']];
    const { rows } = await world.db.pool.query<unknown[]>({ text: query, rowMode: 'array' });
    const found = new Set(rows.map(writeRow));
    if (found.size !== rows.length) differences.push(`${table} has ${rows.length - found.size} rows twice`);
    differ(table, expected.difference(found), found.difference(expected));
  }
  const doors = new Map<string, Shown[]>();
  for (const [at, url] of world.gateways.entries()) doors.set(`REST of gateway ${at}`, await readRest(url));
  const [gateway = ''] = world.gateways;
  doors.set('feed of revisions', await readRevisions(gateway));
  doors.set('graph', await readGraph(gateway));
  for (const [door, shown] of doors) {
    const found = new Map(shown.map((one) => [`${one.serviceType} ${one.publisher}`, one]));
    const wrong = [...oracle.shown].flatMap(([key, { version, manifestHash }]) => {
      const one = found.get(key);
      return one?.version === version && one.manifestHash === manifestHash ? [] : [`${key} ${version}`];
    });
    differ(
      door,
      wrong,
      [...oracle.hidden].filter((key) => found.has(key)),
    );
  }
  const shown = doors.get('REST of gateway 0') ?? [];
  const first = new Set(shown.map(writeShown));
  for (const [door, others] of doors) {
    const rows = new Set(others.map(writeShown));
    differ(`${door}, beside REST,`, first.difference(rows), rows.difference(first));
  }
  const keys = new Set(shown.map(({ serviceType, publisher }) => writeRow([serviceType, publisher])));
  const sql = new Set(await readSql(gateway, apiKey));
  differ('SQL', keys.difference(sql), sql.difference(keys));

  for (const subscription of subscribers.subscriptions) {
    const { must, may } = expectDeliveries(subscription, oracle.registryEvents);
    const { paths } = subscription;
    const got = new Set(paths.flatMap((path) => [...(receiver.received.get(path)?.keys() ?? [])]));
    differ(`receiver of ${paths}`, must.difference(got), got.difference(may));
  }
  for (const [path, count] of receiver.forged)
    differences.push(`${count} deliveries to ${path} have a wrong signature`);
  const registryEventIds = new Set(oracle.registryEvents.map(({ id }) => id));
  const read = new Set(reader.read.keys());
  differ('stream of events', registryEventIds.difference(read), read.difference(registryEventIds));
  const twice = [...reader.read].filter(([, times]) => times > 1).map(([id]) => id);
  differ('stream of events, without repetitions,', [], twice);
  return [...differences, ...(await compareRuns(world, oracle, runs)), ...(await credentials.compare())];
}

/**
 * Compares the stored runs, and what their sender heard, with the chain: a run that is done has one transaction, any other
 * has none, and the agent has sent nothing else.
 */
async function compareRuns(
  { db }: World,
  { payments, senders }: Oracle,
  { requests, earlier }: Runs,
): Promise<string[]> {
  const differences: string[] = [];
  const { rows } = await db.pool.query<{ requestId: string; state: string; sender: string; digest: string }>(
    `select request_id as "requestId", state, sender, digest from agent_runs order by attempt`,
  );
  const stored = Map.groupBy(rows, ({ requestId }) => requestId);
  for (const [requestId, { action, recipient, end }] of requests) {
    const attempts = stored.get(requestId) ?? [];
    const states = attempts.map(({ state }) => state);
    const open = states.filter((state) => state !== 'done' && state !== 'failed');
    const done = attempts.filter(({ state }) => state === 'done');
    const executed = done.filter(({ digest }) => senders.has(digest));
    const paid = recipient === undefined ? done.length : (payments.get(recipient) ?? 0);
    const isHeard = end === undefined || (end === 'done') === (done.length === 1);
    if (
      open.length > 0 ||
      done.length > 1 ||
      executed.length < done.length ||
      paid !== done.length ||
      !isHeard
    )
      differences.push(
        `${action} ${requestId}: stored ${states}, heard ${end}, executed ${executed.length}, paid ${paid} times`,
      );
  }
  const recorded = rows.flatMap(({ state, digest }) => (state === 'done' ? [digest] : []));
  if (new Set(recorded).size < recorded.length) differences.push('runs have the same transaction');
  const agents = new Set(rows.map(({ sender }) => sender));
  const sent = [...senders].flatMap(([digest, sender]) =>
    agents.has(sender) && !earlier.has(digest) ? [digest] : [],
  );
  const beyond = new Set(sent).difference(new Set(recorded));
  if (beyond.size > 0)
    differences.push(
      `no run has ${beyond.size} transactions of the agent: ${[...beyond].slice(0, listedMax)}`,
    );
  const leased = await db.pool.query(
    'select from agent_gas_coins where run is not null or split is not null',
  );
  if (leased.rowCount) differences.push(`${leased.rowCount} gas coins belong to runs that have ended`);
  return differences;
}

const writeShown = (one: Shown): string =>
  writeRow([one.serviceType, one.publisher, one.version, one.manifestHash]);

async function readJson(url: string, init?: RequestInit) {
  const answer = await fetch(url, { ...init, signal: AbortSignal.timeout(10_000) });
  if (!answer.ok) throw new Error(`${url}: ${answer.status} ${await answer.text()}`);
  return await answer.json();
}

// biome-ignore lint/suspicious/noExplicitAny: entries come from the service that is judged
const pickShown = ({ serviceType, publisher, version, manifestHash }: any): Shown => ({
  serviceType,
  publisher,
  version,
  manifestHash,
});

async function readRest(gateway: string): Promise<Shown[]> {
  const shown: Shown[] = [];
  for (let cursor = ''; ; ) {
    const { adaptors, nextCursor } = await readJson(`${gateway}/api/adaptors?limit=50${cursor}`);
    shown.push(...adaptors.map(pickShown));
    if (!nextCursor) return shown;
    cursor = `&cursor=${encodeURIComponent(nextCursor)}`;
  }
}

async function readRevisions(gateway: string): Promise<Shown[]> {
  const shown = new Map<string, Shown>();
  for (let since = 0; ; ) {
    const page = await readJson(`${gateway}/api/adaptors?sinceRevision=${since}`);
    for (const one of page.removed) shown.delete(`${one.serviceType} ${one.publisher}`);
    for (const one of page.changed) shown.set(`${one.serviceType} ${one.publisher}`, pickShown(one));
    since = page.nextRevision;
    if (!page.hasMore) return [...shown.values()];
  }
}

async function readGraph(gateway: string): Promise<Shown[]> {
  const shown: Shown[] = [];
  for (let after: string | null = null; ; ) {
    const query = `query ($after: String) { adaptors(first: 50, after: $after) {
      pageInfo { hasNextPage endCursor }
      edges { node { serviceType publisher version manifestHash } } } }`;
    const { data, errors } = await readJson(
      `${gateway}/graphql`,
      buildRequest({ query, variables: { after } }),
    );
    if (errors) throw new Error(JSON.stringify(errors));
    for (const { node } of data.adaptors.edges) shown.push(pickShown(node));
    if (!data.adaptors.pageInfo.hasNextPage) return shown;
    after = data.adaptors.pageInfo.endCursor;
  }
}

/** Reads the keys alone: the view has the latest version of a listing, also while an earlier one is shown. */
async function readSql(gateway: string, apiKey: string): Promise<string[]> {
  const sql = 'select service_type, publisher from adaptors where shown';
  const { rows } = await readJson(`${gateway}/api/sql`, buildRequest({ sql }, { 'x-api-key': apiKey }));
  return rows.map(writeRow);
}
