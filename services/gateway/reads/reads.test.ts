import { Client } from 'pg';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import * as tables from '../../../db/schema/index.ts';
import { startTestGateway, testPackages, useTestGateway } from '../../../test/support/gateway.ts';
import { address, computeCheckpointTime } from '../../../test/support/read-model.ts';
import { walletRows } from '../../../test/support/wallet-rows.ts';
import { problem } from '../openapi/parts.ts';
import { agentServicesBody, escrowJobsBody } from './agents-and-jobs.ts';
import { policyRulesBody } from './policy-rules.ts';
import { delegatesBody, vaultBody } from './vault.ts';

const sui = `${address(2)}::sui::SUI`;
const usd = `${address(5)}::usd::USD`;

let rows: ReturnType<typeof walletRows>;
const gateway = useTestGateway(
  async ({ source }) => {
    const names = ['registry', 'wallet', 'rules', 'agents', 'escrow'];
    for (const [at, name] of names.entries()) await source({ name, checkpoint: 10 + at });
  },
  { network: testPackages },
);
beforeAll(() => {
  rows = walletRows(gateway.db);
});

const get = (path: string, headers: Record<string, string> = {}) => fetch(gateway.url + path, { headers });

async function body<T>(schema: { parse(value: unknown): T }, path: string): Promise<T> {
  const answer = await get(path);
  const value = await answer.json();
  expect([path, answer.status, answer.status === 200 ? '' : value]).toEqual([path, 200, '']);
  return schema.parse(value);
}

async function refusal(path: string) {
  const answer = await get(path);
  const { code, errors, detail } = problem.parse(await answer.json());
  return { status: answer.status, code, paths: errors?.map((row) => row.path), detail };
}

describe('GET /api/vault', () => {
  test('the newest wallet of an owner is the vault, and the others are shown as well', async () => {
    const owner = address(0x101);
    const older = await rows.wallet(owner, { paused: true });
    const newer = await rows.wallet(owner, { identity: address(0x77) });
    await rows.wallet(address(0x102));
    const vault = await body(vaultBody, `/api/vault?network=testnet&owner=${owner}`);
    expect(vault).toMatchObject({ network: 'testnet', owner, walletId: newer, identity: address(0x77) });
    expect(vault.walletCount).toBe(2);
    expect(vault.wallets.map(({ walletId, paused }) => [walletId, paused])).toEqual([
      [newer, false],
      [older, true],
    ]);
  });

  test('an address in short form, or in capitals, is the same address', async () => {
    const owner = address(0xabc);
    const walletId = await rows.wallet(owner);
    for (const spelling of ['0xabc', '0xABC', '0x0abc']) {
      expect(await body(vaultBody, `/api/vault?owner=${spelling}`)).toMatchObject({ owner, walletId });
    }
  });

  test('an owner without a wallet is 404', async () => {
    expect(await refusal('/api/vault?owner=0x1234')).toMatchObject({ status: 404, code: 'wallet_not_found' });
  });

  test('an owner of hundreds of wallets is shown the newest, with the number of all', async () => {
    const owner = address(0x103);
    for (let n = 0; n < 102; n++) await rows.wallet(owner);
    const vault = await body(vaultBody, `/api/vault?owner=${owner}`);
    expect([vault.walletCount, vault.wallets.length]).toEqual([102, 100]);
  });
});

describe('GET /api/vault/delegates', () => {
  test('each delegate is shown with its budgets, in the order in which they were added', async () => {
    const walletId = await rows.wallet(address(0x201));
    await rows.delegate(walletId, address(0xd2));
    await rows.delegate(walletId, address(0xd1), { expiresAt: computeCheckpointTime(500) });
    await rows.allowance(walletId, address(0xd1), 'coin', sui, '18446744073709551615');
    await rows.allowance(walletId, address(0xd1), 'coin', usd, '7');
    await rows.allowance(walletId, address(0xd1), 'service', `${address(6)}::a::A`, '0');
    const delegates = await body(delegatesBody, `/api/vault/delegates?walletId=${walletId}`);
    expect(delegates.map(({ address }) => address)).toEqual([address(0xd2), address(0xd1)]);
    expect(delegates[0]).toMatchObject({ services: [], coins: [], expiresMs: null, truncated: false });
    expect(delegates[1]).toMatchObject({
      expiresMs: computeCheckpointTime(500).getTime(),
      services: [{ key: `${address(6)}::a::A`, amount: '0', unlimited: false }],
      coins: [
        { key: sui, amount: '18446744073709551615', unlimited: true },
        { key: usd, amount: '7', unlimited: false },
      ],
    });
  });

  test('the link header leads through all pages', async () => {
    const walletId = await rows.wallet(address(0x202));
    for (let n = 0; n < 5; n++)
      await rows.delegate(walletId, address(0xd10 + n), { addedAt: computeCheckpointTime(9) });
    const seen: string[] = [];
    let path: string | undefined = `/api/vault/delegates?walletId=${walletId}&limit=2`;
    while (path) {
      const answer = await get(path);
      seen.push(...delegatesBody.parse(await answer.json()).map((delegate) => delegate.address));
      path = /<([^>]*)>; rel="next"/.exec(answer.headers.get('link') ?? '')?.[1];
    }
    expect(seen).toEqual(Array.from({ length: 5 }, (_, n) => address(0xd10 + n)));
  });

  test('a wallet without delegates has none; an unknown wallet is 404', async () => {
    const walletId = await rows.wallet(address(0x203));
    expect(await body(delegatesBody, `/api/vault/delegates?walletId=${walletId}`)).toEqual([]);
    expect(await refusal('/api/vault/delegates?walletId=0x99')).toMatchObject({
      status: 404,
      code: 'wallet_not_found',
    });
  });
});

describe('GET /api/policy/rules', () => {
  const allowlist = `${address(0xe1)}::rule::RecipientAllowlist`;
  const auth = `${address(0xe2)}::passkey::PasskeyAuth`;

  test('what is listed, valid and not stood before by a verified publisher is shown, labelled in words', async () => {
    await rows.rule(allowlist, { version: 3 });
    const witnessWarnings = [{ code: 'witness_returned', detail: 'Anyone can get one.' } as const];
    await rows.rule(auth, { kind: 'auth', publisherCheck: 'unverified', witnessWarnings });
    await rows.rule(auth, { kind: 'auth', publisher: address(0xa1), publisherCheck: 'unverified' });
    await rows.rule(allowlist, { publisher: address(0xa1), publisherCheck: 'unverified' });
    await rows.rule(`${address(0xe3)}::a::Gone`, { listed: false });
    await rows.rule(`${address(0xe3)}::a::Unchecked`, { witnessCheck: 'pending' });
    await rows.rule('no type', { nameError: 'none' });
    const found = await body(policyRulesBody, '/api/policy/rules?network=testnet');
    expect(found.count).toBe(2);
    expect(found.rules).toEqual([
      expect.objectContaining({
        ruleType: allowlist,
        kind: 'caveat',
        packageId: address(0xe1),
        publisher: address(0xa0),
        publisherVerified: true,
        version: 3,
        label: 'Recipient allowlist',
        warnings: [],
      }),
      expect.objectContaining({
        ruleType: auth,
        kind: 'auth',
        publisher: address(0xa0),
        label: 'Passkey auth',
        warnings: witnessWarnings,
      }),
    ]);
    const first = await body(policyRulesBody, '/api/policy/rules?limit=1');
    const second = await body(policyRulesBody, `/api/policy/rules?limit=1&cursor=${first.nextCursor}`);
    expect([...first.rules, ...second.rules]).toEqual(found.rules);
    expect(second.nextCursor).toBeUndefined();
  });

  test('a rule has its manifest’s name, unless that is about another', async () => {
    const own = `${address(0xe4)}::cap_auth::CapAuth`;
    const copied = `${address(0xe5)}::cap_auth::CapAuth`;
    const manifestHash = 'ab'.repeat(32);
    const manifest = { name: 'Bearer cap', ruleType: own, packageId: address(0xe4) };
    await gateway.db.orm.insert(tables.manifests).values({ hash: manifestHash, body: manifest });
    await rows.rule(own, { manifestHash });
    await rows.rule(copied, { manifestHash, manifestError: 'The manifest is for another rule type.' });
    const { rules } = await body(policyRulesBody, '/api/policy/rules?network=testnet');
    const labels = new Map(rules.map(({ ruleType, label }) => [ruleType, label]));
    expect([labels.get(own), labels.get(copied)]).toEqual(['Bearer cap', 'Cap auth']);
  });
});

describe('GET /api/agent-services', () => {
  test('agents stand by their rank, then by name; money is added up by coin', async () => {
    const bob = await rows.agent('Bob');
    const amy = await rows.agent('Amy', { cardUrl: 'https://amy.example/card.json' });
    const cid = await rows.agent('Cid');
    const dan = await rows.agent('Dan', { listed: false });
    await rows.job(cid, { state: 3, amount: '18446744073709551615' });
    await rows.job(cid, { state: 3, amount: '18446744073709551615' });
    await rows.job(cid, { state: 3, amount: '5', coin: usd });
    await rows.job(cid, { state: 4, amount: '1000' });
    await rows.job(dan, { state: 3 });
    await rows.hirers(cid, 3);
    await rows.hirers(dan, 4);
    const { count, services } = await body(agentServicesBody, '/api/agent-services');
    expect(count).toBe(3);
    expect(services.map(({ address }) => address)).toEqual([cid, amy, bob]);
    expect(services[0]).toMatchObject({
      name: 'Cid',
      completedJobs: 3,
      hirers: 3,
      newHirers: 3,
      releasedValue: '36893488147419103235',
      releasedByCoin: [
        { coinType: sui, amount: '36893488147419103230', jobs: 2 },
        { coinType: usd, amount: '5', jobs: 1 },
      ],
    });
    expect(services[1]).toMatchObject({
      description: 'Amy works.',
      skills: ['work'],
      cardUrl: 'https://amy.example/card.json',
      completedJobs: 0,
      hirers: 0,
      newHirers: 0,
      releasedValue: '0',
      releasedByCoin: [],
    });
    expect(services[2]).not.toHaveProperty('cardUrl');
    const pages = [await body(agentServicesBody, '/api/agent-services?limit=1')];
    while (pages.at(-1)!.nextCursor) {
      const cursor = pages.at(-1)!.nextCursor;
      pages.push(await body(agentServicesBody, `/api/agent-services?limit=1&cursor=${cursor}`));
    }
    expect(pages.flatMap((page) => page.services)).toEqual(services);
  });
});

describe('GET /api/escrow/jobs', () => {
  test('a job by its id is shown in all its fields', async () => {
    const provider = address(0x301);
    const said = { note: 'done', deadlineAt: computeCheckpointTime(900), reviewMs: 3_600_000 };
    const jobId = await rows.job(provider, { state: 2, ...said });
    const found = await body(escrowJobsBody, `/api/escrow/jobs?network=testnet&jobId=${jobId}`);
    expect(found).toEqual({
      network: 'testnet',
      job: {
        jobId,
        state: 'submitted',
        stateNum: 2,
        amount: '100',
        provider,
        payer: address(0xfeed),
        coinType: sui,
        note: 'done',
        walletId: address(0xbeef),
        brief: 'Do it.',
        assessorType: `${address(9)}::cap_assessor::CapAssessor`,
        assessor: null,
        deadlineMs: computeCheckpointTime(900).getTime(),
        reviewMs: 3_600_000,
        createdMs: expect.any(Number),
        refundTo: null,
        refundedTo: null,
        refundReason: null,
      },
    });
  });

  test('a refund of a job goes to the address that paid, or to the wallet that paid', async () => {
    const walletId = await rows.wallet(address(0x304));
    const paid = { state: 1, walletId, funder: address(0x305) };
    const read = async (row: object) => {
      const jobId = await rows.job(address(0x306), { ...paid, ...row });
      const { job } = (await body(escrowJobsBody, `/api/escrow/jobs?jobId=${jobId}`)) as { job: object };
      return job;
    };
    expect(await read({ fromWallet: false })).toMatchObject({ refundTo: address(0x305) });
    const [{ identity }] = (
      await gateway.served.pool.query('select identity from wallets where wallet_id = $1', [walletId])
    ).rows;
    expect(await read({ fromWallet: true })).toMatchObject({ refundTo: identity });
  });

  test('what a package does not say is null, or what the wallet says', async () => {
    const owner = address(0x302);
    const walletId = await rows.wallet(owner);
    const unsaid = { walletId, payer: null, coin: null, amount: null, brief: null };
    const jobId = await rows.job(address(0x303), unsaid);
    expect(await body(escrowJobsBody, `/api/escrow/jobs?jobId=${jobId}`)).toMatchObject({
      job: { payer: owner, coinType: null, amount: '0', note: null },
    });
  });

  test('a client that does not know cursors gets 1,000 jobs', async () => {
    const provider = address(0x306);
    for (let n = 0; n < 1_001; n++) await rows.job(provider);
    const page = (await body(escrowJobsBody, `/api/escrow/jobs?provider=${provider}`)) as {
      jobs: unknown[];
      nextCursor?: string;
    };
    expect(page.jobs).toHaveLength(1_000);
    expect(page.nextCursor).toBeDefined();
  });

  test('jobs of a provider and of an owner come newest first, in pages', async () => {
    const [provider, payer] = [address(0x304), address(0x305)];
    const jobs: string[] = [];
    for (let n = 0; n < 5; n++) jobs.unshift(await rows.job(provider, { payer, state: n }));
    for (const [role, who] of [
      ['provider', provider],
      ['owner', payer],
    ]) {
      const path = `/api/escrow/jobs?${role}=${who}`;
      const all = (await body(escrowJobsBody, path)) as {
        role: string;
        jobs: { jobId: string; state: string }[];
      };
      expect([all.role, all.jobs.map(({ jobId }) => jobId)]).toEqual([role, jobs]);
      expect(all.jobs.map(({ state }) => state)).toEqual([
        'refunded',
        'released',
        'submitted',
        'funded',
        'open',
      ]);
      const seen: string[] = [];
      let cursor = '';
      do {
        const page = (await body(escrowJobsBody, `${path}&limit=2${cursor}`)) as typeof all & {
          nextCursor?: string;
        };
        seen.push(...page.jobs.map(({ jobId }) => jobId));
        cursor = page.nextCursor ? `&cursor=${page.nextCursor}` : '';
      } while (cursor);
      expect(seen).toEqual(jobs);
    }
  });

  test('an unknown jobId is 404', async () => {
    const unknown = await refusal('/api/escrow/jobs?jobId=0x9999');
    expect(unknown).toMatchObject({ status: 404, code: 'job_not_found' });
  });

  test.each(['provider', 'owner'])('a %s without jobs has an empty list', async (role) => {
    const empty = { network: 'testnet', role, jobs: [] };
    expect(await body(escrowJobsBody, `/api/escrow/jobs?${role}=0x9999`)).toEqual(empty);
    expect(await body(escrowJobsBody, `/api/escrow/jobs?${role}=0x9999&limit=2`)).toEqual(empty);
  });

  test.each([
    ['no selector', '', ['query.jobId']],
    ['two selectors', 'provider=0x1&owner=0x1', ['query.provider', 'query.owner']],
    ['three selectors', 'provider=0x1&owner=0x1&jobId=0x1', ['query.jobId', 'query.provider', 'query.owner']],
    ['pages of one job', 'jobId=0x1&limit=3', ['query.limit']],
  ])('%s is 400', async (_, query, paths) => {
    expect(await refusal(`/api/escrow/jobs?${query}`)).toMatchObject({ status: 400, paths });
  });
});

const reads = [
  ['/api/delegations', 'address'],
  ['/api/vault', 'owner'],
  ['/api/vault/delegates', 'walletId'],
  ['/api/escrow/jobs', 'jobId'],
  ['/api/escrow/jobs', 'provider'],
  ['/api/escrow/jobs', 'owner'],
] as const;

describe.each(reads)('%s by %s', (path, name) => {
  test.each([
    ['empty', ''],
    ['without 0x', 'abc'],
    ['no hex', '0xg'],
    ['only 0x', '0x'],
    ['too long', `0x${'1'.repeat(65)}`],
    ['with a space', '0x1%20'],
    ['a name', 'bob.sui'],
    ['a type', '0x2::sui::SUI'],
    ['U+0000', '0x1%00'],
  ])('%s is 400 and names the field', async (_, value) => {
    const { status, paths } = await refusal(`${path}?${name}=${value}`);
    expect(status).toBe(400);
    expect(paths?.[0]).toMatch(new RegExp(`^query.${name}`));
  });

  test('given twice is 400', async () => {
    const { status, paths } = await refusal(`${path}?${name}=0x1&${name}=0x2`);
    expect([status, paths]).toEqual([400, [`query.${name}`]]);
  });
});

const everyPath = [
  '/api/delegations?address=0x1',
  '/api/vault?owner=0x1',
  '/api/vault/delegates?walletId=0x1',
  '/api/policy/rules?',
  '/api/agent-services?',
  '/api/escrow/jobs?owner=0x1',
];

test.each(everyPath)('%s refuses a network that there is not, or that is not served', async (path) => {
  const unknown = await refusal(`${path}&network=devnet`);
  expect([unknown.status, unknown.paths]).toEqual([400, ['query.network']]);
  expect(await refusal(`${path}&network=mainnet`)).toMatchObject({
    status: 400,
    code: 'network_not_configured',
  });
});

test('a required parameter that is not given is named, and said to be missing', async () => {
  for (const [path, name] of [
    ['/api/vault', 'owner'],
    ['/api/vault/delegates', 'walletId'],
    ['/api/delegations', 'address'],
  ]) {
    const answer = await fetch(`${gateway.url}${path}`);
    expect(answer.status).toBe(400);
    expect(problem.parse(await answer.json()).errors).toEqual([
      { path: `query.${name}`, message: 'is missing' },
    ]);
  }
});

test('a cursor or a limit that is not ours is 400', async () => {
  for (const path of ['/api/policy/rules?', '/api/agent-services?', '/api/escrow/jobs?owner=0x1&']) {
    expect(await refusal(`${path}cursor=abc`)).toMatchObject({ status: 400, code: 'bad_cursor' });
    for (const limit of ['0', '1001', '1.5', '-1']) {
      expect((await refusal(`${path}limit=${limit}`)).paths).toEqual(['query.limit']);
    }
  }
});

test('a host that does not follow a package says which setting is missing', async () => {
  const bare = await startTestGateway();
  try {
    for (const [path, setting] of [
      ['/api/delegations?address=0x1', 'TESTNET_WALLET_PACKAGE_ID'],
      ['/api/vault?owner=0x1', 'TESTNET_WALLET_PACKAGE_ID'],
      ['/api/vault/delegates?walletId=0x1', 'TESTNET_WALLET_PACKAGE_ID'],
      ['/api/policy/rules', 'TESTNET_RULES_PACKAGE_ID'],
      ['/api/agent-services', 'TESTNET_AGENTS_PACKAGE_ID'],
      ['/api/escrow/jobs?owner=0x1', 'TESTNET_ESCROW_PACKAGE_ID'],
    ]) {
      const answer = await fetch(bare.url + path);
      const { code, detail } = problem.parse(await answer.json());
      expect([answer.status, code]).toEqual([503, 'not_configured']);
      expect(detail).toContain(`${setting} is not set`);
    }
  } finally {
    await bare.close();
  }
});

describe('an answer', () => {
  let owner: string;
  let path: string;
  beforeAll(async () => {
    owner = address(0x401);
    path = `/api/vault?owner=${owner}`;
    await rows.wallet(owner);
  });

  test('says how far the index is, and lets any page read it', async () => {
    const answer = await get(path);
    expect(answer.headers.get('x-indexed-checkpoint')).toBe('11');
    expect(answer.headers.get('access-control-allow-origin')).toBe('*');
    // It rests on two sources: the one that is behind counts.
    expect((await get('/api/agent-services')).headers.get('x-indexed-checkpoint')).toBe('13');
  });

  test("is not sent again while the caller's copy is good, whatever else happens on the chain", async () => {
    const etag = (await get(path)).headers.get('etag')!;
    await rows.wallet(address(0x402));
    const unchanged = await get(path, { 'if-none-match': etag });
    expect([unchanged.status, await unchanged.text()]).toEqual([304, '']);
    expect(unchanged.headers.get('x-indexed-checkpoint')).toBe('11');
    await rows.wallet(owner);
    const changed = await get(path, { 'if-none-match': etag });
    expect(changed.status).toBe(200);
    expect(changed.headers.get('etag')).not.toBe(etag);
  });

  test('takes one round trip, whose statement is prepared under a name', async () => {
    const spy = vi.spyOn(Client.prototype, 'query');
    for (const each of everyPath.slice(1)) await (await get(each)).text();
    const names = spy.mock.calls.map(([statement]) => (statement as unknown as { name?: string }).name);
    spy.mockRestore();
    // The watch looks by itself each second.
    expect(names.filter((name) => name !== 'read-index-state')).toEqual([
      'list-counted-wallets-of-owner-of-one',
      'list-delegates-of-one',
      'list-rules-of-one',
      'list-agents-of-one',
      'list-jobs-owner-of-one',
    ]);
  });
});
