import { beforeAll, describe, expect, test } from 'vitest';
import { useTestDatabase } from '../../test/support/database.ts';
import { fillManyRows, manyRows } from '../../test/support/many-rows.ts';
import { readPlans } from '../../test/support/plans.ts';
import { measureWork, type StatementWork } from '../../test/support/statement-work.ts';
import { agentList, readAgentsAt } from './agents.ts';
import { integratorEntryList } from './catalog/find.ts';
import { attestationList, publisherListingList, reviewList } from './catalog/listing.ts';
import { readRatingDays } from './catalog/rating-days.ts';
import { eventLists, objectEventLists } from './events.ts';
import { comparedVersionList, listingEventList, versionList } from './history.ts';
import { jobList } from './jobs.ts';
import { type KeyedList, type Paging, readCounts, readOptionalPages, readPages } from './lists.ts';
import { prepareNestedList, readPageWithNested } from './nested-lists.ts';
import type { Page } from './page.ts';
import { integratorList, packageList, publisherList } from './publishers.ts';
import type { Queryable } from './queryable.ts';
import { readRules, ruleList } from './rules.ts';
import { readUsageCoins, readUsageDays } from './usage.ts';
import { serviceActionList, spendList, walletActionList } from './wallets/actions.ts';
import { recipientList, walletAllowlistList } from './wallets/allowlists.ts';
import { capList, childCapList, mintedCapList, ownerCapList } from './wallets/caps.ts';
import { bareDelegateList, delegateList, delegationList } from './wallets/delegates.ts';
import { grantList, readGrants, serviceGrantList } from './wallets/grants.ts';
import { rulePolicyList } from './wallets/policies.ts';
import { ownedWalletList } from './wallets/wallets.ts';

const db = useTestDatabase();
beforeAll(async () => {
  await fillManyRows(db.pool);
});

const network = 'testnet';
const readPlan = async (read: (db: Queryable) => Promise<unknown>) =>
  (await readPlans(db.pool, read)).join('\n');

/** Matches a value of a key: a column of the row `key` for many keys, an InitPlan for one key. */
const given = String.raw`(?:key\.\w+|\(InitPlan \d+\)\.col1)`;

/** Matches a plan that begins and ends a page in an index. Its cost is the same for the first page and for the last. */
const between = (columns: string) =>
  columns.includes(',')
    ? new RegExp(
        `Index Cond: .*\\(ROW\\(${columns}\\) > ROW\\(${given}.*\\(ROW\\(${columns}\\) < ROW\\(${given}`,
      )
    : new RegExp(`Index Cond: .*\\(${columns} > ${given}\\).*\\(${columns} < ${given}\\)`);
/** An index is read at the value of a key. */
const at = (column: string) => new RegExp(`Index Cond: .*${column} = ${given}`);
const ofEvent = between('checkpoint, tx_index, event_index');
const ofCap = between('minted_checkpoint, minted_tx_index, minted_event_index');
const ofJob = between('created_checkpoint, created_tx_index, created_event_index');

type AnyList = KeyedList<Paging & { network: string }, never, unknown>;
const asList = (list: unknown) => list as AnyList;

const objectsOfEvents = { wallet: 'w8', cap: 'c24', rule: 'r20', allowlist: 'l40', agent: 'a41', job: 'j42' };

describe('an index answers', () => {
  const serviceType = 'type7';
  test.each<[string, AnyList, object, RegExp[]]>([
    [
      'the versions of a listing',
      asList(versionList),
      { serviceType, publisher: 'p' },
      [/listing_versions_of/, ofEvent],
    ],
    [
      'the events of a listing',
      asList(listingEventList),
      { serviceType, publisher: 'p' },
      [/listing_versions_of/, /attestations_in_order/, ofEvent],
    ],
    [
      'the attestations of a service',
      asList(attestationList),
      { serviceType },
      [/attestations_in_order/, ofEvent],
    ],
    [
      'the attestations of a service by some addresses',
      asList(attestationList),
      { serviceType: 'large', attesters: ['a7', 'a8'] },
      [/attestations_(of|in_order)/, at('service_type')],
    ],
    [
      'the actions of a service',
      asList(serviceActionList),
      { serviceType },
      [/service_actions_of_service/, ofEvent],
    ],
    [
      'the actions of a wallet',
      asList(walletActionList),
      { walletId: 'w7' },
      [/service_actions_of_wallet/, ofEvent],
    ],
    ['the spends of a wallet', asList(spendList), { walletId: 'w8' }, [/events_of_spends/, ofEvent]],
    ['the events of the registry', asList(eventLists.registry), {}, [/events_of_registry/, ofEvent]],
    [
      'the events of the registry by some senders',
      asList(eventLists.registry),
      { senders: ['s3'] },
      [/registry_events_by_sender/, /Index Cond: .*sender = filtered.sender/],
    ],
    [
      'the events of the registry in a time',
      asList(eventLists.registry),
      { times: { gte: 5, lt: 6 } },
      [/registry_events_by_time/, /Index Cond: .*checkpoint >= COALESCE.*checkpoint < COALESCE/],
    ],
    ['the events of wallets', asList(eventLists.wallet), {}, [/events_network_checkpoint/, ofEvent]],
    ['the events of rules', asList(eventLists.rules), {}, [/events_of_source/, ofEvent]],
    ['the events of agents', asList(eventLists.agents), {}, [/events_of_source/, ofEvent]],
    ['the jobs of a network', asList(jobList), {}, [/jobs_(newest|of_)/, ofJob]],
    ['the jobs in a state', asList(jobList), { state: 4 }, [/jobs_of_state/, ofJob]],
    ['the jobs of a provider', asList(jobList), { provider: 'a7' }, [/jobs_of_provider/, ofJob]],
    ['the jobs of an owner', asList(jobList), { owner: 'a7' }, [/jobs_of_payer/, ofJob]],
    ['the jobs of a wallet', asList(jobList), { walletId: 'w7' }, [/jobs_of_wallet/, ofJob]],
    ...Object.entries(objectsOfEvents).map(([kind, object]): [string, AnyList, object, RegExp[]] => [
      `the events that name one ${kind}`,
      asList(objectEventLists[kind as keyof typeof objectEventLists]),
      { object },
      [new RegExp(`events_of_${kind}s`), ofEvent],
    ]),
    [
      'the grants of wallets to a service',
      asList(serviceGrantList),
      { serviceType: 'type7' },
      [/service_grants_of_service/, between('wallet_id, coin')],
    ],
    [
      'the wallets that an address may spend for',
      asList(delegationList),
      { address: 'a7' },
      [/delegates_by_address/, /delegate_allowances_network/, between('wallet_id')],
    ],
    [
      'the caps that were split from a cap',
      asList(childCapList),
      { parent: 'c7' },
      [/caps_of_parent/, between('minted_checkpoint, minted_tx_index, minted_event_index')],
    ],
    ['the events of jobs', asList(eventLists.escrow), {}, [/events_of_source/, ofEvent]],
    [
      'the versions of a listing with what they changed',
      asList(comparedVersionList),
      { serviceType, publisher: 'p' },
      [/listing_versions_of .*p/, ofEvent],
    ],
    [
      'the reviews of a listing',
      asList(reviewList),
      { serviceType, publisher: 'p107' },
      [/reviews_of/, ofEvent],
    ],
    [
      'the listings of a publisher',
      asList(publisherListingList),
      { publisher: 'p7' },
      [
        /listings_of_publisher/,
        between('registered_checkpoint, registered_tx_index, registered_event_index'),
      ],
    ],
    ['the packages of a publisher', asList(packageList), { address: 'p7' }, [/listings_of_publisher/]],
    ['the publishers', asList(publisherList), {}, [/listings_of_publisher/, between('publisher')]],
    ['the integrators', asList(integratorList), {}, [/catalog_entries_of_integrator/]],
    [
      'the adaptors that name an integrator',
      asList(integratorEntryList),
      { integrator: 'i7' },
      [/catalog_entries_of_integrator/, at('integrator.*')],
    ],
    [
      'the rules',
      asList(ruleList),
      {},
      [/rules_(network_rule|of)_type/, between('rule_type'), /rules_of_type/],
    ],
    [
      'the rules of a publisher',
      asList(ruleList),
      { publisher: 'q7' },
      [/rules_of_publisher/, at('publisher'), between('rule_type')],
    ],
    [
      'the policies that hold a rule',
      asList(rulePolicyList),
      { ruleType: 'type7' },
      [/policy_rules_of_rule/, between('wallet_id')],
    ],
    [
      'the agents',
      asList(agentList),
      {},
      [
        /agents_by_rank/,
        between('\\(- rank\\), \\(?name\\)?(?:::text)?, \\(?agent\\)?(?:::text)?'),
        /provider_earnings_by_jobs/,
      ],
    ],
    [
      'the reviews of a listing by its users',
      asList(reviewList),
      { serviceType, publisher: 'p107', verified: true },
      [/reviews_of_users/, at('verified'), ofEvent],
    ],
    ['the wallets of an owner', asList(ownedWalletList), { owner: 'a7' }, [/wallets_of_owner/, at('owner')]],
    [
      'the delegates of a wallet',
      asList(bareDelegateList),
      { walletId: 'w7' },
      [/delegates_network/, at('wallet_id')],
    ],
    [
      'the delegates of a wallet with their budgets',
      asList(delegateList),
      { walletId: 'w7' },
      [/delegates_network/, /delegate_allowances_network/],
    ],
    ['the caps of a wallet', asList(capList), { walletId: 'w7' }, [/caps_of_wallet/, ofCap]],
    [
      'the caps of a wallet that its owner minted',
      asList(ownerCapList),
      { walletId: 'w7' },
      [/caps_of_owner/, ofCap],
    ],
    ['the caps for an address', asList(mintedCapList), { recipient: 'a7' }, [/caps_by_recipient/, ofCap]],
    ['the allowlists of a wallet', asList(walletAllowlistList), { walletId: 'w7' }, [/allowlists_of_wallet/]],
    [
      'the recipients of an allowlist',
      asList(recipientList),
      { allowlistId: 'l7' },
      [/allowlist_recipients_network/, between('recipient')],
    ],
  ])('%s, from either end', async (_, list, key, expected) => {
    for (const backward of [false, true]) {
      const one = { network, ...key, first: 5, backward };
      for (const keys of [[one], [one, one]]) {
        const plan = await readPlan((explaining) => readPages(explaining, list, keys));
        for (const part of expected) expect(plan).toMatch(part);
        expect(plan).not.toMatch(/Seq Scan/);
      }
    }
    const plan = await readPlan((explaining) =>
      readCounts(explaining, list, [{ network, ...key, first: 0 }]),
    );
    // For most lists the first key is enough, in any order of the events.
    const { wallet, registry } = eventLists;
    const most = [wallet, registry, jobList, publisherList, integratorList, ruleList, agentList].map(asList);
    if (!most.includes(list) || Object.keys(key).length > 0) expect(plan).not.toMatch(/Seq Scan/);
  });
});

test('of the adaptors that name an integrator, only those of the page are joined to what they show', async () => {
  const work = await measureWork(db.pool, async (client) => {
    await client.query(`update catalog_entries set integrator = 'popular' where shown`);
    await readPages(client, integratorEntryList, [{ network, integrator: 'popular', first: 1 }]);
  });
  const [named, page] = work as [StatementWork, StatementWork];
  expect(named.written).toBeGreaterThan(50);
  expect(page.read).toBeLessThan(named.written + 20);
});

test('an index answers each list below a page, in order, whatever its end', async () => {
  const lists = [grantList, bareDelegateList, capList, walletAllowlistList] as AnyList[];
  for (const backward of [false, true]) {
    const below = lists.map((list) => prepareNestedList(list as never, { first: 5, backward }));
    const key = { network, owner: 'a7', first: 5, backward };
    const plan = await readPlan((explaining) => readPageWithNested(explaining, ownedWalletList, key, below));
    const indexes = [
      'wallets_of_owner',
      'service_grants_network',
      'delegates_network',
      'caps_of',
      'allowlists_of',
    ];
    for (const index of indexes) expect(plan).toContain(index);
    expect(plan).not.toMatch(/Seq Scan/);
  }
});

describe('an index answers, for many keys at once,', () => {
  const some = ['w7', 'w8'].map((walletId) => ({ network, walletId }));
  const types = ['type7', 'type8'].map((serviceType) => ({ network, serviceType, days: 30 }));
  test.each<[string, (db: Queryable) => Promise<unknown>, RegExp]>([
    ['the grants of wallets', (db) => readGrants(db, some), /service_grants_network/],
    ['the use of services by day', (db) => readUsageDays(db, types), /service_days_network/],
    ['the use of services by coin', (db) => readUsageCoins(db, types), /service_coin_days_network/],
    ['the ratings of services by day', (db) => readRatingDays(db, types), /service_rating_days_network/],
    [
      'rules by their types',
      (db) => readRules(db, [{ network, ruleType: 'type7' }]),
      /rules_network_rule_type/,
    ],
    [
      'agents with what they earned',
      (db) => readAgentsAt(db, [{ network, address: 'a7' }]),
      /provider_earnings_by_jobs/,
    ],
  ])('%s', async (_, read, index) => {
    const plan = await readPlan(read);
    expect(plan).toMatch(index);
    expect(plan).not.toMatch(/Seq Scan/);
  });
});

test('walking a list from either end, with pages of any size, yields each item once and in one order', async () => {
  const key = { network, serviceType: 'type7' };
  const [whole] = await readPages(db.pool, attestationList, [{ ...key, first: 1_000 }]);
  expect(whole!.items).toHaveLength(manyRows / 100);
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
  expect(counts).toEqual([4, manyRows / 100]);
});

test('registry events of a time are those of its checkpoints, whatever ties there are', async () => {
  const { rows: times } = await db.pool.query<{ checkpoint: number; at: Date }>(
    `select checkpoint, timestamp as at from events where source = 'registry' order by checkpoint`,
  );
  // In this history times decrease with checkpoints, unlike on any chain, so the times are reversed.
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

const shown = ({ items, cursors, hasMore }: Page<unknown>) => ({ items, cursors, hasMore });

test('a key by itself has the page that it has among others', async () => {
  const key = { network, serviceType: 'type7' };
  const [whole] = await readPages(db.pool, attestationList, [{ ...key, first: 9 }]);
  const [after, before] = [whole!.cursors[1], whole!.cursors[6]];
  const keys = [
    { ...key, first: 3 },
    { ...key, first: 3, backward: true },
    { ...key, first: 2, after, before },
    { ...key, first: 2, after, before, backward: true },
    { ...key, first: 3, attesters: ['a107', 'a207'] },
    { ...key, first: 3, checkpoints: { gte: 107, lt: 507 } },
    { ...key, first: 0 },
    { network, serviceType: 'nowhere', first: 3 },
  ];
  const together = await readPages(db.pool, attestationList, [...keys, ...keys]);
  for (const [n, one] of keys.entries()) {
    const [page] = await readPages(db.pool, attestationList, [one]);
    expect(shown(page!)).toEqual(shown(together[n]!));
  }
  // Both reads report if the parent of a list exists.
  for (const walletId of ['w7', 'nowhere']) {
    const wallet = { network, walletId, first: 2 };
    const [page] = await readOptionalPages(db.pool, delegateList, [wallet]);
    const [, among] = await readOptionalPages(db.pool, delegateList, [wallet, wallet]);
    expect(page && shown(page)).toEqual(among && shown(among));
    expect(page === undefined).toBe(walletId === 'nowhere');
  }
});
