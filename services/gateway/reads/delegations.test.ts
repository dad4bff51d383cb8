import {
  NodeRefusedError,
  startNodeDouble,
  type UnaryHandler,
} from '@adaptor-marketplace/adaptor/testing/node-double';
import * as grpc from '@grpc/grpc-js';
import { GrpcTypes } from '@mysten/sui/grpc';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { readCapsMintedFor } from '../../../db/queries/wallets/caps.ts';
import { type Cap, capTypes, encodeCap } from '../../../lib/chain/caps.ts';
import { startTestGateway, type TestGateway } from '../../../test/support/gateway.ts';
import { address } from '../../../test/support/read-model.ts';
import { walletRows } from '../../../test/support/wallet-rows.ts';
import { problem } from '../openapi/parts.ts';
import { delegationsBody } from './delegations.ts';

const walletPackageId = address(0xaa);
const rulesPackageId = address(0xbb);
const allowlistRule = `${rulesPackageId}::rule::RecipientAllowlist`;
const capAuth = `${walletPackageId}::cap_auth::CapAuth`;
const scopedAuth = `${walletPackageId}::sub_delegate::ScopedAuth`;
const sui = `${address(2)}::sui::SUI`;
const holder = address(0x600d);

interface ListRequest {
  owner: string;
  objectType: string;
  pageSize: number;
  pageToken?: Uint8Array;
}

/** Caps that the node returns in the current test. */
let held: Cap[];
let handlers: Record<string, UnaryHandler>;
let node: Awaited<ReturnType<typeof startNodeDouble>>;
let gateway: TestGateway;
let rows: ReturnType<typeof walletRows>;
const asked: string[] = [];

beforeEach(() => {
  held = [];
  asked.length = 0;
  handlers = {
    listOwnedObjects({ owner, objectType, pageSize, pageToken }: ListRequest) {
      asked.push('listOwnedObjects');
      const kind = objectType === `${walletPackageId}::${capTypes.bearer}` ? 'bearer' : 'scoped';
      expect(objectType).toBe(`${walletPackageId}::${capTypes[kind]}`);
      const all = owner === holder ? held.filter((cap) => cap.kind === kind) : [];
      const from = pageToken ? Number(Buffer.from(pageToken).toString()) : 0;
      const objects = all
        .slice(from, from + pageSize)
        .map((cap) => ({ contents: { value: encodeCap(cap) } }));
      const more = from + pageSize < all.length;
      return { objects, ...(more && { nextPageToken: Buffer.from(`${from + pageSize}`) }) };
    },
    batchGetObjects({ requests }: { requests: { objectId: string }[] }) {
      asked.push('batchGetObjects');
      return {
        objects: requests.map(({ objectId }) => {
          const cap = held.find(({ id }) => id === objectId);
          if (!cap) return { result: { oneofKind: undefined } };
          const objectType = `${walletPackageId}::${capTypes[cap.kind]}`;
          const owner = { kind: GrpcTypes.Owner_OwnerKind.ADDRESS, address: holder };
          const object = { objectId, objectType, owner, contents: { value: encodeCap(cap) } };
          return { result: { oneofKind: 'object', object } };
        }),
      };
    },
    getCoinInfo: ({ coinType }: { coinType: string }) => {
      asked.push('getCoinInfo');
      if (coinType !== sui) throw new NodeRefusedError(grpc.status.NOT_FOUND, 'no such coin');
      return { coinType, metadata: { decimals: 9, symbol: 'SUI' } };
    },
    getFunction: () => {
      asked.push('getFunction');
      return { function: { name: 'add_caveat_rule_for' } };
    },
  };
});

beforeAll(async () => {
  const now =
    (name: string): UnaryHandler =>
    (request, metadata) =>
      handlers[name]!(request, metadata);
  node = await startNodeDouble({
    listOwnedObjects: now('listOwnedObjects'),
    batchGetObjects: now('batchGetObjects'),
    getCoinInfo: now('getCoinInfo'),
    getFunction: now('getFunction'),
  });
  gateway = await startTestGateway(
    async ({ source }) => {
      await source({ name: 'wallet', checkpoint: 20 });
      await source({ name: 'rules', checkpoint: 18 });
    },
    { network: { rpcUrl: node.url, walletPackageId, rulesPackageId } },
  );
  rows = walletRows(gateway.db);
});
afterAll(async () => {
  await gateway.close();
  node.close();
});

const path = '/api/delegations?network=testnet&address=';
const read = async (owner = holder, headers: Record<string, string> = {}) =>
  await fetch(`${gateway.url}${path}${owner}`, { headers });
async function delegations(more = '') {
  const answer = await read(`${holder}${more}`);
  const body = await answer.json();
  expect([answer.status, answer.status === 200 ? '' : body]).toEqual([200, '']);
  return delegationsBody.parse(body);
}

let capNumber = 0;
const bearer = (walletId: string, policyVersion = 1): Cap => ({
  kind: 'bearer',
  id: address(0xb000 + ++capNumber),
  walletId,
  policyVersion,
});
const scoped = (walletId: string, changed: Partial<Cap> = {}): Cap =>
  ({
    kind: 'scoped',
    id: address(0xc000 + ++capNumber),
    walletId,
    policyVersion: 1,
    coin: sui,
    remaining: '1500000000',
    depth: 0,
    maxDepth: 2,
    parent: null,
    ancestors: [],
    ...changed,
  }) as Cap;

async function walletWithPolicy(on = rows): Promise<string> {
  const walletId = await on.wallet(address(0xfeed));
  await on.policy(walletId);
  await on.policyRule(walletId, 'auth', capAuth);
  await on.policyRule(walletId, 'auth', scopedAuth);
  await on.policyRule(walletId, 'caveat', allowlistRule);
  return walletId;
}

test('who holds nothing is answered so, not refused', async () => {
  expect(await delegations()).toEqual({
    address: holder,
    network: 'testnet',
    active: [],
    revoked: [],
    truncated: false,
  });
});

test('what the node says is held, and what the index says of it, make one answer', async () => {
  const walletId = await walletWithPolicy();
  await rows.allowlist(walletId, [address(0x71)], { retiredAt: new Date() });
  const allowlistId = await rows.allowlist(walletId, [address(0x73), address(0x72)]);
  const parent = await rows.cap(walletId, { kind: 'scoped', revokedAt: new Date() });
  held = [
    bearer(walletId),
    scoped(walletId),
    scoped(walletId, { depth: 1, parent, ancestors: [parent] } as Partial<Cap>),
  ];
  const { active, revoked, truncated } = await delegations();
  expect(truncated).toBe(false);
  expect(active).toMatchObject([
    { kind: 'bearer', conditions: ["Money may go only to the 2 recipients on the owner's list."] },
    { kind: 'scoped', remainingHuman: '1.5', canSubdelegate: true },
  ]);
  for (const each of active) {
    expect(each).toMatchObject({
      allowlistId,
      allowlist: [address(0x72), address(0x73)],
      enforcesAllowlist: true,
    });
  }
  expect(revoked).toMatchObject([{ capId: held[2]!.id, summary: expect.stringContaining('split from') }]);
  await rows.policy(walletId, { version: 2 });
  expect((await delegations()).active).toEqual([]);
});

test('on a wallet package of the earlier kind no list of recipients is enforced', async () => {
  handlers.getFunction = () => {
    throw new NodeRefusedError(grpc.status.NOT_FOUND, 'no such function');
  };
  const earlier = await startTestGateway(undefined, {
    network: {
      rpcUrl: node.url,
      walletPackageId,
      rulesPackageId,
    },
  });
  try {
    const its = walletRows(earlier.db);
    const walletId = await walletWithPolicy(its);
    await its.allowlist(walletId, [address(0x72)]);
    held = [bearer(walletId), scoped(walletId)];
    const answer = await fetch(`${earlier.url}${path}${holder}`);
    const { active } = delegationsBody.parse(await answer.json());
    expect(active.map(({ allowlist, enforcesAllowlist }) => [allowlist, enforcesAllowlist])).toEqual([
      [[address(0x72)], false],
      [[address(0x72)], false],
    ]);
    for (const { summary } of active) expect(summary).toContain('no recipient is checked');
  } finally {
    await earlier.close();
  }
});

test('an answer is fresh to the checkpoint of the source that is behind, and is not sent twice', async () => {
  held = [bearer(await walletWithPolicy())];
  const answer = await read();
  expect(answer.headers.get('x-indexed-checkpoint')).toBe('18');
  const etag = answer.headers.get('etag')!;
  expect((await read(holder, { 'if-none-match': etag })).status).toBe(304);
  held = [];
  expect((await read(holder, { 'if-none-match': etag })).status).toBe(200);
});

test('the decimals of a coin, and what the package demands, are asked for once', async () => {
  held = [scoped(await walletWithPolicy())];
  await delegations();
  asked.length = 0;
  await delegations();
  expect(asked).toEqual(['listOwnedObjects', 'listOwnedObjects']);
});

test('a coin without decimals costs the amount for people, not the answer', async () => {
  held = [scoped(await walletWithPolicy(), { coin: `${address(8)}::x::X` } as Partial<Cap>)];
  const [cap] = (await delegations()).active;
  expect(cap).not.toHaveProperty('remainingHuman');
  expect(cap?.remaining).toBe('1500000000');
});

test('thousands of caps sent by a stranger are cut, and the answer says so', async () => {
  const walletId = await walletWithPolicy();
  held = Array.from({ length: 3_000 }, () => bearer(walletId));
  const { active, truncated } = await delegations();
  expect([active.length, truncated]).toEqual([400, true]);
  expect(asked.filter((name) => name === 'listOwnedObjects')).toHaveLength(3);
});

test("a stranger's thousands of caps do not hide those that the owner minted for the address", async () => {
  const walletId = await walletWithPolicy();
  const capId = await rows.cap(walletId, { recipient: holder });
  const outdated = await rows.cap(walletId, { recipient: holder, policyVersion: 1 });
  await rows.policy(walletId, { version: 2 });
  const current = await rows.cap(walletId, { recipient: holder, policyVersion: 2 });
  const junk = await walletWithPolicy();
  for (let n = 0; n < 250; n++) await rows.cap(junk, { recipient: holder });
  held = [
    ...Array.from({ length: 4_000 }, () => bearer(junk)),
    ...[capId, outdated, current].map((id) => ({ ...bearer(walletId, id === current ? 2 : 1), id })),
  ];
  for (const more of ['', `&walletId=${walletId}`]) {
    const { active, truncated } = await delegations(more);
    expect(truncated).toBe(true);
    const own = active.filter((cap) => cap.walletId === walletId);
    expect(own.map((cap) => cap.capId)).toEqual([current]);
    expect(active.length).toBe(more ? 1 : 401);
  }
  const minted = { network: 'testnet', recipient: holder, limit: 10 };
  // Caps of former versions of the policy are not active.
  expect(await readCapsMintedFor(gateway.db.pool, { ...minted, walletId })).toEqual([current]);
  const [first, second] = await readCapsMintedFor(gateway.db.pool, minted);
  expect([first, second]).toContain(current);
});

test('a hundred callers at once share the answers of the node', async () => {
  held = [scoped(await walletWithPolicy())];
  let [underway, most] = [0, 0];
  const list = handlers.listOwnedObjects!;
  handlers.listOwnedObjects = async (request, metadata) => {
    most = Math.max(most, ++underway);
    await new Promise((resolve) => setImmediate(resolve));
    underway--;
    return list(request, metadata);
  };
  const answers = await Promise.all(Array.from({ length: 100 }, () => read()));
  const bodies = await Promise.all(answers.map((answer) => answer.text()));
  expect([new Set(answers.map(({ status }) => status)), new Set(bodies).size]).toEqual([new Set([200]), 1]);
  // One for each kind of caps.
  expect(most).toBeLessThanOrEqual(2);
  expect(asked.filter((name) => name === 'listOwnedObjects').length).toBeLessThan(100);
});

test('a stalled node is asked for so many addresses, and the other callers must retry', async () => {
  let underway = 0;
  let answer = () => {};
  const stalled = new Promise<void>((resolve) => {
    answer = resolve;
  });
  handlers.listOwnedObjects = async () => {
    underway++;
    await stalled;
    return { objects: [] };
  };
  const refused: (string | null)[] = [];
  const asking = Array.from({ length: 300 }, async (_, n) => {
    const { status, headers } = await read(address(0xf000 + n));
    if (status === 503) refused.push(headers.get('retry-after'));
  });
  // Two kinds of caps for each of 32 addresses; 256 wait.
  await expect.poll(() => [underway, refused]).toEqual([64, Array(12).fill('1')]);
  answer();
  await Promise.all(asking);
});

test('caps with endless lists are left out before those with short ones', async () => {
  const recipients = Array.from({ length: 150 }, (_, n) => address(0x7000 + n));
  const [long, short] = [await walletWithPolicy(), await walletWithPolicy()];
  await rows.allowlist(long, recipients);
  await rows.allowlist(short, recipients.slice(0, 1));
  held = [...Array.from({ length: 200 }, () => bearer(long)), bearer(short)];
  const { active, truncated } = await delegations();
  expect(truncated).toBe(true);
  expect(active.filter((cap) => cap.walletId === short)).toHaveLength(1);
  expect(active.flatMap(({ allowlist }) => allowlist ?? []).length).toBeLessThanOrEqual(20_000);
});

test.each([
  [grpc.status.UNAVAILABLE, 502, 'node_unavailable'],
  [grpc.status.INTERNAL, 502, 'node_unavailable'],
  [grpc.status.DEADLINE_EXCEEDED, 504, 'node_timeout'],
])(
  'a node that answers with status %i is a problem of the node, not of the caller',
  async (code, status, word) => {
    handlers.listOwnedObjects = () => {
      throw new NodeRefusedError(code, 'secret words of the node');
    };
    const answer = await read();
    const body = problem.parse(await answer.json());
    expect([answer.status, body.code]).toEqual([status, word]);
    expect(body.detail).not.toContain('secret');
    expect(answer.headers.get('retry-after')).toBe('5');
  },
);

test('a node that is not there is 502', async () => {
  node.close();
  expect((await read()).status).toBe(502);
});
