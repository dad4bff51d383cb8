import type { ExecutableOp, ListedManifest } from '@adaptor-marketplace/adaptor/manifest';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { describeOps, type OpTerms } from '../../../lib/actions/op-terms.ts';
import type { AuthorityBody } from '../../../lib/agent/questions.ts';
import { describeArguments } from './op-arguments.ts';
import { buildOpTool } from './op-tools.ts';
import { buildAction } from './wallet-actions.ts';

const address = (digit: string) => `0x${digit.repeat(64)}`;
const [packageId, pool] = [address('a'), address('b')];
const serviceType = `${packageId}::lend::Lend`;
const hash = 'd'.repeat(64);

type Pure = { type: string; name: string; value?: unknown };
const swap = (...pures: Pure[]) =>
  ({
    kind: 'swap',
    module: 'lend',
    entry: 'swap',
    call: {
      typeArgs: ['coinIn', 'coinOut'],
      args: [
        ...['wallet', 'amount', 'minOut'].map((role) => ({ role })),
        { role: 'object', objectId: pool },
        ...pures.map((pure) => ({ role: 'pure', ...pure })),
      ],
    },
  }) as unknown as ExecutableOp;
const describeAll = (...ops: ExecutableOp[]): OpTerms[] =>
  describeOps({ name: 'Lend', packageId, ops } as unknown as ListedManifest).map(({ terms }) => terms);

const authority = {
  network: 'testnet',
  walletId: address('1'),
  owner: address('2'),
} as AuthorityBody;
const wallet = { ...authority, secret: Buffer.alloc(32, 1) };
function call(terms: OpTerms, given: Record<string, unknown>) {
  const op = buildOpTool(wallet, { serviceType, hash, position: 0 }, terms);
  const tools = { ops: [op], maySpend: true, leftOut: undefined };
  return buildAction(authority, tools, op.tool.name, given);
}
const coins = { spends: [{ coinType: '0x2::sui::SUI', amount: '5' }], receivesAtLeast: [] };

describe('a call of the tool of an op', () => {
  test('is held to the manifest that its tool was made from, and to the coins that it states', () => {
    const [terms] = describeAll(swap());
    expect(call(terms!, { ...coins, minOut: '1', requestId: 'x', repeat: true })).toEqual({
      action: 'call',
      ...authority,
      adaptor: serviceType,
      op: 'lend::swap',
      objectId: pool,
      spends: [{ coinType: `${`0x${'2'.padStart(64, '0')}`}::sui::SUI`, amount: '5' }],
      receivesAtLeast: [],
      minOut: '1',
      requestId: 'x',
      bounds: {
        takesAtMost: [{ coinType: `${`0x${'2'.padStart(64, '0')}`}::sui::SUI`, amount: '5' }],
        bringsAtLeast: [],
        manifests: { [serviceType]: hash },
      },
    });
  });

  test('is refused with the name of each argument that is wrong or missing', () => {
    const [terms] = describeAll(swap({ type: 'u64', name: 'Deadline' }));
    const value1 = '5';
    const wrong: [given: Record<string, unknown>, message: RegExp][] = [
      [{ value1 }, /^spends: is missing; receivesAtLeast: is missing\.$/],
      [{ ...coins, spends: 'all', value1 }, /^spends: /],
      [{ ...coins, spends: [{ coinType: '0x2::sui::SUI', amount: 5 }], value1 }, /^spends\.0\.amount: /],
      [{ ...coins, spends: [{ coinType: 'SUI', amount: '5' }], value1 }, /^spends\.0\.coinType: /],
      [{ ...coins, minOut: 'x', value1 }, /^minOut: /],
      [{ ...coins, requestId: 5, value1 }, /^requestId: /],
      [{ ...coins, repeat: 'no', value1 }, /^repeat: /],
      [coins, /^value1: is missing\. A text: decimal digits of a u64\.$/],
      [{ ...coins, value1: 'soon' }, /^value1: is not of its type\./],
    ];
    for (const [given, message] of wrong) expect(() => call(terms!, given)).toThrow(message);
  });

  test('takes values by position, and no others', () => {
    const named = { type: 'address', name: 'Who gets it?' };
    const fee = (value: number) => ({ type: 'u64', name: 'fee', value });
    const [terms] = describeAll(swap(named, fee(9)));
    expect(call(terms!, { ...coins, value1: pool })).toMatchObject({ values: { 'Who gets it?': pool } });
    const [one] = describeAll(swap(named, fee(9)), swap(named, fee(10)));
    expect(call(one!, { ...coins, value1: pool })).toMatchObject({
      values: { 'Who gets it?': pool, fee: 9 },
    });
    const value1 = pool;
    for (const more of [{ value2: 1 }, { fee: 1 }, { constructor: 1 }]) {
      expect(() => call(terms!, { ...coins, value1, ...more })).toThrow();
    }
  });
});

describe('the description of the arguments of an op', () => {
  const plain = fc.constantFrom(
    'bool',
    'u8',
    'u16',
    'u32',
    'u64',
    'u128',
    'u256',
    'address',
    '0x1::string::String',
    '0x1::ascii::String',
    '0x2::object::ID',
  );
  const type = fc.oneof(
    plain,
    fc.tuple(fc.constantFrom('vector', '0x1::option::Option'), plain).map((parts) => nest(parts)),
    plain.map((item) => `vector<vector<${item}>>`),
  );
  const nest = ([outer, item]: [string, string]) => `${outer}<${item}>`;

  test('has an example that is right, and names each argument, whatever the types of the values', () => {
    fc.assert(
      fc.property(fc.array(type, { maxLength: 8 }), (types) => {
        const [terms] = describeAll(swap(...types.map((one, at) => ({ type: one, name: `Ours ${at}` }))));
        const described = describeArguments(terms!);
        expect(call(terms!, described.example)).toMatchObject({ action: 'call' });
        const { properties = {} } = buildOpTool(wallet, { serviceType, hash, position: 0 }, terms!).tool
          .inputSchema;
        expect(Object.keys(described.arguments)).toEqual(Object.keys(properties));
        expect(JSON.stringify(described)).not.toMatch(/Ours|undefined/);
      }),
    );
  });

  test('says units and types', () => {
    const [terms] = describeAll(swap({ type: 'vector<u8>', name: 'memo' }, { type: 'u64', name: 'until' }));
    const { arguments: described } = describeArguments(terms!);
    expect(described.spends).toMatch(/^Required\..*coinType.*decimal digits of base units/);
    expect(described).toMatchObject({
      minOut: expect.stringContaining('decimal digits of base units'),
      value1: 'Required. A list, and each item: A number: u8.',
      value2: 'Required. A text: decimal digits of a u64.',
    });
  });
});
