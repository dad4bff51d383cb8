import { beforeAll, expect, test } from 'vitest';
import { useTestDatabase } from '../../../test/support/database.ts';
import { readPlans } from '../../../test/support/plans.ts';
import { readModelBuilder } from '../../../test/support/read-model.ts';
import type { Database } from '../../client.ts';
import { listingFilters, readHostListings } from '../catalog/listing.ts';
import type { Page } from '../page.ts';
import type { Queryable } from '../queryable.ts';
import { readConfirmations } from './operator.ts';
import { readHostRuns, readRuns } from './runs.ts';

const network = 'testnet';
const db = useTestDatabase();
beforeAll(async () => {
  const numbers = 'from generate_series(1, 20000) n';
  await db.pool.query(
    `insert into agent_runs (network, wallet_id, owner, action, request, request_hash, caller, agent, state, worker, started_at)
     select $1, 'w' || n, 'o', 'a', '{}', 'h', 'internal', 'g', case when n % 100 = 0 then 'unknown' else 'done' end, 1, now()
     ${numbers}`,
    [network],
  );
  await db.pool.query(
    `insert into agent_adaptors (network, service_type, publisher, version, package_id, manifest_hash, confirmed_at)
     select $1, 'type' || n, 'p', 1, 'pkg', 'h' || n, now() ${numbers}`,
    [network],
  );
  // Few are not shown: of each hundred, one without a manifest, one without a witness and one of an unverified publisher.
  await db.pool.query(
    `insert into listings (network, service_type, publisher, raw_service_type, package_id, manifest_uri, manifest_hash, version,
       listed, name, witness_check, registered_at, registered_checkpoint, registered_tx_index, registered_event_index, updated_at)
     select $1, 'type' || n, 'p', 'raw', 'pkg', 'uri', 'h' || n, 1, n % 1000 > 0, case when n % 100 <> 7 then 'n' end,
       case when n % 100 = 9 then 'invalid' else 'valid' end, now(), n, 0, 0, now() ${numbers}`,
    [network],
  );
  await db.pool.query(
    `insert into catalog_entries (network, service_type, publisher, package_id, manifest_uri, manifest_hash, version, updated_at,
       publisher_verified, warnings, op_misfits, registered_at, registered_checkpoint, registered_tx_index, registered_event_index,
       name, category, coins, search_text, front, revision)
     select network, service_type, publisher, package_id, manifest_uri, manifest_hash, 1, now(), registered_checkpoint % 100 <> 8,
       '[]', '[]', now(), registered_checkpoint, 0, 0, name, 'c', '{}', '', true, 1
     from listings where listed and name is not null and witness_check = 'valid'`,
  );
  await db.pool.query(
    `insert into manifest_fetches (network, hash, uri, status)
     select $1, 'h' || n, 'uri', case when n % 100 = 7 then 'unreachable' else 'verified' end ${numbers}`,
    [network],
  );
  await db.pool.query('vacuum analyze');
});

const limit = 3;
type Read = (db: Queryable, cursor?: string) => Promise<Page<unknown>>;
const pool = (of: Queryable) => of as unknown as Database['pool'];
const runs: Read = (of, cursor) => readHostRuns(pool(of), { filter: 'all', limit, cursor });
const unsettled: Read = (of, cursor) => readHostRuns(pool(of), { filter: 'unknown', limit, cursor });
const ofWallet: Read = (of, cursor) => readRuns(pool(of), { network, walletId: 'w7', limit, cursor });
const confirmations: Read = (of, cursor) => readConfirmations(pool(of), { limit, cursor });

const indexByFilter: Record<(typeof listingFilters)[number], RegExp> = {
  hidden: /listings_without_manifest.*listings_without_witness.*catalog_entries_hidden/s,
  manifest: /listings_without_manifest/,
  unlisted: /listings_unlisted/,
  all: /listings_network/,
};

test.each<[string, Read, RegExp, RegExp]>([
  ['runs', runs, /agent_runs_pkey/, /Index Cond: \(id </],
  ['runs that wait for the operator', unsettled, /agent_runs_open_by_id/, /Index Cond: \(id </],
  ['runs of a wallet', ofWallet, /agent_runs_of_wallet/, /Index Cond: .*wallet_id.*id </],
  ['confirmations', confirmations, /agent_adaptors_network/, /Index Cond: \(ROW\(a?\.?network/],
  ...listingFilters.map((filter): [string, Read, RegExp, RegExp] => [
    `listings (${filter})`,
    (of, cursor) => readHostListings(of, { network, filter, limit, cursor }),
    indexByFilter[filter],
    /Index Cond: .*ROW\(\(?l?\.?service_type/,
  ]),
])('an index answers each page of the operator: %s', async (_, read, index, where) => {
  const first = await read(db.pool);
  for (const cursor of [undefined, first.cursors.at(-1)]) {
    const plan = (await readPlans(db.pool, (explaining) => read(explaining, cursor))).join('\n');
    expect(plan).toMatch(index);
    expect(plan).toMatch(where);
    expect(plan).not.toMatch(/Seq Scan on (agent_runs|agent_adaptors|listings|manifest_fetches)/);
  }
});

test('the operator finds every listing that is not shown, and every one whose manifest fails, page by page', async () => {
  const seed = readModelBuilder(db);
  const main = 'mainnet';
  const checks = (['verified', 'unverified', 'pending'] as const).flatMap((publisherCheck) =>
    (['valid', 'invalid', 'pending'] as const).map((witnessCheck) => ({ publisherCheck, witnessCheck })),
  );
  const rows = [{}, { listed: false }, { manifestError: 'e' }, { nameError: 'e' }];
  for (const row of rows.flatMap((one) => checks.map((other) => ({ ...one, ...other })))) {
    const { serviceType } = await seed.listing({ network: main, row });
    // Of several verified publishers, the earliest is shown.
    await seed.listing({ network: main, serviceType });
  }
  for (const status of ['pending', 'mismatch', 'invalid', 'unreachable', 'verified']) {
    for (const row of [{}, { witnessCheck: 'pending' as const }, { listed: false }]) {
      const { serviceType } = await seed.listing({ network: main, fetched: false, row });
      await db.pool.query(
        `insert into manifest_fetches (network, hash, uri, status)
         select network, manifest_hash, manifest_uri, $2 from listings where service_type = $1`,
        [serviceType, status],
      );
    }
  }
  const walk = async (filter: (typeof listingFilters)[number]) => {
    const found = [];
    for (let cursor: string | undefined, more = true; more; ) {
      const page = await readHostListings(db.pool, { network: main, filter, limit, cursor });
      found.push(...page.items);
      [cursor, more] = [page.cursors.at(-1), page.hasMore];
    }
    return found;
  };
  const listed = (await walk('all')).filter((listing) => listing.listed);
  expect(listed.length).toBeGreaterThan(60);
  const hidden = listed.filter(({ shownPublisher, publisher }) => shownPublisher !== publisher);
  expect(hidden.length).toBeLessThan(listed.length);
  expect(await walk('hidden')).toEqual(hidden);
  const fails = ({ manifestError, fetchStatus }: (typeof listed)[number]) =>
    manifestError !== null || ['mismatch', 'invalid', 'unreachable'].includes(fetchStatus ?? '');
  expect(await walk('manifest')).toEqual(listed.filter(fails));
});
