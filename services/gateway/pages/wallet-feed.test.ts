import { beforeAll, expect, test } from 'vitest';
import { quarantine, release } from '../../../db/queries/catalog/quarantines.ts';
import { testPackages, useTestGateway } from '../../../test/support/gateway.ts';
import { address, type SeededListing } from '../../../test/support/read-model.ts';
import { walletRows } from '../../../test/support/wallet-rows.ts';

const reason = 'It drains <b>grants</b> & more \u202e\u0001';

let walletId: string;
let granted: SeededListing;
let other: SeededListing;
const gateway = useTestGateway(
  async ({ source }) => {
    await source();
    await source({ name: 'wallet' });
  },
  { network: testPackages },
);
beforeAll(async () => {
  const { seed, db } = gateway;
  granted = await seed.listing();
  other = await seed.listing();
  const rows = walletRows(db);
  walletId = await rows.wallet(address(0x101));
  await rows.grant(walletId, granted.serviceType, `${address(2)}::sui::SUI`, '77');
  await db.pool.query(`update service_grants set first_granted_at = '2026-01-01'`);
  for (const { serviceType } of [granted, other]) {
    await event(serviceType, 'Registered', '2025-12-31');
    await event(serviceType, 'Updated', '2026-01-02');
    await event(serviceType, 'Unlisted', '2026-01-03');
  }
  const decision = { network: 'testnet', operator: 'Ada', reason };
  for (const subject of [granted.serviceType, other.serviceType, granted.publisher, other.publisher])
    await quarantine(db.pool, { ...decision, subject });
  await release(db.pool, { ...decision, subject: granted.serviceType, reason: 'It was fixed' });
});

let checkpoint = 900;

/** Stores an event and its version, as the indexer does. */
async function event(serviceType: string, name: string, at: string): Promise<void> {
  checkpoint += 1;
  const { pool } = gateway.db;
  await pool.query(
    `insert into events (network, checkpoint, tx_index, event_index, source, tx_digest, sender, timestamp, type, name, data,
      contents)
     values ('testnet', $1::bigint, 0, 0, 'registry', 'digest' || $1::bigint, '0x1', $2, $3, $3, '{"version": 2}', '')`,
    [checkpoint, at, name],
  );
  await pool.query(
    `insert into listing_versions (network, checkpoint, tx_index, event_index, service_type, publisher, version, listed,
      timestamp)
     select 'testnet', $1, 0, 0, service_type, publisher, 2, $3, $2 from listings where service_type = $4`,
    [checkpoint, at, name !== 'Unlisted', serviceType],
  );
}

const read = (query: string, headers: Record<string, string> = {}) =>
  fetch(`${gateway.url}/wallet/feed.xml?${query}`, { headers });

test('the feed of a wallet has what happened to what it granted since it granted, the newest first, and nothing else', async () => {
  const answer = await read(`network=testnet&wallet=${walletId}`);
  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-type')).toBe('application/atom+xml; charset=utf-8');
  const text = await answer.text();
  const titles = [...text.matchAll(/<entry>\s*<id>(.*?)<\/id>\s*<title>(.*?)<\/title>/g)].map(
    ([, id, title]) => [id!.slice('urn:adaptor-marketplace:testnet:'.length).replace(/\d+/g, 'n'), title],
  );
  expect(titles).toEqual([
    ['svc_n', `QuarantineLifted: ${granted.serviceType}`],
    ['svc_n', `Quarantined: ${granted.publisher}`],
    ['svc_n', `Quarantined: ${granted.serviceType}`],
    ['digestn:n', `Unlisted: ${granted.serviceType}`],
    ['digestn:n', `Updated: ${granted.serviceType}`],
  ]);
  expect(text).toContain('Reason: It drains &lt;b&gt;grants&lt;/b&gt; &amp; more');
  for (const hidden of ['\u202e', '\u0001']) expect(text).not.toContain(hidden);
  const again = await read(`network=testnet&wallet=${walletId}`, {
    'if-none-match': answer.headers.get('etag')!,
  });
  expect(again.status).toBe(304);
});

test('a wallet without news has an empty feed, and what names no wallet has none', async () => {
  const empty = await read(`wallet=${address(0x999)}`);
  expect([empty.status, (await empty.text()).includes('<entry>')]).toEqual([200, false]);
  expect((await read('wallet=mine')).status).toBe(404);
  expect((await read('')).status).toBe(404);
});

test('the page of the wallet names its feed', async () => {
  const answer = await fetch(`${gateway.url}/wallet?network=testnet&wallet=${walletId}`, {
    headers: { accept: 'text/html' },
  });
  const url = `/wallet/feed.xml?network=testnet&amp;wallet=${walletId}`;
  expect(await answer.text()).toContain(`<link rel="alternate" type="application/atom+xml" href="${url}"`);
});
