import { expect, test } from 'vitest';
import { type Call, type CallArgument, pureBytes } from './calls.ts';
import { expectBounds, readLock } from './wallet-calls.ts';

const id = (digit: string) => `0x${digit.padStart(64, '0')}`;
const [walletId, walletPackageId] = [id('a'), id('b')];
const [SUI, USD] = [`${id('2')}::sui::SUI`, `${id('e')}::usd::USD`];
const [lend, swap] = [`${id('d')}::lend::Lend`, `${id('d')}::swap::Swap`];
/** The place of the first call: that of a step within a composition. */
const first = 4;

const object = (objectId: string): CallArgument => ({ kind: 'object', objectId });
const u64 = (value: bigint): CallArgument => ({ kind: 'pure', bytes: pureBytes.u64(value) });
const result = (call: number): CallArgument => ({ kind: 'result', call });
const [wallet, ticket] = [object(walletId), result(first)];
const call = (name: string, typeArguments: string[], ...args: CallArgument[]): Call => ({
  ...{ target: `${walletPackageId}::action::${name}`, typeArguments },
  arguments: args,
});
const begin = call('begin', [lend], wallet);
const takes = (amount: bigint, coin = SUI) => call('may_take', [coin], wallet, ticket, u64(amount));
const brings = (amount: bigint, coin = USD) => call('must_bring', [coin], wallet, ticket, u64(amount));
const end = call('end', [], wallet, ticket);
const op: Call = { target: `${id('d')}::lend::deposit`, typeArguments: [], arguments: [wallet, u64(5n)] };

const read = (...calls: Call[]) => readLock(calls, first, { walletId, walletPackageId });
const asked = {
  service: lend,
  takes: [{ coinType: SUI, amount: 5n }],
  brings: [{ coinType: USD, amount: 4n }],
};

test('a lock is read with its service, its bounds and the calls within', () => {
  const lock = read(begin, takes(5n), brings(4n), op, op, end);
  expect(lock).toEqual({ ...asked, inner: [op, op] });
  expectBounds(lock, asked);
  expect(read(begin, op, end)).toEqual({ service: lend, takes: [], brings: [], inner: [op] });
});

test.each<[string, Call[]]>([
  ['no lock', [op]],
  ['nothing at all', []],
  ['one call that begins and ends', [begin]],
  ['no beginning', [takes(5n), op, end]],
  ['no end', [begin, takes(5n), op]],
  ['a call before the beginning', [op, begin, takes(5n), end]],
  ['a call after the end', [begin, takes(5n), end, op]],
  ['a lock on another wallet', [call('begin', [lend], object(id('1'))), takes(5n), op, end]],
  ['an end on another wallet', [begin, op, call('end', [], object(id('1')), ticket)]],
  ['a bound on another wallet', [begin, call('may_take', [SUI], object(id('1')), ticket, u64(5n)), op, end]],
  ['a bound by another ticket', [begin, call('may_take', [SUI], wallet, result(0), u64(5n)), op, end]],
  ['an end by another ticket', [begin, op, call('end', [], wallet, result(first + 1))]],
  ['a bound without an amount', [begin, call('may_take', [SUI], wallet, ticket), op, end]],
  ['an amount that a call answers', [begin, call('may_take', [SUI], wallet, ticket, result(0)), op, end]],
  [
    'an amount of another width',
    [begin, call('may_take', [SUI], wallet, ticket, { kind: 'pure', bytes: 'BQ==' }), op, end],
  ],
  ['a bound of no coin', [begin, call('may_take', [], wallet, ticket, u64(5n)), op, end]],
  ['a bound of two coins', [begin, call('may_take', [SUI, USD], wallet, ticket, u64(5n)), op, end]],
  ['a lock for no service', [call('begin', [], wallet), op, end]],
  ['a lock for two services', [call('begin', [lend, swap], wallet), op, end]],
  ['another argument of the beginning', [call('begin', [lend], wallet, u64(1n)), op, end]],
  ['another argument of the end', [begin, op, call('end', [], wallet, ticket, u64(1n))]],
  ['a type of the end', [begin, op, call('end', [SUI], wallet, ticket)]],
  ['functions of another package', [begin, takes(5n), op, { ...end, target: `${id('c')}::action::end` }]],
])('%s is not signed', (_what, calls) => {
  expect(() => read(...calls)).toThrow(/drafted another transaction than was asked for/);
});

test.each<[string, Call[]]>([
  ['a nested action', [begin, takes(5n), call('begin', [swap], wallet), op, end]],
  ['a bound that comes after the op', [begin, op, takes(5n), end]],
  ['an action that ends twice', [begin, takes(5n), op, end, end]],
])('%s is left among the calls within, of which none is the adaptor’s', (_what, calls) => {
  const within = read(...calls).inner.map(({ target }) => target);
  expect(within).toContainEqual(expect.stringMatching(/::action::(begin|may_take|end)$/));
});

test.each<[string, Call[]]>([
  ['another service', [call('begin', [swap], wallet), takes(5n), brings(4n), op, end]],
  ['more of a coin', [begin, takes(6n), brings(4n), op, end]],
  ['less of a coin', [begin, takes(4n), brings(4n), op, end]],
  ['another coin', [begin, takes(5n, USD), brings(4n), op, end]],
  ['one coin more', [begin, takes(5n), takes(1n, USD), brings(4n), op, end]],
  ['a coin twice', [begin, takes(5n), takes(5n), brings(4n), op, end]],
  ['no coin', [begin, brings(4n), op, end]],
  ['less in return', [begin, takes(5n), brings(3n), op, end]],
  ['nothing in return', [begin, takes(5n), op, end]],
  ['another coin in return', [begin, takes(5n), brings(4n, SUI), op, end]],
  ['a return that was not asked for', [begin, takes(5n), brings(4n), brings(1n, SUI), op, end]],
])('bounds that state %s are not signed', (_what, calls) => {
  expect(() => expectBounds(read(...calls), asked)).toThrow(/drafted another transaction than was asked for/);
});
