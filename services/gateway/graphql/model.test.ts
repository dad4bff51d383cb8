import { beforeAll, describe, expect, test } from 'vitest';
import * as tables from '../../../db/schema/index.ts';
import { testPackages, useTestGateway } from '../../../test/support/gateway.ts';
import { captureStatements, type GraphAnswer, readGraph } from '../../../test/support/graph-queries.ts';
import { address, computeCheckpointTime } from '../../../test/support/read-model.ts';
import { spyOnStatements, statementsSeen } from '../../../test/support/statements.ts';
import { walletRows } from '../../../test/support/wallet-rows.ts';
import {
  fillWholeModel,
  owner,
  provider,
  rule,
  sui,
  type WholeModel,
} from '../../../test/support/whole-model.ts';

let { listings, hidden, walletId, capId, allowlistId, jobId } = {} as WholeModel;

const gateway = useTestGateway(undefined, { network: testPackages });
beforeAll(async () => {
  ({ listings, hidden, walletId, capId, allowlistId, jobId } = await fillWholeModel(gateway));
});

const found = (query: string) => readGraph(gateway.url, query);

/** An object with its fields, each requested by itself: a query may cause a bounded number of statements. */
async function foundWith(object: string, fields: readonly string[]) {
  const parts = await Promise.all(fields.map((field) => found(`{ object: ${object} { ${field} } }`)));
  return Object.assign({}, ...parts.map(({ object }) => object));
}

test('a listing that is not shown is found with its reason, and leads to its publisher and its entry', async () => {
  const { listing } = await found(`{ listing(serviceType: "${hidden.serviceType}") {
    chain status reason registered { version } adaptor { manifest { name } listing { status } }
    publishedBy { address verified registeredCount shownCount firstSeenMs listings { edges { node { status } } } } } }`);
  expect(listing).toMatchObject({
    chain: 'TESTNET',
    status: 'PUBLISHER_UNVERIFIED',
    reason: expect.stringContaining('UpgradeCap'),
    registered: { version: 1 },
    adaptor: { manifest: { name: 'Claimed' }, listing: { status: 'PUBLISHER_UNVERIFIED' } },
    publishedBy: {
      address: hidden.publisher,
      verified: false,
      registeredCount: 1,
      shownCount: 0,
      listings: { edges: [{ node: { status: 'PUBLISHER_UNVERIFIED' } }] },
    },
  });
});

test('an adaptor leads to its publisher, integrator, attestations, reviews, actions and use, and they lead back', async () => {
  const { serviceType } = listings[0]!;
  const adaptor = await foundWith(`adaptor(serviceType: "${serviceType}")`, [
    'publishedBy { packages { totalCount } reviews { count } listings { totalCount } }',
    'integrator { name adaptorCount adaptors(first: 1) { totalCount edges { node { serviceType } } } }',
    'attestations { totalCount edges { node { attester score } } }',
    'by: attestations(filter: { attester: { in: ["0x2"] } }) { totalCount edges { node { attester } } }',
    'latestReviews { edges { node { attester score verified } } }',
    `actions { edges { node {
      moved { coin taken brought } wallet { owner } event { name } adaptor { serviceType } } } }`,
    'usageByDay { actions wallets coins { coin taken } } usageByCoin(days: 1) { coin actions brought }',
  ]);
  expect(adaptor).toEqual({
    publishedBy: { packages: { totalCount: 3 }, reviews: { count: 6 }, listings: { totalCount: 3 } },
    integrator: {
      name: 'acme',
      adaptorCount: 3,
      adaptors: { totalCount: 3, edges: [{ node: { serviceType: listings[2]!.serviceType } }] },
    },
    attestations: {
      totalCount: 3,
      edges: [
        { node: { attester: address(2), score: 5 } },
        { node: { attester: address(1), score: 4 } },
        { node: { attester: address(1), score: 2 } },
      ],
    },
    by: { totalCount: 1, edges: [{ node: { attester: address(2) } }] },
    latestReviews: {
      edges: [
        { node: { attester: address(2), score: 5, verified: false } },
        { node: { attester: address(1), score: 4, verified: false } },
      ],
    },
    actions: {
      edges: [
        {
          node: {
            moved: [{ coin: sui, taken: '5', brought: '2' }],
            wallet: { owner },
            event: { name: 'CoinWithdrawn' },
            adaptor: { serviceType },
          },
        },
      ],
    },
    usageByDay: [{ actions: 1, wallets: 1, coins: [{ coin: sui, taken: '5' }] }],
    usageByCoin: [{ coin: sui, actions: 1, brought: '2' }],
  });
});

test('a wallet leads to its policy, rules, allowlist, spends, caps, actions and jobs, and they lead back', async () => {
  const wallet = await foundWith(`wallet(walletId: "${walletId}")`, [
    'grants { adaptor { manifest { name } } }',
    `policy { version wallet { walletId } rules { ruleKind registeredRule { label ruleKind publishedBy { address } } }
      allowlist { allowlistId recipients { totalCount edges { node { address } } } wallet { walletId } } }`,
    'allowlists { edges { node { allowlistId } } }',
    'spends { edges { node { amount recipient eventId sender into cap { capKind wallet { walletId } } } } }',
    'caps { totalCount edges { node { capId capKind } } }',
    'actions { totalCount edges { node { serviceType } } }',
    'jobs { edges { node { status agent { name jobs { totalCount } releasedByCoin { amount } } } } }',
  ]);
  expect(wallet).toEqual({
    grants: [{ adaptor: { manifest: { name: 'Adaptor 0' } } }],
    policy: {
      version: 3,
      wallet: { walletId },
      rules: [
        {
          ruleKind: 'CAVEAT',
          registeredRule: {
            label: 'Recipient allowlist',
            ruleKind: 'CAVEAT',
            publishedBy: { address: address(0xa1) },
          },
        },
      ],
      allowlist: {
        allowlistId,
        recipients: {
          totalCount: 2,
          edges: [{ node: { address: address(0x71) } }, { node: { address: address(0x72) } }],
        },
        wallet: { walletId },
      },
    },
    allowlists: { edges: [{ node: { allowlistId } }] },
    spends: {
      edges: [
        {
          node: {
            amount: '9',
            recipient: address(0x71),
            eventId: 'spent:0',
            sender: null,
            into: null,
            cap: { capKind: 'BEARER', wallet: { walletId } },
          },
        },
      ],
    },
    caps: { totalCount: 1, edges: [{ node: { capId, capKind: 'BEARER' } }] },
    actions: { totalCount: 1, edges: [{ node: { serviceType: listings[0]!.serviceType } }] },
    jobs: {
      edges: [
        { node: { status: 'OPEN', agent: { name: 'Amy', jobs: { totalCount: 1 }, releasedByCoin: [] } } },
      ],
    },
  });
});

test('a rule leads to the policies that hold it and to its publisher, and both lead back', async () => {
  const { rule: its } = await found(`{ rule(ruleType: "${rule}") {
    policies(last: 5) { totalCount edges { node { wallet { walletId } rules { registeredRule { ruleType } } } } }
    publishedBy { rules { totalCount edges { node { ruleType } } } } } }`);
  const policy = { wallet: { walletId }, rules: [{ registeredRule: { ruleType: rule } }] };
  expect(its).toEqual({
    policies: { totalCount: 1, edges: [{ node: policy }] },
    publishedBy: { rules: { totalCount: 1, edges: [{ node: { ruleType: rule } }] } },
  });
});

test('an event leads to what it is about', async () => {
  const { registry } = await found(
    '{ registry: registryEvents(first: 2) { edges { node { name adaptor { publisher } listing { publisher } } } } }',
  );
  const events = await found(`{
    wallet: events(source: WALLET, first: 1) { edges { node { ... on WalletEvent { wallet { owner } } } } }
    rules: events(source: RULES) { edges { node { ... on RuleEvent { rule { ruleType } allowlist { allowlistId } } } } }
    agents: events(source: AGENTS) { edges { node { ... on AgentEvent { agent { name } } } } }
    escrow: events(source: ESCROW) { edges { node { ... on EscrowEvent { job { jobId } } } } }
  }`);
  expect(registry.edges).toEqual([
    {
      node: {
        name: 'Registered',
        adaptor: { publisher: hidden.publisher },
        listing: { publisher: hidden.publisher },
      },
    },
    { node: { name: 'Attested', adaptor: { publisher: listings[2]!.publisher }, listing: null } },
  ]);
  expect(events).toEqual({
    wallet: { edges: [{ node: { wallet: { owner } } }] },
    rules: {
      edges: [
        { node: { rule: null, allowlist: null } },
        { node: { rule: null, allowlist: { allowlistId } } },
        { node: { rule: { ruleType: rule }, allowlist: null } },
      ],
    },
    agents: { edges: [{ node: { agent: { name: 'Amy' } } }] },
    escrow: { edges: [{ node: { job: { jobId } } }] },
  });
});

test('each object leads to its events, and they lead back', async () => {
  const events = (more: string, args = '') => `events${args} { totalCount edges { node { name ${more} } } }`;
  const of = (...nodes: object[]) => ({ totalCount: nodes.length, edges: nodes.map((node) => ({ node })) });
  const action = { event: { checkpoint: 1_001 } };
  const withdrawn = { name: 'CoinWithdrawn', wallet: { walletId }, cap: null, action };
  const spent = { name: 'SpendConfirmed', wallet: { walletId }, cap: { capId }, action: null };
  const wallet = await foundWith(`wallet(walletId: "${walletId}")`, [
    events('wallet { walletId } cap { capId } action { event { checkpoint } }'),
    `first: ${events('sender', '(filter: { checkpoint: { lt: 1002 } })')}`,
    `last: ${events('sender', '(last: 1)')}`,
    `caps { edges { node { ${events('checkpoint')} } } }`,
    'allowlists { edges { node { policy { version } events { edges { node { allowlist { allowlistId } } } } } } }',
    'spends { edges { node { event { name checkpoint } } } }',
  ]);
  expect(wallet).toEqual({
    events: of(spent, withdrawn),
    first: of({ name: 'CoinWithdrawn', sender: owner }),
    last: { totalCount: 2, edges: [{ node: { name: 'CoinWithdrawn', sender: owner } }] },
    caps: { edges: [{ node: { events: of({ name: 'SpendConfirmed', checkpoint: 1_002 }) } }] },
    allowlists: {
      edges: [
        { node: { policy: { version: 3 }, events: { edges: [{ node: { allowlist: { allowlistId } } }] } } },
      ],
    },
    spends: { edges: [{ node: { event: { name: 'SpendConfirmed', checkpoint: 1_002 } } }] },
  });
  const fetchEvents = async (object: string, more: string) =>
    (await found(`{ object: ${object} { ${events(more)} } }`)).object.events;
  expect(await fetchEvents(`rule(ruleType: "${rule}")`, 'rule { ruleType }')).toEqual(
    of({ name: 'Registered', rule: { ruleType: rule } }),
  );
  expect(
    await fetchEvents(`agent(address: "${provider}")`, 'agent { address } sourceProgress { name }'),
  ).toEqual(
    of({ name: 'AgentRegistered', agent: { address: provider }, sourceProgress: { name: 'agents' } }),
  );
  expect(await fetchEvents(`job(jobId: "${jobId}")`, 'job { jobId }')).toEqual(
    of({ name: 'JobCreated', job: { jobId } }),
  );
});

test('a service leads to the wallets that granted it, and an agent to those that it may spend for', async () => {
  const { serviceType } = listings[0]!;
  const granted =
    'grants { totalCount edges { node { coin allowance wallet { owner } adaptor { serviceType } } } }';
  const { adaptor, listing, other } = await found(`{
    adaptor(serviceType: "${serviceType}") { ${granted} }
    listing(serviceType: "${serviceType}") { grants(last: 1) { edges { node { walletId } } } }
    other: adaptor(serviceType: "${listings[1]!.serviceType}") { grants { totalCount } }
  }`);
  const grant = { coin: sui, allowance: '77', wallet: { owner }, adaptor: { serviceType } };
  expect(adaptor.grants).toEqual({ totalCount: 1, edges: [{ node: grant }] });
  expect(listing.grants).toEqual({ edges: [{ node: { walletId } }] });
  expect(other.grants.totalCount).toBe(0);

  const more = address(0x900);
  const rows = walletRows(gateway.db);
  await rows.wallet(address(0x105), { walletId: more });
  await rows.delegate(more, provider);
  const { agent } = await found(`{ agent(address: "${provider}") { delegations { totalCount edges { node {
    address agent { name } services { key } wallet { owner delegates { edges { node { wallet { walletId } } } } } } } } } }`);
  const delegates = { edges: [{ node: { wallet: { walletId: more } } }] };
  const node = {
    address: provider,
    agent: { name: 'Amy' },
    services: [],
    wallet: { owner: address(0x105), delegates },
  };
  expect(agent.delegations).toEqual({ totalCount: 1, edges: [{ node }] });
});

test('amounts come with the symbol and the decimals of their coin, where the chain has said them', async () => {
  const { serviceType } = listings[0]!;
  const sui9 = { coinType: sui, symbol: 'SUI', decimals: 9 };
  const [info, of] = ['coinInfo { coinType symbol decimals }', (type: string) => `serviceType: "${type}"`];
  const { adaptor, other, wallet } = await found(`{
    adaptor(${of(serviceType)}) {
      usageByDay { coins { ${info} } } usageByCoin { ${info} } actions { edges { node { moved { ${info} } } } } }
    other: adaptor(${of(listings[1]!.serviceType)}) { usageByCoin { taken ${info} } }
    wallet(walletId: "${walletId}") { jobs { edges { node { ${info} } } } }
  }`);
  expect(adaptor).toEqual({
    usageByDay: [{ coins: [{ coinInfo: sui9 }] }],
    usageByCoin: [{ coinInfo: sui9 }],
    actions: { edges: [{ node: { moved: [{ coinInfo: sui9 }] } }] },
  });
  expect(other).toEqual({ usageByCoin: [{ taken: '1', coinInfo: null }] });
  expect(wallet.jobs.edges).toEqual([{ node: { coinInfo: sui9 } }]);
});

test('every object is found again by its id, alone and among others', async () => {
  const { serviceType } = listings[0]!;
  const nodes = await Promise.all(
    [
      `adaptor(serviceType: "${serviceType}") { id listing { id } publishedBy { id } integrator { id } }`,
      `wallet(walletId: "${walletId}") { id policy { id allowlist { id } } caps { edges { node { id } } } }`,
      `wallet(walletId: "${walletId}") { actions { edges { node { id } } } jobs { edges { node { id } } } }`,
      'rules { edges { node { id } } } agents { edges { node { id } } } sources { id }',
      'registryEvents(first: 1) { edges { node { id } } } events(source: WALLET, first: 1) { edges { node { id name } } }',
    ].map((fields) => found(`{ ${fields} }`)),
  );
  const ids: string[] = [];
  JSON.stringify(nodes, (key, value) => {
    if (key === 'id') ids.push(value);
    return value;
  });
  expect(new Set(ids).size).toBe(19);
  const { nodes: again } = await found(`{ nodes(ids: ${JSON.stringify(ids)}) { id __typename } }`);
  expect(again.map(({ id }: { id: string }) => id)).toEqual(ids);
  expect([...new Set(again.map(({ __typename }: { __typename: string }) => __typename))].toSorted()).toEqual(
    'Adaptor Agent Allowlist Cap Integrator Job Listing Policy Publisher RegistryEvent Rule ServiceAction Source Wallet WalletEvent'.split(
      ' ',
    ),
  );
  for (const id of ids) expect((await found(`{ node(id: "${id}") { id } }`)).node).toEqual({ id });
});

test('versions show what changed, field by field, and the manifest where the index has it', async () => {
  const { publisher, serviceType } = listings[1]!;
  const { rows } = await gateway.db.pool.query<{ hash: string }>(
    `insert into manifests (hash, body) select 'next', body || '{"name": "Renamed", "docsUrl": "https://x"}' from manifests
     where hash = (select manifest_hash from listings where service_type = $1) returning hash`,
    [serviceType],
  );
  await gateway.db.orm.insert(tables.listingVersions).values({
    network: 'testnet',
    serviceType,
    publisher,
    checkpoint: 2_000,
    txIndex: 0,
    eventIndex: 0,
    version: 2,
    listed: true,
    timestamp: computeCheckpointTime(2_000),
    manifestHash: rows[0]!.hash,
    manifestUri: 'walrus://next',
    packageId: serviceType.split('::')[0]!,
  });
  const { listing } = await found(`{ listing(serviceType: "${serviceType}") { versions { edges { node {
    version manifest { name } changes { path before after } } } } } }`);
  const [second, first] = listing.versions.edges;
  expect(first.node).toEqual({ version: 1, manifest: { name: 'Adaptor 1' }, changes: [] });
  expect(second.node).toMatchObject({ version: 2, manifest: { name: 'Renamed' } });
  expect(second.node.changes).toEqual(
    expect.arrayContaining([
      { path: 'version', before: 1, after: 2 },
      { path: 'manifestUri', before: expect.any(String), after: 'walrus://next' },
      { path: 'manifest.name', before: 'Adaptor 1', after: 'Renamed' },
      { path: 'manifest.docsUrl', before: null, after: 'https://x' },
    ]),
  );
  expect(second.node.changes).toHaveLength(5);
});

test('the catalog is walked backwards too, in one order, and counted only on request', async () => {
  const page = (args: string) => `{ adaptors(orderBy: NAME, ${args}) {
    edges { cursor node { manifest { name } } } pageInfo { hasNextPage hasPreviousPage } } }`;
  const names = (data: GraphAnswer['data']) =>
    data.adaptors.edges.map(({ node }: { node: { manifest: { name: string } } }) => node.manifest.name);
  const end = await found(page('last: 2'));
  expect(names(end)).toEqual(['Adaptor 1', 'Adaptor 2']);
  expect(end.adaptors.pageInfo).toEqual({ hasNextPage: false, hasPreviousPage: true });
  const before = await found(page(`last: 2, before: "${end.adaptors.edges[0].cursor}"`));
  expect(names(before)).toEqual(['Adaptor 0']);
  expect(before.adaptors.pageInfo).toEqual({ hasNextPage: true, hasPreviousPage: false });
  const spy = spyOnStatements();
  await found('{ adaptors { edges { cursor } } }');
  await found('{ adaptors { totalCount } }');
  const texts = statementsSeen(spy)
    .map(({ text }) => text)
    .filter((text) => text.includes('catalog_version'));
  spy.mockRestore();
  expect(texts.map((text) => text.includes('null::int as total'))).toEqual([true, false]);
});

test('a cap leads to those that were split from it, and they lead back', async () => {
  const child = address(0x901);
  const minted = { capId: child, mintedCheckpoint: 5_000, parent: capId };
  await walletRows(gateway.db).cap(walletId, { kind: 'scoped', ...minted });
  const { wallet } = await found(`{ wallet(walletId: "${walletId}") { caps { edges { node {
    capId parentCap { capId } childCaps { totalCount edges { node { capId } } } } } } } }`);
  expect(wallet.caps.edges).toEqual([
    { node: { capId: child, parentCap: { capId }, childCaps: { totalCount: 0, edges: [] } } },
    { node: { capId, parentCap: null, childCaps: { totalCount: 1, edges: [{ node: { capId: child } }] } } },
  ]);
});

describe('one statement for each level, however many objects there are', () => {
  test.each([
    'adaptors { edges { node { publishedBy { address listings(first: 2) { totalCount edges { node { status } } } } } } }',
    'adaptors { edges { node { listing { status } latestReviews(first: 1) { edges { node { score } } } } } }',
    'adaptors { edges { node { attestations(last: 2) { totalCount edges { node { score } } } actions { edges { node { wallet { owner } } } } } } }',
    'adaptors { edges { node { usageByDay { day } usageByCoin { coin } integrator { adaptors(first: 1) { edges { cursor } } } } } }',
    'adaptors { edges { node { a: versions { edges { node { version } } } b: versions(first: 1) { edges { node { changes { path } } } } } } }',
    'wallets(owner: "0x101") { edges { node { a: delegates { edges { cursor } } b: delegates(first: 1) { edges { node { truncated } } } } } }',
    'wallets(owner: "0x101") { edges { node { policy { rules { registeredRule { name } } allowlist { recipients { edges { cursor } } } } } } }',
    'wallets(owner: "0x101") { edges { node { spends { edges { node { cap { kind } } } } jobs { edges { node { agent { name } } } } } } }',
    'rules { edges { node { label policies(first: 2) { totalCount edges { node { version wallet { owner } } } } } } }',
    'adaptors(first: 5) { edges { node { usageByDay { coins { coinInfo { symbol } } } usageByCoin { coinInfo { decimals } } } } } agents { edges { node { releasedByCoin { coinInfo { symbol } } } } }',
    'agents { totalCount edges { node { jobs { edges { node { wallet { owner } } } } } } }',
    'publishers { totalCount edges { node { packages { edges { cursor } } } } } integrators { edges { node { name } } }',
    'wallets(owner: "0x101", first: 2) { edges { node { events { totalCount edges { node { cap { capId } adaptor { serviceType } } } } allowlists { edges { node { policy { version } events { edges { cursor } } } } } } } }',
    'wallets(owner: "0x101", first: 2) { edges { node { spends(first: 9) { edges { node { event { name } } } } caps { edges { node { events { edges { cursor } } childCaps { totalCount edges { cursor } } } } } } } }',
    'agents(first: 3) { edges { node { events { edges { node { name } } } delegations { totalCount edges { node { wallet { owner } } } } jobs(first: 3) { edges { node { events { edges { cursor } } } } } } } } rules { edges { node { events(filter: { checkpoint: { gte: 5 } }) { edges { cursor } } } } }',
    'adaptors(first: 3) { edges { node { grants { totalCount edges { node { wallet { owner } } } } versions { edges { node { event { name } } } } attestations { edges { node { event { sender } } } } } } }',
    'events(source: ESCROW) { totalCount edges { node { name } } } registryEvents(filter: { sender: { eq: "0xa1" } }) { edges { cursor } }',
  ])('%s', async (fields) => {
    expect((await captureStatements(gateway.url, `{ ${fields} }`)).sort()).toMatchSnapshot();
  });
});
