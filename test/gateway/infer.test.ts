import {
  type InferOptions,
  inferBounds,
  inferCalls,
  type TransactionLister,
} from '@adaptor-marketplace/adaptor/infer';
import type { MisbehaviourPatch } from '@adaptor-marketplace/localnet/misbehaviour/schema';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { problem } from '../../services/gateway/openapi/parts.ts';
import { inferenceBody } from '../../services/gateway/publish/infer.ts';
import { buildRequest } from '../support/build-request.ts';
import { startTestGateway } from '../support/gateway.ts';
import { address } from '../support/read-model.ts';
import { startTradingLab, sui } from '../support/trading-lab.ts';
import { useForFile } from '../support/use-for-file.ts';

const lab = useForFile(startTradingLab);
const gateway = useForFile(() => startTestGateway(undefined, { network: { rpcUrl: lab.localnet.rpcUrl } }));
beforeAll(async () => {
  await lab.run((tx) => lab.trade(tx, { amount: 5, memo: 'tea', path: [address(1), address(2)] }));
  await lab.run((tx) => lab.trade(tx, {}));
  await lab.run((tx) => lab.trade(tx, { of: lab.otherPool, coin: 'u64', amount: 9 }));
  await lab.run((tx) => lab.trade(tx, { amount: 5 }));
  await lab.failLate((tx) => lab.trade(tx, { of: lab.otherPool, coin: 'u64', amount: 1_000 }));
});
afterEach(() => lab.localnet.misbehaviour.reset());

/** Settings of a misbehaviour that affects every call. */
const always = { share: 1, seed: 1 };

const infer = async (body: object) => await fetch(`${gateway.url}/api/adaptors/infer`, buildRequest(body));

async function inferred(body: object) {
  const answer = await infer(body);
  const said = await answer.json();
  expect([answer.status, answer.status === 200 ? '' : said]).toEqual([200, '']);
  return inferenceBody.parse(said);
}

const refused = async (body: object) => {
  const answer = await infer(body);
  return { status: answer.status, problem: problem.parse(await answer.json()) };
};

test('past trades say which pool, config and values to use, and nothing that only the trader had', async () => {
  const { packageId, pool, otherPool, config } = lab;
  const { args, ...more } = await inferred({ packageId, entry: 'trade' });
  expect(more).toMatchObject({ module: 'market', entry: 'trade', samples: 4, truncated: false });
  expect(more.sampleTypeArgs).toEqual([sui]);
  expect(more.typeArgCandidates).toMatchObject([
    [
      { type: sui, count: 3 },
      { type: 'u64', count: 1 },
    ],
  ]);
  const [pools, configs, tickets, amounts, memos, paths, clocks] = args;
  expect(pools).toMatchObject({ singleton: null, distinct: 2, owned: 0, results: 0 });
  expect(pools!.objectCandidates).toMatchObject([
    { objectId: pool, kind: 'shared', mutable: true, count: 3, type: `${packageId}::market::Pool<${sui}>` },
    { objectId: otherPool, kind: 'shared', mutable: true, count: 1 },
  ]);
  const { response } = await lab.client.ledgerService.getObject({
    objectId: pool,
    readMask: { paths: ['owner'] },
  });
  const initialSharedVersion = response.object!.owner!.version!.toString();
  expect(pools!.objectCandidates[0]).toMatchObject({ initialSharedVersion });
  expect(configs).toMatchObject({
    singleton: config,
    objectCandidates: [{ kind: 'immutable', mutable: false, count: 4 }],
  });
  expect(tickets).toMatchObject({ singleton: null, objectCandidates: [], owned: 4 });
  expect(amounts).toMatchObject({
    pureCandidates: [
      { type: 'u64', value: '5', count: 2 },
      { type: 'u64', value: '9', count: 1 },
    ],
    results: 1,
  });
  expect(memos!.pureCandidates.map((memo) => 'value' in memo && memo.value)).toEqual([null, 'tea']);
  expect(paths!.pureCandidates).toMatchObject([
    { value: [], count: 3 },
    { value: [address(1), address(2)], count: 1 },
  ]);
  expect(clocks).toMatchObject({ singleton: address(6), objectCandidates: [{ mutable: false }] });
  expect(args).toHaveLength(7);
});

test('a value that never varied is settled by three calls of two senders, and addresses stay open', async () => {
  const { packageId, pool, senders } = lab;
  const tune = (who: 'trader' | 'stranger', leverage: number) =>
    lab.runAs(who, (tx) => {
      tx.moveCall({
        target: `${packageId}::market::tune`,
        typeArguments: [sui],
        arguments: [
          tx.object(pool),
          tx.pure.u8(leverage),
          tx.pure.option('string', 'ref'),
          tx.pure.address(address(7)),
        ],
      });
    });
  // Each question is sent once, because an answer is cached for a minute.
  const asked = async (allVersions: boolean) =>
    (await inferred({ packageId, entry: 'tune', allVersions })).args;
  await tune('trader', 5);
  const first = await tune('trader', 5);
  const [, early] = await asked(false);
  expect(early).toMatchObject({ singleton: null, singletonFrom: null, distinct: 1 });
  const last = await tune('stranger', 5);
  const [pools, leverages, memos, recipients] = await asked(true);
  const latest = [
    { sender: senders.stranger, digest: last },
    { sender: senders.trader, digest: first },
  ];
  const singletonFrom = { calls: 3, senders: 2, latest };
  expect(pools).toMatchObject({ singleton: pool, singletonFrom });
  expect(leverages).toMatchObject({ singleton: 5, singletonFrom, pureCandidates: [{ value: 5, count: 3 }] });
  expect(memos).toMatchObject({ singleton: 'ref', singletonFrom });
  expect(recipients).toMatchObject({ singleton: null, singletonFrom: null, distinct: 1 });
});

test('of thousands of past calls the latest are counted, and the answer says so', async () => {
  const { packageId, pool } = lab;
  let count = 0;
  for (const size of [1_000, 1_000, 100]) {
    await lab.run((tx) => {
      const target = `${packageId}::market::tick`;
      const object = tx.object(pool);
      for (const end = count + size; count < end; count++) {
        tx.moveCall({ target, typeArguments: [sui], arguments: [object, tx.pure.u64(count)] });
      }
    });
  }
  const { args, samples, truncated } = await inferred({ packageId, entry: 'market::tick' });
  expect([samples, truncated]).toEqual([inferBounds.samples, true]);
  expect(args[0]!.singleton).toBe(pool);
  expect(args[1]).toMatchObject({ distinct: inferBounds.samples });
});

test('calls to other versions of the package count where that is asked for', async () => {
  const { packageId, upgradedId } = lab;
  for (const called of [packageId, upgradedId, upgradedId]) {
    await lab.run((tx) => {
      tx.moveCall({
        target: `${called}::other::common`,
        arguments: [tx.pure.u64(called === packageId ? 1 : 2)],
      });
    });
  }
  const countSamples = async (body: object) => (await inferred({ entry: 'other::common', ...body })).samples;
  expect(await countSamples({ packageId })).toBe(1);
  expect(await countSamples({ packageId: upgradedId })).toBe(2);
  expect(await countSamples({ packageId, allVersions: true })).toBe(3);
  expect(await countSamples({ packageId: upgradedId, allVersions: true })).toBe(3);
});

test('what was inferred is kept for the moment, also where the node has since gone', async () => {
  const { packageId } = lab;
  const question = { packageId, entry: 'price' };
  const before = await inferred(question);
  lab.localnet.misbehaviour.set({ failCalls: { code: 'UNAVAILABLE', ...always } });
  expect(await inferred(question)).toEqual(before);
});

test.each([
  [
    'an unknown function',
    () => ({ packageId: lab.packageId, entry: 'nothing' }),
    422,
    'function_not_found',
    /introspect/,
  ],
  [
    'a private function',
    () => ({ packageId: lab.packageId, entry: 'hidden' }),
    422,
    'function_not_callable',
    /market::hidden/,
  ],
  [
    'a name that two modules have',
    () => ({ packageId: lab.packageId, entry: 'common' }),
    ...([422, 'function_ambiguous', /market::common, other::common/] as const),
  ],
  [
    'an unknown package',
    () => ({ packageId: address(99), entry: 'trade' }),
    422,
    'package_not_found',
    /another network/,
  ],
  [
    'an object that is not a package',
    () => ({ packageId: lab.pool, entry: 'trade' }),
    422,
    'package_not_found',
    /no package/,
  ],
  ['no package id', () => ({ packageId: 'shop', entry: 'trade' }), 400, 'invalid_body', /packageId/],
  ['no function', () => ({ packageId: lab.packageId }), 400, 'invalid_body', /entry/],
  ['no function name', () => ({ packageId: lab.packageId, entry: 'a::b::c' }), 400, 'invalid_body', /entry/],
])('%s is refused with what to do', async (_, body, status, code, detail) => {
  const answer = await refused(body());
  expect([answer.status, answer.problem.code]).toEqual([status, code]);
  expect(answer.problem.detail).toMatch(detail);
});

describe('a node that', () => {
  const methods = ['ListTransactions'];
  const patient: InferOptions = { deadline: new AbortController().signal };
  const param = { typeStr: 'u64', type: 'u64', reference: 'none', role: 'pure', confidence: 'low' } as const;
  const trades = () => ({
    packageId: lab.packageId,
    versionIds: [lab.packageId],
    op: {
      module: 'market',
      entry: 'trade',
      typeParamCount: 1,
      params: Array.from({ length: 7 }, () => param),
    },
  });

  /** The lab's node. Each frame that it sends calls `onFrame` with the number of frames so far. */
  const counting = (onFrame: (frames: number) => void): TransactionLister => ({
    ledgerService: {
      listTransactions(...asked) {
        const { responses } = lab.client.ledgerService.listTransactions(...asked);
        const counted = async function* () {
          let frames = 0;
          for await (const frame of responses) {
            onFrame(++frames);
            yield frame;
          }
        };
        return { responses: counted() };
      },
    },
  });

  test.each([
    ['keeps no index of calls', 'create', { refuseLists: true }, 503, 'call_index_missing'],
    ['is out', 'close', { failCalls: { ...always, code: 'UNAVAILABLE', methods } }, 502, 'node_unavailable'],
    [
      'is late',
      'ticket',
      { failCalls: { ...always, code: 'DEADLINE_EXCEEDED', methods } },
      504,
      'node_timeout',
    ],
  ] as const)('%s has its own error, and the node is asked again with the next request', async (...row) => {
    const [, entry, misbehaviour, status, code] = row;
    lab.localnet.misbehaviour.set(misbehaviour as MisbehaviourPatch);
    const answer = await refused({ packageId: lab.packageId, entry });
    expect([answer.status, answer.problem.code]).toEqual([status, code]);
    lab.localnet.misbehaviour.reset();
    expect((await inferred({ packageId: lab.packageId, entry })).samples).toBeGreaterThan(0);
  });

  test('aborts is asked to continue at the cursor', async () => {
    lab.localnet.misbehaviour.set({ dropStream: { afterFrames: 2, code: 'UNAVAILABLE', methods } });
    const { samples, truncated } = await inferCalls(lab.client, trades(), patient);
    expect([samples, truncated]).toEqual([4, false]);
  });

  test('falls silent is left when the time is up, with what it said by then', async () => {
    lab.localnet.misbehaviour.set({ stallStream: { afterFrames: 2, methods } });
    const late = new AbortController();
    const node = counting((frames) => frames === 2 && late.abort());
    const { samples, truncated } = await inferCalls(node, trades(), { deadline: late.signal });
    expect([samples, truncated]).toEqual([1, true]);
  });

  test('falls silent keeps nobody who has left', async () => {
    lab.localnet.misbehaviour.set({ stallStream: { afterFrames: 2, methods } });
    const left = new AbortController();
    const node = counting((frames) => frames === 2 && left.abort(new Error('left')));
    const working = inferCalls(node, trades(), { ...patient, signal: left.signal });
    await expect(working).rejects.toThrow('left');
  });
});
