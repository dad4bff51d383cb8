import type { PoolClient } from 'pg';
import { beforeAll, describe, expect, test } from 'vitest';
import { useTestDatabase } from '../../test/support/database.ts';
import { fillManyRows } from '../../test/support/many-rows.ts';
import { readPlans } from '../../test/support/plans.ts';
import { readListingStandings } from './catalog/listing.ts';
import { refreshEntries } from './catalog/maintain.ts';
import { lockCatalog } from './catalog/revision.ts';
import type { Queryable } from './queryable.ts';
import { beginning } from './registry-events.ts';
import { appendServiceEvents } from './service-events.ts';
import { readWalletFeed } from './wallets/feed.ts';
import { readGrantedListings } from './wallets/granted-listings.ts';
import { readDeliveries } from './webhooks/deliveries.ts';
import {
  readConcerning,
  readEventsAfter,
  readEventsAt,
  readLatestEvents,
  readMatchingEvents,
} from './webhooks/events.ts';
import { readBacklogs } from './webhooks/positions.ts';
import { listStreams } from './webhooks/streams.ts';
import { addSubscription } from './webhooks/subscriptions.ts';

const network = 'testnet';
const streams = listStreams(network);
const [, service] = streams;

const db = useTestDatabase();
beforeAll(async () => {
  await fillManyRows(db.pool);
  await db.pool.query(
    `insert into sources (network, name, chain_id, filter) values ('testnet', 'registry', 'c', 'f')`,
  );
  const about = { wallet: 'w7', serviceType: 's7', publisher: 'p7' };
  await addSubscription(db.pool, 'key_1', {
    subscription: 'wh_1',
    events: ['Quarantined', 'Other'],
    ...about,
  });
  // The end of each log waits for it.
  await db.pool.query(`update webhook_positions set position = case stream when 'testnet' then '{119900,0,0}'
    else '{19900,0,0}' end::bigint[], segments = jsonb_build_array(jsonb_build_object('after', to_jsonb('{0,0,0}'::bigint[]),
    'events', '["Quarantined", "Other"]'::jsonb, 'change', 0))`);
  await db.pool.query('vacuum analyze');
});

/** Reads the plans of statements whose effects are rolled back. */
async function readPlan(read: (db: PoolClient) => Promise<unknown>): Promise<string> {
  const client = await db.pool.connect();
  try {
    await client.query('begin');
    return (await readPlans(client, (explaining) => read(explaining as unknown as PoolClient))).join('\n');
  } finally {
    await client.query('rollback');
    client.release();
  }
}

/** Tables that grow with the marketplace. A read of all of one takes longer with each listing, event or grant. */
const growing =
  'events|listings|listing_versions|attestations|service_events|service_grants|quarantines|catalog_entries|manifests|manifest_fetches|wallets';

const keys = [
  { network, serviceType: 'type7', publisher: 'p107', grantedMs: 0 },
  { network, serviceType: 'type8', publisher: 'p108', grantedMs: 0 },
];
const positions = [1, 2, 3].map((part): [number, number, number] => [part * 100, 0, 0]);

describe('among twenty thousand listings, events and quarantines, indexes answer', () => {
  test.each<[string, (db: PoolClient) => Promise<unknown>]>([
    [
      'the refresh of listings',
      async (client) => refreshEntries(client, await lockCatalog(client, network), keys),
    ],
    ['the state of a listing', (client) => readListingStandings(client, keys)],
    ['the state of granted listings', (client) => readGrantedListings(client, keys)],
    ['the feed of a wallet', (client) => readWalletFeed(client, { network, walletId: 'w7' }, 20)],
    [
      'an addition to the log of the service',
      (client) =>
        appendServiceEvents(client, [
          { network, name: 'Quarantined', data: { serviceType: 'type7', publisher: null, reason: 'r' } },
        ]),
    ],
    [
      'the backlog of a webhook about a wallet, a service type and a publisher',
      (client) => readBacklogs(client, ['wh_1'], 100),
    ],
    ['the deliveries of a webhook', (client) => readDeliveries(client, { subscription: 'wh_1', limit: 20 })],
    ...streams.flatMap((stream): [string, (db: Queryable) => Promise<unknown>][] => [
      [
        `the events of ${stream.key} after a position`,
        (client) => readEventsAfter(client, stream, [15_000, 0, 0], 50),
      ],
      [`the latest events of ${stream.key}`, (client) => readLatestEvents(client, stream, beginning, 50)],
      [
        `the events of ${stream.key} of some names`,
        (client) =>
          readMatchingEvents(client, {
            stream,
            after: [15_000, 0, 0],
            upTo: [15_100, 0, 0],
            names: ['Quarantined', 'Other'],
            limit: 50,
          }),
      ],
      [`events of ${stream.key} at positions`, (client) => readEventsAt(client, stream, positions)],
      [
        `which events of ${stream.key} concern a wallet, a service type and a publisher`,
        (client) =>
          readConcerning(
            client,
            stream,
            positions.map((position) => ({ wallet: 'w7', serviceType: 's7', publisher: 'p7', position })),
          ),
      ],
    ]),
  ])('%s', async (_, read) => {
    const plan = await readPlan(read);
    expect(plan).toMatch(/Index/);
    expect(plan).not.toMatch(new RegExp(`Seq Scan on (${growing})\\b`));
  });
});

test('a page of the log of the service ends where its limit does', async () => {
  const plan = await readPlan((client) => readEventsAfter(client, service, [15_000, 0, 0], 50));
  expect(plan).not.toContain('Sort');
  expect(plan).toMatch(/Index Cond: .*number/);
});
