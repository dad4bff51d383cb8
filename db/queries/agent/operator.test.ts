import { afterAll, beforeAll, expect, test } from 'vitest';
import { createMigratedDatabase } from '../../../test/support/database.ts';
import { plansOf } from '../../../test/support/plans.ts';
import { type Database, openDatabase } from '../../client.ts';
import { listingFilters, readHostListings } from '../catalog/listing.ts';
import type { Page } from '../page.ts';
import type { Queryable } from '../queryable.ts';
import { readConfirmations } from './operator.ts';
import { readHostRuns, readRuns } from './runs.ts';

let created: Awaited<ReturnType<typeof createMigratedDatabase>>;
let db: Database;
const network = 'testnet';
beforeAll(async () => {
  created = await createMigratedDatabase();
  db = openDatabase(created.url, { max: 2 });
  const numbers = 'from generate_series(1, 20000) n';
  await db.pool.query(
    `insert into agent_runs (network, wallet_id, owner, action, request, request_hash, caller, agent, state, worker, started_at)
     select $1, 'w' || n, 'o', 'a', '{}', 'h', 'internal', 'g', case when n % 100 = 0 then 'unknown' else 'done' end, 1, now()
     ${numbers}`,
    [network],
  );
  await db.pool.query(
    `insert into agent_adaptors (network, service_type, publisher, package_id, manifest_hash, confirmed_at)
     select $1, 'type' || n, 'p', 'pkg', 'h' || n, now() ${numbers}`,
    [network],
  );
  await db.pool.query(
    `insert into listings (network, service_type, publisher, raw_service_type, package_id, manifest_uri, manifest_hash, version,
       listed, registered_at, registered_checkpoint, registered_tx_index, registered_event_index, updated_at)
     select $1, 'type' || n, 'p', 'raw', 'pkg', 'uri', 'h' || n, 1, n % 1000 > 0, now(), n, 0, 0, now() ${numbers}`,
    [network],
  );
  await db.pool.query(
    `insert into manifest_fetches (network, hash, uri, status) select $1, 'h' || n, 'uri', 'unreachable' ${numbers}`,
    [network],
  );
  await db.pool.query('vacuum analyze');
});
afterAll(async () => {
  await db.close();
  await created.drop();
});

const limit = 3;
type Read = (db: Queryable, cursor?: string) => Promise<Page<unknown>>;
const pool = (of: Queryable) => of as unknown as Database['pool'];
const runs: Read = (of, cursor) => readHostRuns(pool(of), { filter: 'all', limit, cursor });
const unsettled: Read = (of, cursor) => readHostRuns(pool(of), { filter: 'unknown', limit, cursor });
const ofWallet: Read = (of, cursor) => readRuns(pool(of), { network, walletId: 'w7', limit, cursor });
const confirmations: Read = (of, cursor) => readConfirmations(pool(of), { limit, cursor });

test.each<[string, Read, RegExp, RegExp]>([
  ['runs', runs, /agent_runs_pkey/, /Index Cond: \(id </],
  ['runs that wait for the operator', unsettled, /agent_runs_open_by_id/, /Index Cond: \(id </],
  ['runs of a wallet', ofWallet, /agent_runs_of_wallet/, /Index Cond: .*wallet_id.*id </],
  ['confirmations', confirmations, /agent_adaptors_network/, /Index Cond: \(ROW\(a?\.?network/],
  ...listingFilters.map((filter): [string, Read, RegExp, RegExp] => [
    `listings (${filter})`,
    (of, cursor) => readHostListings(of, { network, filter, limit, cursor }),
    filter === 'unlisted' ? /listings_unlisted/ : /listings_(network|unlisted)/,
    /Index Cond: .*ROW\(\(?l?\.?service_type/,
  ]),
])('an index answers each page of the operator: %s', async (_, read, index, where) => {
  const first = await read(db.pool);
  for (const cursor of [undefined, first.cursors.at(-1)]) {
    const plan = (await plansOf(db.pool, (explaining) => read(explaining, cursor))).join('\n');
    expect(plan).toMatch(index);
    expect(plan).toMatch(where);
    expect(plan).not.toMatch(/Seq Scan on (agent_runs|agent_adaptors|listings|manifest_fetches)/);
  }
});
