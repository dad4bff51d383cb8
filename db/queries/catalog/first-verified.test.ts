import type { ClientBase, QueryConfig } from 'pg';
import { beforeEach, expect, test } from 'vitest';
import { useTestDatabase } from '../../../test/support/database.ts';
import { address } from '../../../test/support/read-model.ts';
import { inTransaction } from '../../transaction.ts';
import { ensureSource } from '../sources.ts';
import { refreshEntries } from './maintain.ts';
import { quarantine, release } from './quarantines.ts';
import { lockCatalog } from './revision.ts';

const network = 'testnet';
const db = useTestDatabase();
beforeEach(async () => {
  await db.pool.query(`truncate listings, manifests, manifest_fetches, catalog_entries, catalog_removals, catalog_state,
    quarantines, service_events, sources, publishers_due`);
  await ensureSource(db.pool, { network, name: 'registry' }, ['registry']);
  await db.pool.query(
    `with m as (insert into manifests (hash, body) values ('ff', '{"name": "A", "category": "Swap", "summary": "", "ops": []}'))
      insert into manifest_fetches (network, hash, uri, status, next_attempt_at)
      values ($1, 'ff', 'walrus://1', 'verified', null)`,
    [network],
  );
});

const history = '2020-01-01T00:00:00Z';
const future = '2100-01-01T00:00:00Z';

/** Stores listings, each of a service type and a publisher of its own, with a version of a time. Returns their keys. */
async function list(updatedAt: string, count = 1, check = 'verified') {
  const { rows } = await db.pool.query<{ serviceType: string; publisher: string }>(
    `insert into listings (network, service_type, publisher, raw_service_type, name, name_skeleton, package_id, manifest_uri,
        manifest_hash, version, listed, registered_at, registered_checkpoint, registered_tx_index, registered_event_index,
        updated_at, publisher_check, witness_check, next_check_at)
      select $1, 'type' || n, 'publisher' || n, '', 'A', 'a', $2, 'walrus://1', 'ff', 1, true, $3, 1, n, 0, $3::timestamptz, $5,
        'valid', null
      from generate_series(1, $4::int) n returning service_type as "serviceType", publisher`,
    [network, address(1), updatedAt, count, check],
  );
  return rows;
}

type Keys = Awaited<ReturnType<typeof list>>;

const refresh = (keys: Keys, after: (client: ClientBase) => void = () => undefined) =>
  inTransaction(db.pool, async (client) => {
    await refreshEntries(client, await lockCatalog(client, network), keys);
    after(client);
  });

const judge = (check: string) => db.pool.query('update listings set publisher_check = $1', [check]);

const readEvents = async () =>
  (
    await db.pool.query(
      `select number, name, service_type as "serviceType", publisher from service_events order by number`,
    )
  ).rows;

const verified = (number: number, key: Keys[number]) => ({ number, name: 'PublisherVerified', ...key });

test('subscribers are notified once when the publisher of a listing is verified, whatever happens to it later', async () => {
  const keys = await list(future, 2, 'unverified');
  await refresh(keys);
  expect(await readEvents()).toEqual([]);
  for (const check of ['verified', 'unverified', 'verified']) {
    await judge(check);
    await refresh(keys);
  }
  const decision = { network, subject: 'type1', operator: 'Ada', reason: 'r' };
  await quarantine(db.pool, decision);
  await release(db.pool, decision);
  const events = await readEvents();
  expect(events.slice(0, 2)).toEqual([verified(1, keys[0]!), verified(2, keys[1]!)]);
  expect(events.slice(2).map(({ name }) => name)).toEqual(['Quarantined', 'QuarantineLifted']);
});

test('an indexer that is killed before the commit leaves the event to the next one', async () => {
  const keys = await list(future);
  const killed = refresh(keys, () => {
    throw new Error('killed');
  });
  await expect(killed).rejects.toThrow('killed');
  expect(await readEvents()).toEqual([]);
  await refresh(keys);
  await refresh(keys);
  expect(await readEvents()).toEqual([verified(1, keys[0]!)]);
});

test('a listing from before the first start adds no event, and its later version adds one if it is verified first then', async () => {
  const keys = await list(history);
  await refresh(keys);
  expect(await readEvents()).toEqual([]);
  await db.pool.query('truncate listings, catalog_entries');
  await list(history, 1, 'unverified');
  await refresh(keys);
  await db.pool.query(`update listings set updated_at = $1, publisher_check = 'verified'`, [future]);
  await refresh(keys);
  expect(await readEvents()).toEqual([verified(1, keys[0]!)]);
});

test('a restart after a gap adds the events of what was listed meanwhile', async () => {
  await db.pool.query(`update sources set followed_since = '2019-01-01Z'`);
  await ensureSource(db.pool, { network, name: 'registry' }, ['registry']);
  const keys = await list(history);
  await refresh(keys);
  expect(await readEvents()).toEqual([verified(1, keys[0]!)]);
});

/** Maximum number of listings that a check of the indexer stores in one transaction. */
const batch = 500;

/** Refreshes these listings as the indexer does. Returns the number of statements by name. */
async function countStatements(keys: Keys): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (let from = 0; from < keys.length; from += batch) {
    await inTransaction(db.pool, async (client) => {
      const counting = {
        query(statement: QueryConfig) {
          counts[statement.name!] = (counts[statement.name!] ?? 0) + 1;
          return client.query(statement);
        },
      } as unknown as ClientBase;
      await refreshEntries(counting, await lockCatalog(counting, network), keys.slice(from, from + batch));
    });
    await db.pool.query('analyze catalog_entries, listings');
  }
  return counts;
}

test('the first synchronisation of ten thousand listings adds no statement, and each transaction of new listings two', async () => {
  const old = await countStatements(await list(history, 10_000));
  expect(old).toMatchObject({ 'refresh-entries': 10_000 / batch });
  expect(old).not.toHaveProperty('append-service-events');
  expect(await readEvents()).toEqual([]);
  await db.pool.query('truncate listings, catalog_entries, catalog_state, publishers_due');
  const fresh = await countStatements(await list(future, batch));
  const forEach = Object.entries(old).map(([name, count]) => [name, (count * batch) / 10_000]);
  expect(fresh).toEqual({
    ...Object.fromEntries(forEach),
    'lock-until-commit': 1,
    'append-service-events': 1,
  });
  expect(await readEvents()).toHaveLength(batch);
});
