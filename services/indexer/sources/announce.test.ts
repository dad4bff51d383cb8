import fc from 'fast-check';
import type { ClientBase, PoolClient } from 'pg';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { transact } from '../../../db/transaction.ts';
import { registryEvents } from '../../../lib/chain/events/registry.ts';
import { rulesEvents } from '../../../lib/chain/events/rules.ts';
import { useTestDatabase } from '../../../test/support/database.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { type GeneratedTransaction, id, registryPackageId } from '../../../test/support/frames/chain.ts';
import { generateMarket } from '../../../test/support/frames/market/generate.ts';
import { expectedMarket } from '../../../test/support/frames/market/oracle.ts';
import { transactionMessage } from '../../../test/support/frames/messages.ts';
import { packageIds } from '../../../test/support/frames/packages.ts';
import { expectedTables } from '../../../test/support/frames/registry-oracle.ts';
import { registrySource } from './registry.ts';
import { rulesSource } from './rules.ts';
import { decodeEvents, type EventData, type Source } from './source.ts';

let client: PoolClient;
let other: PoolClient;
const db = useTestDatabase();
beforeAll(async () => {
  client = await db.pool.connect();
  other = await db.pool.connect();
});
afterAll(async () => {
  client.release();
  other.release();
});
const empty = () =>
  client.query('truncate listings, listing_versions, attestations, rules, manifests, manifest_fetches');
beforeEach(empty);

const sources = {
  registry: { source: registrySource as Source<EventData>, prefix: `${registryPackageId}::registry` },
  rules: { source: rulesSource as Source<EventData>, prefix: packageIds.rules },
};

/** Stores transactions through the source, within the open transaction of the connection. */
async function take(
  on: ClientBase,
  name: keyof typeof sources,
  transactions: GeneratedTransaction[],
): Promise<void> {
  const { source, prefix } = sources[name];
  const events = transactions.flatMap((made) => decodeEvents(transactionMessage(made), source, [prefix]));
  const [first] = events;
  if (!first) return;
  await source.append(on, 'testnet', events);
  await source.settle?.(on, 'testnet', first);
}

interface Fetch {
  hash: string;
  uri: string;
}

async function fetches(): Promise<Fetch[]> {
  const { rows } = await client.query<Fetch>('select hash, uri from manifest_fetches');
  return sorted(rows);
}

const sorted = (rows: Fetch[]) =>
  [...new Map(rows.map((row) => [`${row.hash} ${row.uri}`, row]))]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, row]) => row);

test('in whatever order listings and rules come and change, what is fetched is exactly what they name', async () => {
  const steps = fc.array(
    fc.record({
      name: fc.constantFrom('registry' as const, 'rules' as const),
      size: fc.integer({ min: 1, max: 40 }),
    }),
    { minLength: 1, maxLength: 40 },
  );
  let [shared, forgotten] = [0, 0];
  await fc.assert(
    fc.asyncProperty(fc.integer(), steps, async (seed, plan) => {
      await empty();
      const chain = generateMarket({ seed, transactions: 150, size: 3, actions: 0, kinds: 0.6 });
      const at = { registry: 0, rules: 0 };
      const rest = (['registry', 'rules'] as const).map((name) => ({ name, size: Number.MAX_SAFE_INTEGER }));
      for (const { name, size } of [...plan, ...rest]) {
        const part = chain.transactions.slice(at[name], at[name] + size);
        at[name] += size;
        await transact(client, () => take(client, name, part));
      }
      const listed = expectedTables(chain).listings.map((row) => ({
        hash: row.manifestHash as string,
        uri: row.manifestUri as string,
      }));
      const rules = expectedMarket(chain).rules.map((row) => ({
        hash: row.manifest_hash as string,
        uri: row.manifest_uri as string,
      }));
      const expected = sorted([...listed, ...rules]);
      expect(await fetches()).toEqual(expected);
      if (listed.some(({ uri }) => rules.some((rule) => rule.uri === uri))) shared++;
      const { rows } = await client.query<{ count: number }>(
        'select count(distinct manifest_uri)::int as count from listing_versions',
      );
      if ((rows[0]?.count ?? 0) > sorted(listed).length) forgotten++;
    }),
    { numRuns: 25, endOnFailure: true },
  );
  expect([shared > 0, forgotten > 0]).toEqual([true, true]);
});

const manifest = { manifestUri: 'https://publisher.example/manifest.json', manifestHash: 'ab'.repeat(32) };
const moved = { manifestUri: 'https://publisher.example/2.json', manifestHash: 'cd'.repeat(32) };

const transaction = (checkpoint: number, type: string, contents: Uint8Array): GeneratedTransaction => ({
  checkpoint,
  txIndex: 0,
  digest: `digest${checkpoint}`,
  timestampMs: checkpoint,
  sender: id(100),
  events: [{ type, contents }],
});
const about = { packageId: id(1), publisher: id(100), version: 1, timestampMs: 1 };
const type = `${id(1)}::adaptor::Adaptor`;
const listing = (checkpoint: number, named: typeof manifest) =>
  transaction(
    checkpoint,
    `${registryPackageId}::registry::Registered`,
    registryEvents.encode('Registered', { ...about, ...named, serviceType: type }),
  );
const rule = (checkpoint: number, named: typeof manifest) =>
  transaction(
    checkpoint,
    `${packageIds.rules}::registry::Registered`,
    rulesEvents.encode('registry::Registered', { ...about, ...named, ruleType: type, kind: 'auth' }),
  );

/** Runs `waiting` while `holding` has done its part and not committed, so that `waiting` has to wait. */
async function meet(holding: (on: ClientBase) => Promise<void>, waiting: (on: ClientBase) => Promise<void>) {
  let waited: Promise<void> | undefined;
  await transact(other, async () => {
    await holding(other);
    waited = transact(client, () => waiting(client));
    waited.catch(() => undefined);
    await eventually(async () => {
      const { rows } = await db.pool.query(
        `select from pg_stat_activity where pid = $1 and wait_event_type = 'Lock'`,
        [(client as PoolClient & { processID: number }).processID],
      );
      expect(rows).toHaveLength(1);
    });
  });
  await waited;
}

test('a manifest that a rule begins to name while its listing leaves it is still to be fetched, and the other way round', async () => {
  await transact(client, () => take(client, 'registry', [listing(1, manifest)]));
  await meet(
    (on) => take(on, 'rules', [rule(2, manifest)]),
    (on) => take(on, 'registry', [listing(3, moved)]),
  );
  const [first, second] = [manifest, moved].map(({ manifestHash: hash, manifestUri: uri }) => ({
    hash,
    uri,
  }));
  expect(await fetches()).toEqual([first, second]);
  await meet(
    (on) => take(on, 'registry', [listing(4, manifest)]),
    (on) => take(on, 'rules', [rule(5, moved)]),
  );
  expect(await fetches()).toEqual([first, second]);
  await transact(client, () => take(client, 'rules', [rule(6, manifest)]));
  expect(await fetches()).toEqual([first]);
});

test('a manifest that is known already is judged as soon as it is named', async () => {
  const body = { name: 'Rule', ruleType: type, packageId: id(1) };
  await client.query('insert into manifests (hash, body) values ($1, $2)', [manifest.manifestHash, body]);
  await transact(client, () => take(client, 'rules', [rule(1, manifest)]));
  await transact(client, () => take(client, 'registry', [listing(2, manifest)]));
  const errors = await client.query(
    `select 'rule' as of, manifest_error from rules union all select 'listing', manifest_error from listings`,
  );
  expect(errors.rows).toEqual([
    { of: 'rule', manifest_error: null },
    { of: 'listing', manifest_error: "The manifest is a rule's, the listing an adaptor's." },
  ]);
  const { rows } = await client.query('select status, next_attempt_at from manifest_fetches');
  expect(rows).toEqual([{ status: 'verified', next_attempt_at: null }]);
});
