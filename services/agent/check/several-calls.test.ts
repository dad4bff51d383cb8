import type { Manifest } from '@adaptor-marketplace/adaptor/manifest';
import { describe, expect, test } from 'vitest';
import type { CatalogEntry } from '../../../db/queries/catalog/entry-schema.ts';
import { deriveRequirements, type ProtocolStep } from '../../../lib/actions/request.ts';
import { checkAdaptorCalls } from './adaptor-calls.ts';
import { type Call, type CallArgument, pureBytes } from './calls.ts';

const id = (digit: string) => `0x${digit.padStart(64, '0')}`;
const [wallet, pool, otherPool, packageId] = [id('a'), id('b'), id('c'), id('d')];
const [SUI, USD] = [`${id('2')}::sui::SUI`, `${id('e')}::usd::USD`];
const object = (objectId: string): CallArgument => ({ kind: 'object', objectId });
const u64 = (value: bigint): CallArgument => ({ kind: 'pure', bytes: pureBytes.u64(value) });
const call = (target: string, typeArguments: string[], ...args: CallArgument[]): Call => ({
  target: `${packageId}::${target}`,
  typeArguments,
  arguments: args,
});

describe('an op of several calls', () => {
  const venue = id('8');
  const several = {
    kind: 'swap',
    module: 'relay',
    entry: 'begin',
    calls: [
      {
        module: 'relay',
        entry: 'begin',
        typeArgs: ['coinIn'],
        args: [{ role: 'wallet' }, { role: 'amount' }],
      },
      {
        packageId: venue,
        module: 'pool',
        entry: 'swap',
        typeArgs: [],
        args: [
          { role: 'object', objectId: pool },
          { role: 'result', call: 0 },
        ],
      },
      {
        module: 'relay',
        entry: 'finish',
        typeArgs: [],
        args: [{ role: 'wallet' }, { role: 'result', call: 0, index: 1 }, { role: 'result', call: 1 }],
      },
    ],
  } as Manifest['ops'][number];
  const step: ProtocolStep = { action: 'swap', coinIn: SUI, coinOut: USD, amountIn: '100', minOut: '1' };
  const first = 5;
  const result = (of: number, index = 0): CallArgument => ({ kind: 'result', call: of, index });
  const begin = call('relay::begin', [SUI], object(wallet), u64(100n));
  const swap = {
    target: `${venue}::pool::swap`,
    typeArguments: [],
    arguments: [object(pool), result(first)],
  };
  const finish = call('relay::finish', [], object(wallet), result(first, 1), result(first + 1));
  const checked = (...calls: Call[]) =>
    checkAdaptorCalls(
      calls,
      {
        slot: 'swap',
        required: deriveRequirements(step),
        setting: {},
        entry: { packageId, manifest: { ops: [several] } as unknown as Manifest } as CatalogEntry,
      },
      { walletId: wallet, first },
    );

  test('passes as the manifest has it, results counted from the first of its calls', () => {
    expect(checked(begin, swap, finish)).toEqual([{ op: several, calls: [begin, swap, finish] }]);
  });

  test.each<[string, Call[]]>([
    ['a call left out', [begin, finish]],
    ['a call more', [begin, swap, swap, finish]],
    ['calls in another order', [swap, begin, finish]],
    [
      "another package in the protocol's place",
      [begin, { ...swap, target: `${id('7')}::pool::swap` }, finish],
    ],
    ['another result', [begin, { ...swap, arguments: [object(pool), result(first, 1)] }, finish]],
    [
      'a result of a call before the op',
      [begin, { ...swap, arguments: [object(pool), result(first - 1)] }, finish],
    ],
    [
      'an object in the place of a result',
      [begin, { ...swap, arguments: [object(pool), object(pool)] }, finish],
    ],
    ['another pool', [begin, { ...swap, arguments: [object(otherPool), result(first)] }, finish]],
    ['another amount', [{ ...begin, arguments: [object(wallet), u64(101n)] }, swap, finish]],
    [
      'another wallet at its end',
      [begin, swap, { ...finish, arguments: finish.arguments.with(0, object(pool)) }],
    ],
    ['nothing but its first call', [begin]],
  ])('with %s is not signed', (_what, calls) => {
    expect(() => checked(...calls)).toThrow(/drafted transaction does not match the request/);
  });
});
