import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createMigratedDatabase } from '../../test/support/database.ts';
import { plansOf } from '../../test/support/plans.ts';
import { type Database, openDatabase } from '../client.ts';
import { readAgentsAt } from './agents.ts';
import { integratorEntryList } from './catalog/find.ts';
import { attestationList, publisherListingList, reviewList } from './catalog/listing.ts';
import { eventLists, jobEventList } from './events.ts';
import { comparedVersionList, listingEventList, versionList } from './history.ts';
import { jobList } from './jobs.ts';
import { type KeyedList, type Paging, readCounts, readPages } from './lists.ts';
import { integratorList, packageList, publisherList } from './publishers.ts';
import type { Queryable } from './queryable.ts';
import { readRulesAt, ruleList } from './rules.ts';
import { readUsageCoins, readUsageDays } from './usage.ts';
import { serviceActionList, spendList, walletActionList } from './wallets/actions.ts';
import { recipientList, walletAllowlistList } from './wallets/allowlists.ts';
import { capList, mintedCapList } from './wallets/caps.ts';
import { bareDelegateList, delegateList } from './wallets/delegates.ts';
import { readGrants } from './wallets/grants.ts';
import { ownedWalletList } from './wallets/wallets.ts';

let created: Awaited<ReturnType<typeof createMigratedDatabase>>;
let db: Database;
beforeAll(async () => {
  created = await createMigratedDatabase();
  db = openDatabase(created.url, { max: 2 });
});
afterAll(async () => {
  await db.close();
  await created.drop();
});

const network = 'testnet';
/** Enough rows that reading a table in full, or another index, would cost more than what a list needs. */
const rows = 20_000;
const filled: Record<string, string> = {
  events: `select 'testnet', n, 0, 0,
    case n % 20 when 0 then 'rules' when 1 then 'agents' when 2 then 'escrow' when 3 then 'registry' else 'wallet' end,
    'd' || n, 's' || n % 300, now() - n * interval '1 second', 't',
    case n % 2 when 0 then 'SpendConfirmed' else 'Other' end, jsonb_build_object('walletId', 'w' || n % 100, 'jobId', 'j' || n % 100), '', null`,
  attestations: `select 'testnet', n, 0, 0, 'type' || n % 100, 'a' || n, 5, '', now()`,
  listing_versions: `select 'testnet', n, 0, 0, 'type' || n % 100, 'p', 1, true, now()`,
  jobs: `select 'testnet', n, 0, 0, 'j' || n, 'w' || n % 90, 'a' || n % 90, 'a' || n % 80, n % 5, 't', now()`,
  wallets: `select 'testnet', n, 0, 0, 'w' || n, 'a' || n % 80, 'i' || n, now()`,
  service_actions: `select 'testnet', n, 0, 0, 'type' || n % 100, 'w' || n % 90, '{}', now()`,
  listings: `select 'testnet', n, 0, 0, 'type' || n % 100, 'p' || n, 'raw', 'pkg' || n, 'uri', 'h' || n % 2000, 1, true, now(),
    now()`,
  catalog_entries: `select 'testnet', n, 0, 0, 'type' || n % 100, 'p' || n, 'pkg' || n, 'uri', 'h' || n % 2000, 1, n <= 100, true,
    '[]', '[]', 'name', 'c', 'i' || n % 20, '{}', '', 1, now(), now()`,
  reviews: `select 'testnet', n, 0, 0, 'type' || n % 100, 'a' || n, 5, '', now(), true`,
  caps: `select 'testnet', n, 0, 0, 'c' || n, 'bearer', 'w' || n % 90, 'a' || n % 90, now()`,
  allowlists: `select 'testnet', n, 0, 0, 'l' || n, 'w' || n % 90, now()`,
  allowlist_recipients: `select 'testnet', 'l' || n % 90, 'a' || n, now()`,
  delegates: `select 'testnet', 'w' || n % 90, 'a' || n, now()`,
  service_grants: `select 'testnet', 'w' || n % 90, 'type' || n, 'coin', now()`,
  rules: `select 'testnet', n, 0, 0, 'type' || n, 'p', 'raw', 'caveat', 'pkg', 'uri', 'h', 1, true, now(), now(), 'verified',
    'valid'`,
  agents: `select 'testnet', 'a' || n, 'n' || n, 'd', '{}', 1, true, now(), now()`,
  manifests: `select 'h' || n - 1, '{}'`,
  manifest_fetches: `select 'testnet', 'h' || n, 'uri', 'verified'`,
  delegate_allowances: `select 'testnet', 'w' || n % 90, 'a' || n, 'coin', 'coin', 1`,
  service_days: `select 'testnet', 'type' || n % 100, current_date - n / 100, 1, 1`,
  service_coin_days: `select 'testnet', 'type' || n % 100, current_date - n / 100, 'coin', 1, 1, 1`,
};
const registered =
  'network, registered_checkpoint, registered_tx_index, registered_event_index, service_type, publisher';
const columnsOf: Record<string, string> = {
  events: `network, checkpoint, tx_index, event_index, source, tx_digest, sender, timestamp, type, name, data, contents,
    decode_error`,
  attestations:
    'network, checkpoint, tx_index, event_index, service_type, attester, score, comment_uri, timestamp',
  listing_versions:
    'network, checkpoint, tx_index, event_index, service_type, publisher, version, listed, timestamp',
  jobs: `network, created_checkpoint, created_tx_index, created_event_index, job_id, wallet_id, provider, payer, state,
    assessor_type, created_at`,
  wallets:
    'network, created_checkpoint, created_tx_index, created_event_index, wallet_id, owner, identity, created_at',
  service_actions: 'network, checkpoint, tx_index, event_index, service_type, wallet_id, actors, timestamp',
  listings: `${registered}, raw_service_type, package_id, manifest_uri, manifest_hash, version, listed, registered_at, updated_at`,
  catalog_entries: `${registered}, package_id, manifest_uri, manifest_hash, version, front, publisher_verified, warnings,
    op_misfits, name, category, integrator, coins, search_text, revision, registered_at, updated_at`,
  reviews: `network, checkpoint, tx_index, event_index, service_type, attester, score, comment_uri, timestamp, verified`,
  caps: `network, minted_checkpoint, minted_tx_index, minted_event_index, cap_id, kind, wallet_id, recipient, minted_at`,
  allowlists: `network, created_checkpoint, created_tx_index, created_event_index, allowlist_id, wallet_id, created_at`,
  allowlist_recipients: 'network, allowlist_id, recipient, added_at',
  delegates: 'network, wallet_id, delegate, added_at',
  service_grants: 'network, wallet_id, service_type, coin, granted_at',
  rules: `network, registered_checkpoint, registered_tx_index, registered_event_index, rule_type, publisher, raw_rule_type,
    kind, package_id, manifest_uri, manifest_hash, version, listed, registered_at, updated_at, publisher_check, witness_check`,
  agents: 'network, agent, name, description, skills, version, listed, registered_at, updated_at',
  manifests: 'hash, body',
  manifest_fetches: 'network, hash, uri, status',
  delegate_allowances: 'network, wallet_id, delegate, kind, key, amount',
  service_days: 'network, service_type, day, actions, wallets',
  service_coin_days: 'network, service_type, day, coin, actions, taken, brought',
};

beforeAll(async () => {
  for (const [table, select] of Object.entries(filled)) {
    await db.pool.query(
      `insert into ${table} (${columnsOf[table]}) ${select} from generate_series(1, ${rows}) n`,
    );
  }
  // One large service, and a registry of many senders.
  await db.pool.query(
    `insert into attestations (${columnsOf.attestations})
     select 'testnet', 100000 + n, 0, 0, 'large', 'a' || n, 5, '', now() from generate_series(1, ${rows}) n`,
  );
  await db.pool.query(
    `insert into events (${columnsOf.events})
     select 'testnet', 100000 + n, 0, 0, 'registry', 'd' || n, 's' || n, now(), 't', 'Other', null, '', null
     from generate_series(1, ${rows}) n`,
  );
  await db.pool.query('vacuum analyze');
});

/** The plan of what a read sends. */
const planOf = async (read: (db: Queryable) => Promise<unknown>) => (await plansOf(db.pool, read)).join('\n');

/** Where a page begins and ends in an index: it costs the same on the first page and on the last. */
const between = (columns: string) =>
  columns.includes(',')
    ? new RegExp(
        `Index Cond: .*\\(ROW\\(${columns}\\) > ROW\\(key.low_0.*\\(ROW\\(${columns}\\) < ROW\\(key.high_0`,
      )
    : new RegExp(`Index Cond: .*\\(${columns} > key.low_0\\).*\\(${columns} < key.high_0\\)`);
const ofEvent = between('checkpoint, tx_index, event_index');
const ofJob = between('created_checkpoint, created_tx_index, created_event_index');

type AnyList = KeyedList<Paging & { network: string }, never, unknown>;
const listOf = (list: unknown) => list as AnyList;

describe('an index answers', () => {
  const serviceType = 'type7';
  test.each<[string, AnyList, object, RegExp[]]>([
    [
      'the versions of a listing',
      listOf(versionList),
      { serviceType, publisher: 'p' },
      [/listing_versions_of/, ofEvent],
    ],
    [
      'the events of a listing',
      listOf(listingEventList),
      { serviceType, publisher: 'p' },
      [/listing_versions_of/, /attestations_in_order/, ofEvent],
    ],
    [
      'the attestations of a service',
      listOf(attestationList),
      { serviceType },
      [/attestations_in_order/, ofEvent],
    ],
    [
      'the attestations of a service by some addresses',
      listOf(attestationList),
      { serviceType: 'large', attesters: ['a7', 'a8'] },
      [/attestations_(of|in_order)/, /Index Cond: .*service_type = key.service_type/],
    ],
    [
      'the actions of a service',
      listOf(serviceActionList),
      { serviceType },
      [/service_actions_of_service/, ofEvent],
    ],
    [
      'the actions of a wallet',
      listOf(walletActionList),
      { walletId: 'w7' },
      [/service_actions_of_wallet/, ofEvent],
    ],
    ['the spends of a wallet', listOf(spendList), { walletId: 'w8' }, [/events_of_spends/, ofEvent]],
    ['the events of the registry', listOf(eventLists.registry), {}, [/events_of_registry/, ofEvent]],
    [
      'the events of the registry by some senders',
      listOf(eventLists.registry),
      { senders: ['s3'] },
      [/registry_events_by_sender/, /Index Cond: .*sender = wanted.sender/],
    ],
    [
      'the events of the registry in a time',
      listOf(eventLists.registry),
      { times: { gte: 5, lt: 6 } },
      [/registry_events_by_time/, /Index Cond: .*checkpoint >= COALESCE.*checkpoint < COALESCE/],
    ],
    ['the events of wallets', listOf(eventLists.wallet), {}, [/events_network_checkpoint/, ofEvent]],
    ['the events of rules', listOf(eventLists.rules), {}, [/events_of_source/, ofEvent]],
    ['the events of agents', listOf(eventLists.agents), {}, [/events_of_source/, ofEvent]],
    ['the jobs of a network', listOf(jobList), {}, [/jobs_(newest|of_)/, ofJob]],
    ['the jobs in a state', listOf(jobList), { state: 4 }, [/jobs_of_state/, ofJob]],
    ['the jobs of a provider', listOf(jobList), { provider: 'a7' }, [/jobs_of_provider/, ofJob]],
    ['the jobs of an owner', listOf(jobList), { owner: 'a7' }, [/jobs_of_payer/, ofJob]],
    ['the jobs of a wallet', listOf(jobList), { walletId: 'w7' }, [/jobs_of_wallet/, ofJob]],
    ['the events of a job', listOf(jobEventList), { jobId: 'j42' }, [/events_of_jobs/, ofEvent]],
    ['the events of jobs', listOf(eventLists.escrow), {}, [/events_of_source/, ofEvent]],
    [
      'the versions of a listing with what they changed',
      listOf(comparedVersionList),
      { serviceType, publisher: 'p' },
      [/listing_versions_of .*p/, ofEvent],
    ],
    [
      'the reviews of a listing',
      listOf(reviewList),
      { serviceType, publisher: 'p107' },
      [/reviews_of/, ofEvent],
    ],
    [
      'the listings of a publisher',
      listOf(publisherListingList),
      { publisher: 'p7' },
      [
        /listings_of_publisher/,
        between('registered_checkpoint, registered_tx_index, registered_event_index'),
      ],
    ],
    ['the packages of a publisher', listOf(packageList), { address: 'p7' }, [/listings_of_publisher/]],
    ['the publishers', listOf(publisherList), {}, [/listings_of_publisher/, between('publisher')]],
    ['the integrators', listOf(integratorList), {}, [/catalog_entries_of_integrator/]],
    [
      'the adaptors that name an integrator',
      listOf(integratorEntryList),
      { integrator: 'i7' },
      [/catalog_entries_of_integrator/, /Index Cond: .*integrator.* = key.integrator/],
    ],
    ['the rules', listOf(ruleList), {}, [/rules_network_rule_type/, between('rule_type')]],
    [
      'the wallets of an owner',
      listOf(ownedWalletList),
      { owner: 'a7' },
      [/wallets_of_owner/, /Index Cond: .*owner = key.owner/],
    ],
    [
      'the delegates of a wallet',
      listOf(bareDelegateList),
      { walletId: 'w7' },
      [/delegates_network/, /Index Cond: .*wallet_id = key.wallet_id/],
    ],
    [
      'the delegates of a wallet with their budgets',
      listOf(delegateList),
      { walletId: 'w7' },
      [/delegates_network/, /delegate_allowances_network/],
    ],
    ['the caps of a wallet', listOf(capList), { walletId: 'w7' }, [/caps_of_wallet/]],
    ['the caps for an address', listOf(mintedCapList), { recipient: 'a7' }, [/caps_by_recipient/]],
    ['the allowlists of a wallet', listOf(walletAllowlistList), { walletId: 'w7' }, [/allowlists_of_wallet/]],
    [
      'the recipients of an allowlist',
      listOf(recipientList),
      { allowlistId: 'l7' },
      [/allowlist_recipients_network/, between('recipient')],
    ],
  ])('%s, from either end', async (_, list, key, expected) => {
    for (const backward of [false, true]) {
      const plan = await planOf((explaining) =>
        readPages(explaining, list, [{ network, ...key, first: 5, backward }]),
      );
      for (const part of expected) expect(plan).toMatch(part);
      expect(plan).not.toMatch(/Seq Scan/);
    }
    const plan = await planOf((explaining) => readCounts(explaining, list, [{ network, ...key, first: 0 }]));
    // Of most events the first will do, whatever their order.
    const most = [
      eventLists.wallet,
      eventLists.registry,
      jobList,
      publisherList,
      integratorList,
      ruleList,
    ].map(listOf);
    if (!most.includes(list) || Object.keys(key).length > 0) expect(plan).not.toMatch(/Seq Scan/);
  });
});

describe('an index answers, for many keys at once,', () => {
  const some = ['w7', 'w8'].map((walletId) => ({ network, walletId }));
  const types = ['type7', 'type8'].map((serviceType) => ({ network, serviceType, days: 30 }));
  test.each<[string, (db: Queryable) => Promise<unknown>, RegExp]>([
    ['the grants of wallets', (db) => readGrants(db, some), /service_grants_network/],
    ['the use of services by day', (db) => readUsageDays(db, types), /service_days_network/],
    ['the use of services by coin', (db) => readUsageCoins(db, types), /service_coin_days_network/],
    [
      'rules by their types',
      (db) => readRulesAt(db, [{ network, ruleType: 'type7' }]),
      /rules_network_rule_type/,
    ],
    ['agents with what they earned', (db) => readAgentsAt(db, [{ network, address: 'a7' }]), /jobs_released/],
  ])('%s', async (_, read, index) => {
    const plan = await planOf(read);
    expect(plan).toMatch(index);
    expect(plan).not.toMatch(/Seq Scan/);
  });
});

test('walking a list from either end, with pages of any size, yields each item once and in one order', async () => {
  const key = { network, serviceType: 'type7' };
  const [whole] = await readPages(db.pool, attestationList, [{ ...key, first: 1_000 }]);
  expect(whole!.items).toHaveLength(rows / 100);
  for (const [size, backward] of [
    [7, false],
    [7, true],
    [200, true],
  ] as const) {
    const found: unknown[] = [];
    for (let cursor: string | undefined, more = true; more; ) {
      const [page] = await readPages(db.pool, attestationList, [
        { ...key, first: size, backward, ...(backward ? { before: cursor } : { after: cursor }) },
      ]);
      if (backward) found.unshift(...page!.items);
      else found.push(...page!.items);
      cursor = backward ? page!.cursors[0] : page!.cursors.at(-1);
      more = page!.hasMore;
    }
    expect(found).toEqual(whole!.items);
  }
});

test('what is between two cursors or two checkpoints is read, and counted', async () => {
  const key = { network, serviceType: 'type7' };
  const [whole] = await readPages(db.pool, attestationList, [{ ...key, first: 10 }]);
  const [after, before] = [whole!.cursors[1], whole!.cursors[6]];
  const [middle, end] = await readPages(db.pool, attestationList, [
    { ...key, first: 10, after, before },
    { ...key, first: 2, after, before, backward: true },
  ]);
  expect(middle!.items).toEqual(whole!.items.slice(2, 6));
  expect(end).toMatchObject({
    items: whole!.items.slice(4, 6),
    cursors: whole!.cursors.slice(4, 6),
    hasMore: true,
  });
  const checkpoints = { gte: 107, lt: 507 };
  const ranged = { ...key, first: 100, checkpoints };
  const [[within], counts] = await Promise.all([
    readPages(db.pool, attestationList, [ranged]),
    readCounts(db.pool, attestationList, [ranged, { ...ranged, checkpoints: undefined }]),
  ]);
  expect(within!.items.map(({ checkpoint }) => checkpoint)).toEqual([407, 307, 207, 107]);
  expect(counts).toEqual([4, rows / 100]);
});

test('registry events of a time are those of its checkpoints, whatever ties there are', async () => {
  const { rows: times } = await db.pool.query<{ checkpoint: number; at: Date }>(
    `select checkpoint, timestamp as at from events where source = 'registry' order by checkpoint`,
  );
  // In this history times fall with checkpoints, as no chain has it: it is turned round.
  await db.pool.query(
    `update events set timestamp = '2026-01-01'::timestamptz + (checkpoint / 40) * interval '1 second'`,
  );
  const from = Date.UTC(2026, 0, 1) + 3_000;
  const [page] = await readPages(db.pool, eventLists.registry, [
    { network, first: 100, times: { gte: from, lt: from + 2_000 } },
  ]);
  expect(page!.items.map(({ checkpoint }) => checkpoint)).toEqual(
    times
      .map(({ checkpoint }) => checkpoint)
      .filter((n) => n >= 120 && n < 200)
      .toReversed(),
  );
});

test('keys with different filters, directions and sizes are answered together, each with its own', async () => {
  const key = { network, serviceType: 'type7' };
  const [one, two, none] = await readPages(db.pool, attestationList, [
    { ...key, first: 1 },
    { ...key, first: 2, backward: true, attesters: ['a107', 'a207', 'a307'] },
    { network, serviceType: 'nowhere', first: 5 },
  ]);
  expect([one!.items.length, one!.hasMore]).toEqual([1, true]);
  expect([two!.items.map(({ attester }) => attester), two!.hasMore]).toEqual([['a207', 'a107'], true]);
  expect(none).toMatchObject({ items: [], cursors: [], hasMore: false });
});
