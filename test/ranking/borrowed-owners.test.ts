import { readFile } from 'node:fs/promises';
import type { ClientBase } from 'pg';
import { beforeAll, expect, test } from 'vitest';
import { addOwners } from '../../db/queries/catalog/credits.ts';
import { ranking, refreshRanks } from '../../db/queries/catalog/ranks.ts';
import { lockCatalog } from '../../db/queries/catalog/revision.ts';
import { inTransaction } from '../../db/transaction.ts';
import { address, type ListingSeed } from '../support/read-model.ts';
import { useForFile } from '../support/use-for-file.ts';
import { network, openMarket } from './market.ts';
import { findSmallestScale, firstPage, goal } from './price.ts';

/** Attacks that use what the owners of the market have paid. Owners with 100 SUI and more come first. */
const db = useForFile(openMarket);
beforeAll(async () => {
  await db.pool.query(
    `insert into wallets (network, wallet_id, owner, identity, created_checkpoint, created_tx_index, created_event_index, created_at)
      select $1, 'wallet of ' || owner, owner, owner, 1, 0, row_number() over (order by paid < 100e9, owner), now() - interval '1 year'
      from owner_payments where paid > 0`,
    [network],
  );
});

/** Uses of the attacker's first listing by wallets of the market. */
interface BorrowedUse {
  owners: number;
  /** Uses by each wallet. */
  uses: number;
  signedBy: 'owner' | 'delegate' | null;
}

interface Reached {
  place: number;
  /** SUI that these owners have paid to the payee, with at most 100 SUI each. */
  paid: number;
}

/** Stores the uses at the place where the indexer does, and computes the ranks. */
async function storeUse(client: ClientBase, { owners, uses, signedBy }: BorrowedUse): Promise<void> {
  await client.query(
    `insert into service_actions (network, checkpoint, tx_index, event_index, service_type, wallet_id, owner, signed_by, actors, timestamp)
      select $1, 1000000, created_event_index, n, $2, wallet_id, owner, $3, array[owner], now()
      from wallets cross join generate_series(1, $4) n where created_event_index <= $5`,
    [network, db.attacking[0]!.serviceType, signedBy, uses, owners],
  );
  const catalog = await lockCatalog(client, network);
  await addOwners(client, catalog, { checkpoint: 1_000_000, txIndex: 0 });
  await refreshRanks(client, catalog, Number.MAX_SAFE_INTEGER);
}

/** Runs an attack, and undoes it. */
async function borrow(use: BorrowedUse): Promise<Reached> {
  const client = await db.pool.connect();
  try {
    await client.query('begin');
    await storeUse(client, use);
    const { rows } = await client.query<Reached>(
      `select (select 1 + count(*)::int from catalog_entries e
          where e.shown and e.rank > (select rank from catalog_entries where service_type = $1)) as place,
        (select sum(least(p.paid, 100e9))::float8 / 1e9 from owner_payments p join wallets w on w.owner = p.owner
          where w.created_event_index <= $2) as paid`,
      [db.attacking[0]!.serviceType, use.owners],
    );
    return rows[0]!;
  } finally {
    await client.query('rollback');
    client.release();
  }
}

const ownersMax = 600;
const findOwners = (use: Omit<BorrowedUse, 'owners'>) =>
  findSmallestScale(async (owners) => (await borrow({ owners, ...use })).place <= firstPage, ownersMax);

test('what a service does alone in the wallets of proven owners that granted it leads nowhere', async () => {
  const { place } = await borrow({ owners: 5_000, uses: 10, signedBy: null });
  expect(place).toBeGreaterThan(1_000);
}, 120_000);

test('a delegate of proven owners needs as many of them for the listing of a partner as if each signed one use', async () => {
  const owners = await findOwners({ uses: ranking.fullUses, signedBy: 'delegate' });
  expect(owners).toBe(await findOwners({ uses: 1, signedBy: 'owner' }));
  const { paid } = await borrow({ owners: owners!, uses: 1, signedBy: 'delegate' });
  expect(paid).toBeGreaterThanOrEqual(goal);
  expect(await readFile('docs/ranking.md', 'utf8')).toContain(
    `needs ${owners} of them, who have paid ${Math.round(paid).toLocaleString('en')} SUI`,
  );
}, 300_000);

test('namesakes have no part in the use of a listing, and one service has one place, however many addresses verified it', async () => {
  const { serviceType } = db.attacking[0]!;
  await inTransaction(db.pool, (client) => storeUse(client, { owners: 100, uses: 63, signedBy: 'owner' }));
  const register = (first: number, row?: ListingSeed['row']) =>
    Promise.all(
      Array.from({ length: 25 }, (_, n) =>
        db.seed.listing({
          serviceType,
          publisher: address(first + n),
          manifest: { name: 'Same' },
          ...(row && { row }),
        }),
      ),
    );
  const readFirstPage = async () => {
    const { rows } = await db.pool.query<{ serviceType: string; publisher: string }>(
      `select service_type as "serviceType", publisher from catalog_entries where shown order by rank desc limit $1`,
      [firstPage],
    );
    return rows.filter((entry) => entry.serviceType === serviceType);
  };
  expect(await readFirstPage()).toHaveLength(1);
  await register(0xdad00, { publisherCheck: 'unverified' });
  expect(await readFirstPage()).toHaveLength(1);
  const { rows } = await db.pool.query(
    `select count(*)::int as entries, max(rank)::float8 as rank from catalog_entries where service_type = $1 and not publisher_verified`,
    [serviceType],
  );
  expect(rows).toEqual([{ entries: 25, rank: 0 }]);
  await register(0xcad00);
  expect(await readFirstPage()).toEqual([{ serviceType, publisher: db.attacking[0]!.publisher }]);
}, 120_000);
