import { parseServiceType } from '@adaptor-marketplace/adaptor';
import { expect, test } from 'vitest';
import { UsageError } from '../io.ts';
import { deriveBounds, describeBounds, describeFixedParts, parseValues, resolveCoins } from './arguments.ts';
import { findOwnerObjects } from './guard.ts';
import { chooseService } from './op.ts';

const id = (digit: string) => `0x${digit.repeat(64)}`;
const sui = `0x${'2'.padStart(64, '0')}::sui::SUI`;
const usdc = `${id('c')}::usdc::USDC`;

const op = (typeArgs: string[], intentMode?: 'A') => ({
  kind: 'custom' as const,
  module: 'market',
  entry: 'go',
  call: { typeArgs, args: [] },
  ...(intentMode && { intentMode }),
});
const swap = op(['coinIn', 'coinOut']);
const resolvedAs = (coinIn?: string, coinOut?: string) => ({
  op: swap,
  target: '',
  calls: [],
  objects: [],
  coinIn,
  coinOut,
});

test('the amount bounds the coin that goes out, the minimum the one that comes in', () => {
  const given = { amount: 5n, minOut: 3n };
  expect(deriveBounds({ op: swap }, { coinIn: sui, coinOut: usdc }, given)).toEqual({
    takes: [{ coinType: sui, amount: 5n }],
    brings: [{ coinType: usdc, amount: 3n }],
  });
});

test('the amount of an op that pays nothing counts what comes in, and lets nothing leave', () => {
  expect(deriveBounds({ op: op(['coinOut']) }, { coinOut: usdc }, { amount: 5n })).toEqual({
    takes: [],
    brings: [],
  });
});

test('stated bounds stand in place of amounts, and none lets nothing leave', () => {
  const stated = [
    { coinType: sui, amount: 7n },
    { coinType: usdc, amount: 2n },
  ];
  const coins = { coinIn: sui, coinOut: usdc };
  const given = { amount: 5n, minOut: 3n };
  expect(deriveBounds({ op: swap }, coins, { ...given, take: stated, bring: [] })).toEqual({
    takes: stated,
    brings: [],
  });
  expect(deriveBounds({ op: swap }, coins, { ...given, take: [] }).takes).toEqual([]);
  expect(deriveBounds({ op: swap }, coins, {})).toEqual({ takes: [], brings: [] });
});

test.each([
  [
    'an amount of a payment whose coin is in the code',
    op([], 'A'),
    {},
    { amount: 5n },
    /--coin-in .* --take/,
  ],
  ['an amount of which nothing is known', op([]), {}, { amount: 5n }, /--coin-in .* --take/],
  ['a minimum of an unknown coin', op([], 'A'), { coinIn: sui }, { minOut: 1n }, /--coin-out, .* --bring/],
] as const)('%s is refused with the options that state it', (_, one, coins, given, said) => {
  const bounds = () => deriveBounds({ op: one as ReturnType<typeof op> }, coins, given);
  expect(bounds).toThrow(UsageError);
  expect(bounds).toThrow(said);
});

test('the coins of a pool are those of its type, and others are refused', () => {
  expect(resolveCoins(resolvedAs(sui), { coinOut: usdc })).toEqual({ coinIn: sui, coinOut: usdc });
  expect(resolveCoins(resolvedAs(sui, usdc), { coinIn: sui })).toEqual({ coinIn: sui, coinOut: usdc });
  expect(() => resolveCoins(resolvedAs(sui), { coinIn: usdc })).toThrow(
    /--coin-in: .* are for 0x0+2::sui::SUI/,
  );
});

const witness = (module: string, name: string) => {
  const parsed = parseServiceType(`${id('a')}::${module}::${name}`);
  if ('error' in parsed) throw new Error(parsed.error);
  return { module, name, serviceType: parsed.canonical, warnings: [] };
};
const callable = (...witnesses: ReturnType<typeof witness>[]) => ({
  title: 'Market',
  packageId: id('a'),
  op: op([]),
  witnesses,
});

test('the service that acts is the only one, or the only one of the module of the op', () => {
  expect(chooseService(callable(witness('other', 'One')), undefined)).toBe(`${id('a')}::other::One`);
  const two = callable(witness('other', 'One'), witness('market', 'Two'));
  expect(chooseService(two, undefined)).toBe(`${id('a')}::market::Two`);
  expect(chooseService(two, 'One')).toBe(`${id('a')}::other::One`);
});

test('the service that acts is the one whose witness the bytecode shows, in whatever module it is', () => {
  const two = callable(witness('other', 'One'), witness('market', 'Two'));
  expect(chooseService({ ...two, services: [`${id('a')}::other::One`] }, undefined)).toBe(
    `${id('a')}::other::One`,
  );
  // The witness of another package is not one to choose.
  expect(chooseService({ ...two, services: [`${id('b')}::far::Off`] }, undefined)).toBe(
    `${id('a')}::market::Two`,
  );
});

test('of several services one must be named, and they are listed', () => {
  const several = callable(witness('market', 'One'), witness('market', 'Two'));
  expect(() => chooseService(several, undefined)).toThrow(
    new RegExp(`--witness:\n  ${id('a')}::market::One\n  ${id('a')}::market::Two$`),
  );
  expect(() => chooseService(several, 'Three')).toThrow(UsageError);
  expect(() => chooseService(callable(), undefined)).toThrow(/--without-bounds/);
});

test('wallets of any package, inside other types too, are found among the objects of a stranger', () => {
  const [registry, pool] = [id('e'), id('f')];
  const object = (type: string) => ({ objectId: id('1'), type, isImmutable: false });
  const theirs = [object(`${pool}::pool::Pool<${sui}, ${usdc}>`), object(`${pool}::pool::Wallet`)];
  const owners = [
    object(`${pool}::wallet::Wallet`),
    object(`0x2::dynamic_field::Field<u64, vector<${pool}::wallet::Wallet>>`),
    object(`${registry}::registry::Registry`),
  ];
  expect(findOwnerObjects([...theirs, ...owners], new Set([registry]))).toEqual(owners);
});

test('bounds in words show the type of each coin beside its symbol', () => {
  const bounds = {
    service: `${id('a')}::market::Two`,
    takes: [{ coinType: sui, amount: 1_500_000_000n }],
    brings: [{ coinType: usdc, amount: 3n }],
  };
  expect(describeBounds(bounds, new Map([[sui, { decimals: 9, symbol: 'SUI' }]]))).toEqual([
    `acts     only ${id('a')}::market::Two`,
    `takes    at most 1.5 SUI, coin ${sui}`,
    'takes    also objects that it keeps in the wallet, such as positions',
    `brings   at least 3 base units of USDC, coin ${usdc}`,
  ]);
  expect(describeBounds({ ...bounds, takes: [], brings: [] }, new Map()).slice(1)).toEqual([
    'takes    no coin out of the wallet',
    'takes    also objects that it keeps in the wallet, such as positions',
    'brings   no minimum',
  ]);
});

const order = {
  kind: 'custom' as const,
  module: 'market',
  entry: 'order',
  call: {
    typeArgs: [],
    args: [
      { role: 'wallet' as const },
      { role: 'pure' as const, type: '0x1::string::String', name: 'note' },
      { role: 'pure' as const, type: 'u64', name: 'size' },
      { role: 'pure' as const, type: 'u32', name: 'tick' },
      { role: 'pure' as const, type: 'vector<bool>', name: 'flags' },
      { role: 'pure' as const, type: 'address', name: 'to' },
      { role: 'pure' as const, type: 'u8', name: 'fixed', value: 1 },
    ],
  },
};

test('objects and values that a listing fixes are named in full, each once', () => {
  const { call } = order;
  const shared = { role: 'object' as const, objectId: id('5') };
  const args = [...call.args, shared, shared, { role: 'pure' as const, type: 'address', value: id('6') }];
  const typeArgs = ['coinIn', usdc];
  expect(describeFixedParts({ ...order, call: { typeArgs, args } }, id('a'))).toEqual([
    `calls    ${id('a')}::market::order`,
    `for      type ${usdc}`,
    'passes   1 as fixed',
    `uses     object ${id('5')}`,
    `passes   "${id('6')}" as address`,
  ]);
});

test('a text of digits stays a text, and a number wider than 53 bits keeps its digits', () => {
  const given = [
    ['note', '007'],
    ['size', '18446744073709551615'],
    ['tick', '443'],
    ['flags', '[true]'],
  ] as const;
  expect(parseValues(order, given)).toEqual({
    note: '007',
    size: '18446744073709551615',
    tick: '443',
    flags: [true],
  });
});

test.each([
  [
    'what the manifest fixes',
    ['fixed', '2'],
    /note \(0x1::string::String\), size \(u64\), tick \(u32\), flags \(vector<bool>\), to/,
  ],
  [
    'what the op does not know',
    ['limit', '2'],
    /note \(0x1::string::String\), size \(u64\), tick \(u32\), flags \(vector<bool>\), to/,
  ],
  [
    'what is not JSON',
    ['flags', 'yes'],
    /"yes" is not a valid vector<bool>\. Expected JSON, for example \[true\]/,
  ],
  [
    'what is not a number',
    ['size', 'many'],
    /"many" is not a valid u64\. Expected a whole number from 0 to 18446744073709551615/,
  ],
  ['a number below zero', ['tick', '-1'], /not a valid u32/],
  ['a number that is too large', ['tick', '4294967296'], /not a valid u32.* 4294967295,/],
  ['a number in quotes', ['tick', '"5"'], /not a valid u32/],
  ['a list of something else', ['flags', '[1]'], /not a valid vector<bool>/],
  ['what is not an address', ['to', 'me'], /--set to: "me" is not a valid address\. Expected 0x/],
] as const)('%s is refused, with what is expected', (_, pair, reason) => {
  expect(() => parseValues(order, [pair])).toThrow(UsageError);
  expect(() => parseValues(order, [pair])).toThrow(reason);
});

test('a text with other characters than ASCII is refused for a text of ASCII alone', () => {
  const call = { typeArgs: [], args: [{ role: 'pure' as const, type: '0x1::ascii::String', name: 'tag' }] };
  const parse = (text: string) => parseValues({ ...order, call }, [['tag', text]]);
  expect(() => parse('né')).toThrow(
    '--set tag: "né" is not a valid 0x1::ascii::String. Expected a text of ASCII characters',
  );
  expect(parse('word')).toEqual({ tag: 'word' });
});

test('a number in JSON that would lose digits is refused with how to write it', () => {
  const call = { typeArgs: [], args: [{ role: 'pure' as const, type: 'vector<u64>', name: 'sizes' }] };
  const parse = (text: string) => parseValues({ ...order, call }, [['sizes', text]]);
  expect(() => parse('[18446744073709551615]')).toThrow(/numbers above 2\^53 in quotes/);
  expect(parse('["18446744073709551615"]')).toEqual({ sizes: ['18446744073709551615'] });
});
