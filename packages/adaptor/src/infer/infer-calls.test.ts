import { GrpcTypes } from '@mysten/sui/grpc';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type InferOptions, inferBounds, inferCalls } from './infer-calls.ts';
import {
  buildDigest,
  buildTransaction,
  id,
  type NodeBehavior,
  nodeWith,
  packageId,
  type TestArgument,
  type TestTransaction,
} from './testing/past-node.ts';

const { Argument_ArgumentKind: ArgumentKind, Input_InputKind: InputKind, QueryEndReason } = GrpcTypes;

const target = {
  packageId,
  versionIds: [packageId],
  op: {
    module: 'market',
    entry: 'trade',
    typeParamCount: 1,
    params: (
      [
        ['0x2::m::Pool<T0>', 'mutable', 'object'],
        ['u64', 'none', 'amount'],
        ['0x2::tx_context::TxContext', 'mutable', 'ctx'],
      ] as const
    ).map(([type, reference, role]) => ({
      typeStr: type,
      type,
      reference,
      role,
      confidence: 'high' as const,
    })),
  },
};

const patient: InferOptions = { deadline: new AbortController().signal };
const infer = (
  past: readonly TestTransaction[],
  habits: Partial<NodeBehavior> = {},
  options: Partial<InferOptions> = {},
) => inferCalls(nodeWith(past, { page: 100, ...habits }), target, { ...patient, ...options });

const trade = (...args: TestArgument[]): TestTransaction => ({
  succeeds: true,
  calls: [{ name: 'trade', type: 'u8', args }],
});

const given: fc.Arbitrary<TestArgument> = fc.oneof(
  fc.record({ shared: fc.integer({ min: 10, max: 13 }) }),
  fc.record({ immutable: fc.integer({ min: 20, max: 22 }) }),
  fc.record({ owned: fc.integer({ min: 30, max: 32 }) }),
  fc.record({ party: fc.integer({ min: 40, max: 41 }) }),
  fc.record({ u64: fc.nat(3) }),
  fc.constant('result' as const),
);
const call = fc.record({
  name: fc.constantFrom('trade', 'trade', 'other'),
  type: fc.constantFrom('u8', '0x2::sui::SUI'),
  args: fc.tuple(
    given.filter((each) => each === 'result' || !('u64' in each)),
    given,
  ),
});
const sender = fc.integer({ min: 500, max: 506 });
const history = fc.array(
  fc.record({ succeeds: fc.boolean(), sender, calls: fc.array(call, { maxLength: 4 }) }),
  { maxLength: 12 },
);
const habits = fc.record({
  page: fc.integer({ min: 3, max: 20 }),
  breaks: fc.array(fc.integer({ min: 1, max: 4 }), { maxLength: 3 }),
});

test('each successful call counts once, and only what others can use, for all pages and aborted lists', async () => {
  await fc.assert(
    fc.asyncProperty(history, habits, async (past, how) => {
      const inference = await infer(past, how);
      const calls = past.flatMap(({ succeeds, calls }, index) =>
        succeeds ? calls.map((each) => ({ ...each, lastMs: 1_000 * (past.length - index) })) : [],
      );
      const counted = calls.filter(({ name }) => name === 'trade');
      expect([inference.samples, inference.truncated]).toEqual([counted.length, false]);
      expect(inference.sampleTypeArgs).toEqual(counted[0] ? [counted[0].type] : []);
      for (const index of [0, 1]) {
        const uses = new Map<string, { count: number; lastMs: number }>();
        for (const { args, lastMs } of counted) {
          const key = JSON.stringify(args[index]);
          const use = uses.get(key) ?? { count: 0, lastMs };
          uses.set(key, { ...use, count: use.count + 1 });
        }
        const expected = (kind: string) =>
          [...uses]
            .filter(([key]) => key.includes(kind))
            .map(([key, use]) => [Object.values(JSON.parse(key))[0], use]);
        const argument = inference.args[index]!;
        const objects = argument.objectCandidates.map(({ objectId, count, lastMs }) => [
          Number(objectId),
          { count, lastMs },
        ]);
        const wanted = [...expected('shared'), ...expected('immutable')];
        expect(new Map(objects as [number, object][])).toEqual(new Map(wanted as [number, object][]));
        const only = wanted.length === 1 && (wanted[0]![1] as { count: number }).count === counted.length;
        expect(argument.singleton === null).toBe(!only);
        const ranks = argument.objectCandidates.map(({ count, lastMs }) => count * 1e6 + lastMs);
        expect(ranks).toEqual(ranks.toSorted((a, b) => b - a));
        const sumCounts = (kind: string) =>
          (expected(kind) as [number, { count: number }][]).reduce((sum, [, { count }]) => sum + count, 0);
        expect(argument.owned).toBe(sumCounts('owned') + sumCounts('party'));
        expect(argument.results).toBe(counted.filter(({ args }) => args[index] === 'result').length);
        expect(argument.pureCandidates.length).toBe(expected('u64').length);
      }
    }),
  );
});

test('a candidate says how it is used, and what was used most comes first', async () => {
  const past = [
    trade({ shared: 10 }, { u64: 5 }),
    trade({ shared: 11 }, { u64: 6 }),
    { ...trade({ shared: 12 }, { u64: 9 }), succeeds: false },
    trade({ shared: 11 }, { u64: 5 }),
  ];
  const { args, typeArgCandidates } = await infer(past);
  expect(args).toEqual([
    {
      objectCandidates: [
        {
          objectId: id(11),
          kind: 'shared',
          initialSharedVersion: '7',
          mutable: true,
          count: 2,
          lastMs: 3_000,
        },
        {
          objectId: id(10),
          kind: 'shared',
          initialSharedVersion: '7',
          mutable: true,
          count: 1,
          lastMs: 4_000,
        },
      ],
      singleton: null,
      singletonFrom: null,
      pureCandidates: [],
      distinct: 2,
      owned: 0,
      results: 0,
    },
    {
      objectCandidates: [],
      singleton: null,
      singletonFrom: null,
      pureCandidates: [
        { type: 'u64', value: '5', count: 2, lastMs: 4_000 },
        { type: 'u64', value: '6', count: 1, lastMs: 3_000 },
      ],
      distinct: 2,
      owned: 0,
      results: 0,
    },
  ]);
  expect(typeArgCandidates).toEqual([[{ type: 'u8', count: 3, lastMs: 4_000 }]]);
});

/** The same function with another second argument. */
const buildTarget = (type: string, more: { name?: string; role?: 'pure' | 'amount' | 'minOut' } = {}) => {
  const [pool, , ctx] = target.op.params;
  const value = { ...target.op.params[1]!, typeStr: type, type, role: 'pure' as const, ...more };
  return { ...target, op: { ...target.op, params: [pool!, value, ctx!] } };
};
const inferSecondArgument = async (
  past: readonly TestTransaction[],
  called: ReturnType<typeof buildTarget>,
) => (await inferCalls(nodeWith(past, { page: 100 }), called, patient)).args[1]!;
const giving = (second: TestArgument, ...senders: number[]): TestTransaction[] =>
  senders.map((sender) => ({ ...trade({ shared: 10 }, second), sender }));

test('a plain value is settled where at least three calls by at least two senders all had it, and by no less', async () => {
  const drawn = fc.oneof(
    { weight: 9, arbitrary: fc.constant({ u64: 7 }) },
    fc.constantFrom<TestArgument>({ u64: 8 }, 'result', { shared: 11 }),
  );
  const calls = fc.array(
    fc.record({
      succeeds: fc.boolean(),
      sender: fc.integer({ min: 500, max: 506 }),
      calls: fc.array(
        drawn.map((second) => ({
          name: 'trade',
          type: 'u8',
          args: [{ shared: 10 }, second] as TestArgument[],
        })),
        { maxLength: 2 },
      ),
    }),
    { maxLength: 9 },
  );
  let settled = 0;
  await fc.assert(
    fc.asyncProperty(calls, async (past) => {
      const { singleton, singletonFrom } = await inferSecondArgument(past, buildTarget('u64'));
      const counted = past.flatMap((one, at) =>
        one.succeeds ? one.calls.map(({ args }) => ({ second: args[1], from: one.sender, at })) : [],
      );
      const senders = [...new Set(counted.map(({ from }) => from))];
      const [first] = counted;
      const agree = counted.every(({ second }) => JSON.stringify(second) === JSON.stringify(first?.second));
      const isPlain = typeof first?.second === 'object' && 'u64' in first.second;
      const latest = senders.slice(0, 4).map((from) => ({
        sender: id(from),
        digest: buildDigest(past.length - counted.find((one) => one.from === from)!.at),
      }));
      if (agree && isPlain && counted.length >= 3 && senders.length >= 2) {
        settled++;
        const value = (first.second as { u64: number }).u64;
        expect({ singleton, singletonFrom }).toEqual({
          singleton: String(value),
          singletonFrom: { calls: counted.length, senders: senders.length, latest },
        });
      } else if (!(agree && typeof first?.second === 'object' && 'shared' in first.second)) {
        expect({ singleton, singletonFrom }).toEqual({ singleton: null, singletonFrom: null });
      }
    }),
    { numRuns: 300 },
  );
  expect(settled).toBeGreaterThan(0);
});

test('one sender settles nothing, however often, and neither do two calls of two senders', async () => {
  const called = buildTarget('u64');
  expect(
    (await inferSecondArgument(giving({ u64: 7 }, ...Array<number>(50).fill(500)), called)).singleton,
  ).toBeNull();
  expect((await inferSecondArgument(giving({ u64: 7 }, 500, 501), called)).singleton).toBeNull();
  expect((await inferSecondArgument(giving({ u64: 7 }, 500, 501, 500), called)).singleton).toBe('7');
});

const text = (value: string) => {
  const bytes = Buffer.from(value);
  return { raw: Buffer.concat([Buffer.from([bytes.length]), bytes]).toString('hex') };
};
const string = '0x1::string::String';
const option = '0x1::option::Option';

test.each<[string, TestArgument, unknown]>([
  ['bool', { raw: '01' }, true],
  ['u8', { raw: '03' }, 3],
  ['u256', { raw: 'ff'.repeat(32) }, String(2n ** 256n - 1n)],
  [`${option}<u64>`, { raw: '00' }, null],
  [`${option}<u8>`, { raw: '0102' }, 2],
  ['vector<u8>', { raw: '020102' }, [1, 2]],
  [string, text('ref "a" \\ é 🎲'), 'ref "a" \\ é 🎲'],
])('a %s that never varied is settled', async (type, second, value) => {
  const { singleton, singletonFrom } = await inferSecondArgument(
    giving(second, 500, 501, 502),
    buildTarget(type),
  );
  expect({ singleton, singletonFrom }).toMatchObject({ singleton: value, singletonFrom: { calls: 3 } });
  expect(JSON.parse(JSON.stringify(singleton))).toEqual(value);
});

const word = Buffer.from(id(9).slice(2), 'hex').toString('hex');
test.each<[string, string, Parameters<typeof buildTarget>[1], TestArgument]>([
  ['an amount', 'u64', { role: 'amount' }, { u64: 7 }],
  ['a minimum', 'u64', { role: 'minOut' }, { u64: 7 }],
  ['an address', 'address', {}, { raw: word }],
  ['an id', '0x2::object::ID', {}, { raw: word }],
  ['an address inside', `${option}<vector<address>>`, {}, { raw: `0101${word}` }],
  ['what is called an amount', 'u128', { name: 'amount_in' }, { raw: '07'.padEnd(32, '0') }],
  ['what is called a minimum', 'u64', { name: 'minShares' }, { u64: 7 }],
  ['what is called an id', 'u64', { name: 'asset_id' }, { u64: 7 }],
  ['what is called a deadline', 'u64', { name: 'deadline' }, { u64: 7 }],
  ['what an action gives', 'bool', { name: 'is_long' }, { raw: '01' }],
  ['a tick', 'u32', { name: 'tick_lower' }, { raw: '07000000' }],
  ['a text with a zero', string, {}, text('a\0b')],
  ['a text of several lines', string, {}, text('a\nb')],
  ['a text that is shown in another order', string, {}, text('a\u202eb')],
  ['no text', string, {}, { raw: '02ff00' }],
  ['a list of such texts', `vector<${string}>`, {}, { raw: `01${text('\u0007').raw}` }],
  ['a long value', 'vector<u8>', {}, { raw: `8002${'07'.repeat(256)}` }],
])('%s stays open, however many calls agree', async (_, type, more, second) => {
  const senders = Array.from({ length: 20 }, (__, n) => 500 + n);
  const { singleton, singletonFrom, distinct } = await inferSecondArgument(
    giving(second, ...senders),
    buildTarget(type, more),
  );
  expect({ singleton, singletonFrom, distinct }).toEqual({
    singleton: null,
    singletonFrom: null,
    distinct: 1,
  });
});

test('what is called otherwise is settled', async () => {
  for (const name of ['leverage', 'mode', 'fee_tier', 'identity', 'admin', 'value']) {
    const { singleton } = await inferSecondArgument(
      giving({ u64: 7 }, 500, 501, 502),
      buildTarget('u64', { name }),
    );
    expect([name, singleton]).toEqual([name, '7']);
  }
});

test('an object that every call had says whose calls these were, of thousands of senders the latest four', async () => {
  const senders = Array.from({ length: 900 }, (_, n) => 1_000 + n);
  const { args } = await infer(
    senders.map((one) => ({ ...trade({ shared: 10 }, { u64: one }), sender: one })),
  );
  const latest = [0, 1, 2, 3].map((n) => ({ sender: id(1_000 + n), digest: buildDigest(900 - n) }));
  expect(args[0]).toMatchObject({
    singleton: id(10),
    singletonFrom: { calls: 900, senders: 900, latest },
  });
});

test('a function without calls has arguments without candidates', async () => {
  const { args, samples, truncated, sampleTypeArgs } = await infer([]);
  expect([args.length, samples, truncated, sampleTypeArgs]).toEqual([2, 0, false, []]);
});

test('the wallet of another caller is not a candidate', async () => {
  const wallet = { ...target.op.params[0]!, role: 'wallet' as const };
  const op = { ...target.op, params: [wallet, ...target.op.params.slice(1)] };
  const node = nodeWith([trade({ shared: 10 }, { u64: 1 })], { page: 9 });
  const { args } = await inferCalls(node, { ...target, op }, patient);
  expect(args[0]).toMatchObject({ objectCandidates: [], singleton: null });
});

const many = Array.from({ length: 30 }, (_, n) => trade({ shared: 10 + n }, { u64: n }));

test.each([
  ['samples', { samples: 5 }, 5],
  ['transactions', { transactions: 7 }, 7],
  ['requests', { pages: 2 }, 20],
  ['bytes', { bytes: 4_000 }, 7],
])(
  'a bound on %s leaves the latest calls, and the answer says that more are left out',
  async (_, bound, samples) => {
    const bounds = { ...inferBounds, ...bound };
    const inference = await infer(many, { page: 10 }, { bounds });
    expect([inference.samples, inference.truncated]).toEqual([samples, true]);
    expect(Math.min(...inference.args[0]!.objectCandidates.map(({ lastMs }) => lastMs))).toBeGreaterThan(0);
  },
);

test('a large value that one transaction gives over and over is bounded as often as it is kept', async () => {
  const [call] = trade({ shared: 10 }, { bytes: 10_000 }).calls;
  const past = Array.from({ length: 30 }, () => ({
    succeeds: true,
    calls: Array.from({ length: 10 }, () => call!),
  }));
  const bounds = { ...inferBounds, bytes: 1_000_000 };
  const { samples, truncated } = await infer(past, {}, { bounds });
  expect([samples <= 100, truncated]).toEqual([true, true]);
});

test('a bound that is just met leaves nothing out', async () => {
  const bounds = { ...inferBounds, samples: 30, transactions: 30 };
  expect(await infer(many, { page: 100 }, { bounds })).toMatchObject({ samples: 30, truncated: false });
});

test('thousands of candidates are counted, and the first of them shown', async () => {
  const past = Array.from({ length: 900 }, (_, n) => trade({ shared: 100 + n }, { u64: n }));
  const [pool] = (await infer(past)).args;
  expect([pool!.distinct, pool!.objectCandidates.length]).toEqual([900, 16]);
});

test('when the time is up, what was found is the answer; when nothing was, that is said', async () => {
  const deadline = new AbortController();
  const onSend = (index: number) => index === 3 && deadline.abort();
  const found = await infer(many, { onSend }, { deadline: deadline.signal });
  expect([found.samples, found.truncated]).toEqual([3, true]);
  await expect(infer(many, {}, { deadline: deadline.signal })).rejects.toMatchObject({ reason: 'late' });
});

test('a node that keeps failing is given up, with what was found', async () => {
  const found = await infer(many, { breaks: [3, 0] });
  expect([found.samples, found.truncated]).toEqual([3, true]);
  await expect(infer(many, { breaks: [0] })).rejects.toMatchObject({ reason: 'unavailable' });
});

test('a caller who is gone ends the work', async () => {
  const caller = new AbortController();
  const onSend = (index: number) => index === 3 && caller.abort(new Error('gone'));
  await expect(infer(many, { onSend }, { signal: caller.signal })).rejects.toThrow('gone');
});

test('calls of another shape, as another version may take them, are not counted', async () => {
  const past = [
    trade({ shared: 10 }),
    trade({ shared: 10 }, { u64: 1 }, { u64: 2 }),
    trade({ shared: 10 }, { u64: 1 }),
  ];
  expect((await infer(past)).samples).toBe(1);
});

test('whatever a node says, nothing breaks', async () => {
  const odd = fc.record({
    kind: fc.constantFrom(ArgumentKind.INPUT, ArgumentKind.RESULT, ArgumentKind.GAS, undefined),
    input: fc.constantFrom(0, 1, 99, undefined),
  });
  const input = fc.record({
    kind: fc.constantFrom(...Object.values(InputKind).filter((kind) => typeof kind === 'number'), undefined),
    objectId: fc.constantFrom(id(5), '0x5', 'no id', undefined),
    pure: fc.constantFrom(new Uint8Array(), Uint8Array.of(1, 2), undefined),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(odd, { minLength: 2, maxLength: 2 }),
      fc.array(input, { maxLength: 2 }),
      async (args, inputs) => {
        const transaction = buildTransaction(trade('result', 'result'), 1);
        const { data } = transaction.transaction!.kind!;
        if (data.oneofKind !== 'programmableTransaction') throw new Error('unexpected');
        data.programmableTransaction.inputs = inputs as never;
        const [{ command }] = data.programmableTransaction.commands as [GrpcTypes.Command];
        if (command.oneofKind === 'moveCall') command.moveCall.arguments = args as never;
        const responses = (async function* () {
          yield { transaction, watermark: {} };
          yield { end: { reason: QueryEndReason.LEDGER_TIP } };
        })();
        const node = { ledgerService: { listTransactions: () => ({ responses }) } };
        expect((await inferCalls(node as never, target, patient)).samples).toBe(1);
      },
    ),
  );
});
