import { beforeAll, expect, test } from 'vitest';
import { startTestGateway, testPackages, useTestGateway } from '../../../test/support/gateway.ts';
import { captureStatements, queryGraph, readGraph } from '../../../test/support/graph-queries.ts';
import { address } from '../../../test/support/read-model.ts';
import { namesSeen, spyOnStatements } from '../../../test/support/statements.ts';
import { walletRows } from '../../../test/support/wallet-rows.ts';

const owner = address(0x101);
const provider = address(0x102);
const sui = `${address(2)}::sui::SUI`;
const rule = `${address(0xe1)}::rule::RecipientAllowlist`;

const wallets: string[] = [];
const jobs: string[] = [];
const gateway = useTestGateway(({ source }) => source({ name: 'wallet', stoppedAt: new Date(5) }), {
  network: testPackages,
});
beforeAll(async () => {
  const rows = walletRows(gateway.db);
  for (let n = 0; n < 3; n++) {
    const walletId = await rows.wallet(owner);
    wallets.unshift(walletId);
    await rows.delegate(walletId, address(0xd0));
    await rows.delegate(walletId, address(0xd1));
    await rows.allowance(walletId, address(0xd0), 'coin', sui, '18446744073709551615');
    await rows.policy(walletId, { version: 3 });
    await rows.policyRule(walletId, 'caveat', rule);
    await rows.allowlist(walletId, [address(0x71)]);
    await rows.cap(walletId, {
      kind: 'scoped',
      coin: sui,
      budget: '9',
      remaining: '5',
      depth: 0,
      maxDepth: 1,
    });
    await rows.cap(walletId, { recipient: provider });
    await rows.grant(walletId, `${address(6)}::a::A`, sui, '77');
    jobs.unshift(await rows.job(provider, { walletId, payer: owner, reviewMs: 3_600_000 }));
  }
  await rows.rule(rule);
  await rows.agent('Amy', { agent: provider });
  await gateway.seed.listing({ serviceType: `${address(6)}::a::A`, usage: { actions: 12, uniqueVaults: 3 } });
});

const ask = (query: string) => queryGraph(gateway.url, query);
const found = (query: string) => readGraph(gateway.url, query);

const everythingOfWallets = (first: number) => `{ wallets(owner: "0x101", first: ${first}) { edges { node {
  walletId owner identity paused createdMs network
  grants { serviceType coin allowance pullCap grantedMs }
  policy { version spendInto rules { kind rule forAuth } allowlistId recipients }
  delegates(first: 1) { edges { node { address services { key } coins { key amount unlimited } } } pageInfo { hasNextPage } }
  caps(first: 1) { edges { node { capId kind recipient coin remaining } } pageInfo { hasNextPage endCursor } }
} } } }`;

test('a wallet is shown with its grants, policy, delegates and caps', async () => {
  const { wallets: page } = await found(everythingOfWallets(3));
  expect(page.edges.map(({ node }: { node: { walletId: string } }) => node.walletId)).toEqual(wallets);
  expect(page.edges[0].node).toMatchObject({
    owner,
    network: 'testnet',
    paused: false,
    grants: [{ serviceType: `${address(6)}::a::A`, coin: sui, allowance: '77', pullCap: null }],
    policy: {
      version: 3,
      spendInto: false,
      rules: [{ kind: 'caveat', rule, forAuth: null }],
      recipients: [address(0x71)],
    },
    delegates: {
      edges: [{ node: { address: address(0xd0), services: [], coins: [{ key: sui, unlimited: true }] } }],
      pageInfo: { hasNextPage: true },
    },
    caps: {
      edges: [{ node: { kind: 'bearer', recipient: provider, coin: null } }],
      pageInfo: { hasNextPage: true },
    },
  });
});

test('whatever the number of wallets, they and their lists are one statement', async () => {
  const expected = ['find-policies', 'list-wallets-of-owner-with-grants-delegates-caps'];
  expect((await captureStatements(gateway.url, everythingOfWallets(1))).sort()).toEqual(expected);
  expect((await captureStatements(gateway.url, everythingOfWallets(3))).sort()).toEqual(expected);
});

test('a page of wallets and their lists are one statement, and each list is that of its wallet', async () => {
  const lists = `walletId grants { coin allowance }
    delegates(last: 1) { edges { node { address } cursor } pageInfo { hasPreviousPage } }
    caps(first: 1) { edges { node { capId } } pageInfo { hasNextPage } } allowlists { edges { node { allowlistId } } }`;
  const bare = address(0x77);
  await walletRows(gateway.db).wallet(owner, { walletId: bare, createdCheckpoint: 1_000 });
  const page = (paging: string) =>
    `{ wallets(owner: "${owner}", ${paging}) { edges { cursor node { ${lists} } } } }`;
  const spy = spyOnStatements();
  const { wallets: all } = await found(page('first: 10'));
  const names = namesSeen(spy);
  spy.mockRestore();
  expect(names).toEqual([expect.stringMatching(/^list-wallets-of-owner-with-[0-9a-f]{16}$/)]);
  const nodes: { walletId: string }[] = all.edges.map(({ node }: { node: object }) => node);
  expect(nodes.map(({ walletId }) => walletId)).toEqual([bare, ...wallets]);
  for (const node of nodes)
    expect((await found(`{ wallet(walletId: "${node.walletId}") { ${lists} } }`)).wallet).toEqual(node);
  const { wallets: end } = await found(page(`last: 2, before: "${all.edges[3].cursor}"`));
  expect(end.edges).toEqual(all.edges.slice(1, 3));
  await gateway.db.pool.query('delete from wallets where wallet_id = $1', [bare]);
});

test('a list of the wallets of a page that is asked for twice is still right, and a wrong one is refused at its field', async () => {
  const { wallets: page } = await found(
    `{ wallets(owner: "${owner}") { edges { node { one: caps(first: 1) { edges { node { capId } } } caps { edges { node { capId } } } } } } }`,
  );
  for (const { node } of page.edges) expect(node.one.edges).toEqual(node.caps.edges.slice(0, 1));
  const { errors } = await ask(
    `{ wallets(owner: "${owner}", first: 1) { edges { node { caps(after: "abc") { edges { cursor } } } } } }`,
  );
  expect(errors?.map(({ extensions }) => extensions.code)).toEqual(['bad_cursor']);
});

test('the caps of a wallet are walked page by page', async () => {
  const page = (after: string) => `{ wallet(walletId: "${wallets[0]}") {
    caps(first: 1${after}) { edges { node { kind } } pageInfo { endCursor hasNextPage } } } }`;
  const first = (await found(page(''))).wallet.caps;
  const second = (await found(page(`, after: "${first.pageInfo.endCursor}"`))).wallet.caps;
  expect([first.edges[0].node.kind, second.edges[0].node.kind]).toEqual(['bearer', 'scoped']);
  expect(second.pageInfo.hasNextPage).toBe(false);
});

test('a holder who splits off any number of caps hides none that the owner minted', async () => {
  const rows = walletRows(gateway.db);
  const walletId = address(0x500);
  const [root, bearer] = [address(0x501), address(0x502)];
  const scoped = { kind: 'scoped', coin: sui, maxDepth: 1 } as const;
  await rows.wallet(address(0x103), { walletId });
  await rows.cap(walletId, { capId: root, depth: 0, ...scoped });
  await rows.cap(walletId, { capId: bearer });
  for (let n = 0; n < 60; n += 1)
    await rows.cap(walletId, { capId: address(0x510 + n), depth: 1, parent: root, ...scoped });
  const { wallet } = await found(`{ wallet(walletId: "${walletId}") {
    caps(first: 50) { totalCount edges { node { parent } } }
    ownerCaps(first: 50) { totalCount edges { node { capId } } } } }`);
  expect(wallet.caps.edges.every(({ node }: { node: { parent: string } }) => node.parent === root)).toBe(
    true,
  );
  expect(wallet.ownerCaps).toEqual({
    totalCount: 2,
    edges: [{ node: { capId: bearer } }, { node: { capId: root } }],
  });
  const { wallets: page } = await found(
    `{ wallets(owner: "${address(0x103)}") { edges { node { ownerCaps(last: 1) { edges { node { capId } } } } } } }`,
  );
  expect(page.edges).toEqual([{ node: { ownerCaps: { edges: [{ node: { capId: root } }] } } }]);
});

test('jobs come with their wallets, in two statements', async () => {
  const query = `{ jobs(provider: "${provider}") { edges { node { jobId state payer amount wallet { owner } } } } }`;
  const { jobs: page } = await found(query);
  expect(page.edges.map(({ node }: { node: object }) => node)).toEqual(
    jobs.map((jobId) => ({ jobId, state: 'open', payer: owner, amount: '100', wallet: { owner } })),
  );
  expect((await captureStatements(gateway.url, query)).sort()).toEqual([
    'find-wallets',
    'list-jobs-provider-of-one',
  ]);
});

test('jobs of a network are found by all conditions together', async () => {
  const ids = async (conditions: string) => {
    const { jobs: page } = await found(`{ jobs${conditions} { totalCount edges { node { jobId } } } }`);
    expect(page.totalCount).toBe(page.edges.length);
    return page.edges.map(({ node }: { node: { jobId: string } }) => node.jobId);
  };
  expect(await ids('')).toEqual(jobs);
  expect(await ids(`(owner: "${owner}", provider: "${provider}", status: OPEN)`)).toEqual(jobs);
  expect(await ids('(status: RELEASED)')).toEqual([]);
  expect(await ids(`(owner: "${provider}", provider: "${provider}")`)).toEqual([]);
});

test('one job, agents, rules, the use of a service and the state of a source are found', async () => {
  const data = await found(`{
    job(jobId: "${jobs[0]}") { jobId stateNum reviewMs }
    nowhere: job(jobId: "0x99") { jobId }
    jobs(owner: "${owner}", first: 2) { edges { node { jobId } } pageInfo { hasNextPage } }
    agents { edges { node { address name skills completedJobs releasedValue releasedByCoin { amount } } } }
    rules { edges { node { ruleType kind publisherVerified warnings { code detail } } } }
    usage(serviceType: "0x6::a::A") { actions uniqueVaults }
    unused: usage(serviceType: "0x7::a::A") { actions lastActionMs }
    sources { name stoppedMs removedMs }
  }`);
  expect(data).toEqual({
    job: { jobId: jobs[0], stateNum: 0, reviewMs: 3_600_000 },
    nowhere: null,
    jobs: {
      edges: [{ node: { jobId: jobs[0] } }, { node: { jobId: jobs[1] } }],
      pageInfo: { hasNextPage: true },
    },
    agents: {
      edges: [
        {
          node: {
            address: provider,
            name: 'Amy',
            skills: ['work'],
            completedJobs: 0,
            releasedValue: '0',
            releasedByCoin: [],
          },
        },
      ],
    },
    rules: { edges: [{ node: { ruleType: rule, kind: 'caveat', publisherVerified: true, warnings: [] } }] },
    usage: { actions: 12, uniqueVaults: 3 },
    unused: { actions: 0, lastActionMs: null },
    sources: [{ name: 'wallet', stoppedMs: 5, removedMs: null }],
  });
});

test.each([
  ['an owner that is not an address', '{ wallets(owner: "bob") { edges { cursor } } }', 'invalid_argument'],
  ['an id without 0x', '{ wallet(walletId: "99") { owner } }', 'invalid_argument'],
  [
    'jobs of an owner that is not an address',
    '{ jobs(owner: "bob") { edges { cursor } } }',
    'invalid_argument',
  ],
  ['a page of thousands', '{ agents(first: 1000) { edges { cursor } } }', 'invalid_argument'],
  ['a cursor that is not ours', '{ rules(after: "abc") { edges { cursor } } }', 'bad_cursor'],
  [
    'pages within pages',
    '{ wallets(owner: "0x1", first: 100) { edges { node { caps(first: 100) { edges { node { capId kind } } } } } } }',
    'query_too_large',
  ],
])('%s is refused', async (_, query, code) => {
  expect((await ask(query)).errors?.[0]?.extensions.code).toBe(code);
});

test('what the host does not follow is refused by name, not shown as empty', async () => {
  const bare = await startTestGateway();
  try {
    const query = '{ agents { edges { cursor } } }';
    const answer = await fetch(`${bare.url}/graphql?query=${encodeURIComponent(query)}`);
    const { errors } = JSON.parse(await answer.text());
    expect(errors[0].extensions.code).toBe('not_configured');
    expect(errors[0].message).toContain('TESTNET_AGENTS_PACKAGE_ID is not set');
  } finally {
    await bare.close();
  }
});
