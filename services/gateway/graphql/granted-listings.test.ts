import { beforeAll, expect, test } from 'vitest';
import { refreshEntries } from '../../../db/queries/catalog/maintain.ts';
import { quarantine } from '../../../db/queries/catalog/quarantines.ts';
import { lockCatalog } from '../../../db/queries/catalog/revision.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { testPackages, useTestGateway } from '../../../test/support/gateway.ts';
import { readGraph } from '../../../test/support/graph-queries.ts';
import { address, type SeededListing } from '../../../test/support/read-model.ts';
import { namesSeen, spyOnStatements } from '../../../test/support/statements.ts';
import { walletRows } from '../../../test/support/wallet-rows.ts';

const owner = address(0x101);
const sui = `${address(2)}::sui::SUI`;
const unknown = `${address(0x66)}::a::A`;
const reason = 'It drains <script>alert(1)</script> \u202egrants';

let walletId: string;
let listings: Record<
  'listed' | 'updated' | 'moved' | 'unlisted' | 'quarantined' | 'ofPublisher' | 'late',
  SeededListing
>;

const gateway = useTestGateway(
  async ({ source }) => {
    await source();
    await source({ name: 'wallet' });
  },
  { network: testPackages },
);
beforeAll(async () => {
  const { seed, db } = gateway;
  const [listed, updated, moved] = [await seed.listing(), await seed.listing(), await seed.listing()];
  const [unlisted, quarantined, ofPublisher] = [
    await seed.listing(),
    await seed.listing(),
    await seed.listing(),
  ];
  const rows = walletRows(db);
  walletId = await rows.wallet(owner);
  // Later than every listing above, and before what happens to them below.
  const grantedAt = new Date(1_760_000_000_000);
  const grant = async (serviceType: string) => {
    await rows.grant(walletId, serviceType, sui, '77');
    await db.pool.query('update service_grants set granted_at = $2 where service_type = $1', [
      serviceType,
      grantedAt,
    ]);
  };
  for (const one of [listed, updated, moved, unlisted, quarantined, ofPublisher])
    await grant(one.serviceType);
  const late = await seed.listing();
  await grant(unknown);
  await rows.grant(walletId, late.serviceType, sui, '77');
  await db.pool.query(`update service_grants set granted_at = 'epoch' where service_type = $1`, [
    late.serviceType,
  ]);
  // A stranger lists the same service, which hides no change from the owner.
  await seed.listing({ serviceType: unlisted.serviceType, row: { publisherCheck: 'unverified' } });
  await change(updated, 2);
  await change(moved, 2, address(0x99));
  await db.pool.query(
    `update listings set listed = false, updated_at = $2 where service_type = $1 and publisher = $3`,
    [unlisted.serviceType, new Date(1_770_000_000_000), unlisted.publisher],
  );
  await inTransaction(db.pool, async (client) =>
    refreshEntries(client, await lockCatalog(client, 'testnet'), [unlisted]),
  );
  const decision = { network: 'testnet', reason, operator: 'Ada' };
  await quarantine(db.pool, { ...decision, subject: quarantined.serviceType });
  await quarantine(db.pool, { ...decision, subject: ofPublisher.publisher });
  listings = { listed, updated, moved, unlisted, quarantined, ofPublisher, late };
});

/** Stores a later version, as the indexer does. */
async function change({ serviceType }: SeededListing, version: number, packageId?: string): Promise<void> {
  const at = new Date(1_770_000_000_000);
  await gateway.db.pool.query(
    `update listings set version = $2, package_id = coalesce($3, package_id), updated_at = $4 where service_type = $1`,
    [serviceType, version, packageId ?? null, at],
  );
  await gateway.db.pool.query(
    `insert into listing_versions (network, checkpoint, tx_index, event_index, service_type, publisher, version, listed,
        package_id, timestamp)
      select network, 900 + (select count(*) from listing_versions), 0, 0, service_type, publisher, version, true,
        package_id, updated_at from listings where service_type = $1`,
    [serviceType],
  );
}

const query = `{ wallet(chain: TESTNET, walletId: "%") { grants { serviceType listing { state reason sinceMs } } } }`;
async function readGrants(): Promise<
  Map<string, { state: string; reason: string | null; sinceMs: number | null }>
> {
  const { wallet } = await readGraph(gateway.url, query.replace('%', walletId));
  return new Map(wallet.grants.map(({ serviceType, listing }: never) => [serviceType, listing]));
}

test('each grant says what became of the listing since the owner granted, and what to do', async () => {
  const grants = await readGrants();
  const get = (one: SeededListing) => grants.get(one.serviceType);
  const asBefore = { state: 'LISTED', reason: null, sinceMs: null };
  expect(get(listings.listed)).toEqual(asBefore);
  // The owner granted before anyone listed it, so no version was replaced.
  expect(get(listings.late)).toEqual(asBefore);
  expect(grants.get(unknown)).toBeNull();
  const sinceMs = 1_770_000_000_000;
  expect(get(listings.updated)).toMatchObject({ state: 'REPLACED', sinceMs });
  expect(get(listings.updated)!.reason).toMatch(
    /version 1; version 2 is listed now, of the same package\..*revoke/,
  );
  expect(get(listings.moved)!.reason).toContain(`of the package ${address(0x99)}`);
  expect(get(listings.unlisted)).toMatchObject({ state: 'UNLISTED', sinceMs });
  for (const one of [listings.quarantined, listings.ofPublisher]) {
    expect(get(one)).toMatchObject({ state: 'QUARANTINED', reason: expect.stringContaining(reason) });
  }
});

test('the listings of all grants of a wallet are one statement', async () => {
  const spy = spyOnStatements();
  await readGrants();
  const names = namesSeen(spy);
  spy.mockRestore();
  expect(names.filter((name) => name === 'read-granted-listings')).toHaveLength(1);
});

test('the page of the wallet marks each change, escapes the reason, and keeps the button to revoke', async () => {
  const answer = await fetch(`${gateway.url}/wallet?network=testnet&wallet=${walletId}`, {
    headers: { accept: 'text/html' },
  });
  const html = await answer.text();
  for (const mark of ['Replaced by a later version', 'Unlisted', 'In quarantine'])
    expect(html).toContain(mark);
  expect(html).not.toContain('<script>alert(1)');
  expect(html).not.toContain('\u202e');
  for (const { serviceType } of Object.values(listings))
    expect(html).toMatch(
      new RegExp(`<tr [^>]*data-service="${serviceType}"(?:(?!</tr>).)* data-act="revoke"`),
    );
});
