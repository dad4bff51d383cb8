import type { ListedOp } from '@adaptor-marketplace/adaptor/manifest';
import { describe, expect, test } from 'vitest';
import { buildCallInputs, findCalledOp } from './call-op.ts';
import { examples } from './examples.ts';
import { actionRequest, type CallStep, sumNamedSpends } from './request.ts';

const id = (digit: string) => `0x${digit.padStart(64, '0')}`;
const [A, B, C] = [`${id('a')}::a::A`, `${id('b')}::b::B`, `${id('c')}::c::C`];

const step = (more: Partial<CallStep> = {}): CallStep => ({
  action: 'call',
  adaptor: `${id('9')}::dex::Dex`,
  op: 'dex::swap',
  spends: [],
  receivesAtLeast: [],
  ...more,
});
const pure = (name: string, value?: unknown, type = 'u64') => ({
  role: 'pure',
  type,
  name,
  ...(value !== undefined && { value }),
});
const swap = (...args: object[]): ListedOp => ({
  kind: 'swap',
  module: 'dex',
  entry: 'swap',
  call: { typeArgs: ['coinIn', 'coinOut'], args: [{ role: 'wallet' }, ...args] },
});
const on = (digit: string) => ({ role: 'object', objectId: `0x${digit}` });
const opIn = (ops: ListedOp[], more?: Partial<CallStep>) => findCalledOp({ ops } as never, step(more));

describe('the op that a request names', () => {
  test('is the one of the function, whatever else is listed', () => {
    const other = { ...swap(), entry: 'buy' };
    expect(opIn([{}, other, swap(), { kind: 'burn' }])).toEqual(swap());
    const near = { ...swap(), entry: 'swap_a' };
    expect(opIn([{}, other, near])).toEqual({
      code: 'op_not_found',
      reason: 'op: the manifest has no op dex::swap; did you mean dex::swap_a?',
    });
    const far = { ...swap(), module: 'treasury', entry: 'sweep_everything' };
    expect(opIn([far])).toMatchObject({ reason: 'op: the manifest has no op dex::swap' });
  });

  test('is said to be not executable with the reason, and stands in the way of no other', () => {
    const broken = { ...swap(), call: undefined };
    expect(opIn([broken])).toEqual({ code: 'op_not_executable', reason: 'dex::swap: The op has no call.' });
    expect(opIn([broken, swap()])).toEqual(swap());
  });

  test('of several pools is the one of the object, and without it none is guessed', () => {
    const ops = [swap(on('1')), swap(on('2'))];
    expect(opIn(ops, { objectId: id('2') })).toEqual(ops[1]);
    expect(opIn(ops)).toMatchObject({
      code: 'argument_mismatch',
      reason: /^op: 2 different ops .* objectId/,
    });
    expect(opIn(ops, { objectId: id('3') })).toMatchObject({ reason: /^objectId: no op / });
  });

  test('may be listed twice alike', () => {
    expect(opIn([swap(on('1')), { ...swap(on(`${'0'.repeat(63)}1`)), label: 'Again' }])).toEqual(
      swap(on('1')),
    );
  });

  test('is the one that fixes what the request states', () => {
    const ops = [swap(pure('long', true, 'bool')), swap(pure('long', false, 'bool'))];
    expect(opIn(ops, { values: { long: false } })).toEqual(ops[1]);
    expect(opIn(ops)).toMatchObject({ code: 'argument_mismatch' });
    expect(opIn([ops[0]!], { values: { long: false } })).toMatchObject({
      reason: 'values.long: the op fixes another value.',
    });
    // The same number in another notation is the same.
    expect(opIn([swap(pure('size', '5'))], { values: { size: 5 } })).toEqual(swap(pure('size', '5')));
  });

  test.each<[string, CallStep['values'], string]>([
    ['lacks one', {}, 'values.size: missing, expected u64.'],
    ['has one of another type', { size: 'five' }, 'values.size: expected u64.'],
    ['has one too large', { size: '18446744073709551616' }, 'values.size: expected u64.'],
    ['has one that JSON rounded', { size: JSON.parse('9007199254740993') }, 'values.size: expected u64.'],
    ['has a list in place of a number', { size: [] }, 'values.size: expected u64.'],
    [
      'names one that the op does not have',
      { size: 1, limit: 2 },
      'values.limit: the op has no such value. It has size (u64).',
    ],
    [
      'names what every object has',
      { size: 1, constructor: 2 },
      'values.constructor: the op has no such value. It has size (u64).',
    ],
  ])('of whose values the request %s is refused by the field', (_, values, reason) => {
    expect(opIn([swap(pure('size'))], { values: values! })).toEqual({ code: 'argument_mismatch', reason });
  });
});

describe('what the op is called with', () => {
  const whole = swap({ role: 'amount' }, { role: 'minOut' });
  const spends = [{ coinType: A, amount: '5' }];
  const receivesAtLeast = [{ coinType: B, amount: '4' }];
  const inputs = (more: Partial<CallStep>, settled: { coinIn?: string; coinOut?: string } = {}, op = whole) =>
    buildCallInputs({ op: op as never, coinIn: settled.coinIn, coinOut: settled.coinOut }, step(more));

  test('is the only coin of each side and its amount', () => {
    expect(inputs({ spends, receivesAtLeast })).toEqual({
      values: {},
      coinIn: A,
      coinOut: B,
      amount: 5n,
      minOut: 4n,
    });
  });

  test('is what the request states, also where the coins are others or several', () => {
    const several = [...spends, { coinType: C, amount: '9' }];
    const stated = { amount: '3', minOut: '0', coinIn: C, coinOut: A };
    expect(inputs({ spends: several, receivesAtLeast: several, ...stated })).toEqual({
      values: {},
      coinIn: C,
      coinOut: A,
      amount: 3n,
      minOut: 0n,
    });
    expect(inputs({ spends: several, receivesAtLeast })).toMatchObject({ reason: /^coinIn: missing/ });
    expect(inputs({ spends: several, receivesAtLeast, coinIn: C })).toMatchObject({
      reason: /^amount: missing/,
    });
  });

  test("is the coins of the op's objects, which the request may not contradict", () => {
    expect(inputs({ spends, receivesAtLeast }, { coinOut: C })).toMatchObject({ coinOut: C });
    expect(inputs({ spends, receivesAtLeast, coinOut: B }, { coinOut: C })).toEqual({
      code: 'coin_not_supported',
      reason: `coinOut: the objects of dex::swap are for ${C}.`,
    });
  });

  test.each([
    ['amount', { amount: '1' }],
    ['minOut', { minOut: '1' }],
    ['coinIn', { coinIn: A }],
    ['coinOut', { coinOut: A }],
  ])('a stated %s that the op does not take is refused, and not ignored', (field, more) => {
    const bare = { ...swap(), call: { typeArgs: [], args: [{ role: 'wallet' }] } };
    expect(inputs(more, {}, bare)).toMatchObject({
      code: 'argument_mismatch',
      reason: expect.stringMatching(`^${field}: the op dex::swap has no such `),
    });
  });
});

describe('a request of call', () => {
  const paths = (more: object) =>
    actionRequest.safeParse({ ...examples.call, ...more }).error?.issues.map(({ path }) => path.join('.'));
  const coins = (count: number, from = 0) =>
    Array.from({ length: count }, (_, at) => ({ coinType: `0x${at + from + 1}::c::C`, amount: '1' }));

  test.each<[string, object, string[]]>([
    ['without its coins', { spends: undefined }, ['spends']],
    ['without its minimum', { receivesAtLeast: undefined }, ['receivesAtLeast']],
    ['with a coin twice', { spends: [...coins(1), { coinType: '0x01::c::C', amount: '2' }] }, ['spends']],
    ['with more coins than a lock holds', { spends: coins(9) }, ['spends']],
    [
      'with more coins on both sides together',
      { spends: coins(5), receivesAtLeast: coins(4, 5) },
      ['receivesAtLeast'],
    ],
    ['with a coin of nothing', { spends: [{ coinType: '0x1::c::C', amount: '0' }] }, ['spends.0.amount']],
    ['with an op that is none', { op: 'deposit' }, ['op']],
    ['with values in depth', { values: { a: [[['deep']]] } }, ['values.a']],
    ['with a zero in a text, which no database takes', { values: { a: 'b\0' } }, ['values.a']],
    ['with half a character', { values: { a: '\ud800' } }, ['values.a']],
    [
      'with too many values',
      { values: Object.fromEntries(coins(65).map((_, at) => [`v${at}`, 1])) },
      ['values'],
    ],
    ['with a field of another action', { amountIn: '1' }, ['']],
  ])('%s is refused at the field', (_, more, expected) => {
    expect(paths(more)).toEqual(expected);
  });

  test('may take and bring the same coins, and counts what it takes', () => {
    const request = actionRequest.parse({ ...examples.call, spends: coins(8), receivesAtLeast: coins(8) });
    expect(sumNamedSpends(request).size).toBe(8);
  });
});
