import { expect, test } from 'vitest';
import { type Call, type CallArgument, pureBytes } from './calls.ts';
import { checkSpend } from './wallet-calls.ts';

const id = (digit: string) => `0x${digit.padStart(64, '0')}`;
const [walletId, walletPackageId, rulesPackageId, recipient] = [id('a'), id('b'), id('c'), id('d')];
const [cap, otherCap, list] = [id('1'), id('2'), id('3')];
const [SUI, USD] = [`${id('2')}::sui::SUI`, `${id('e')}::usd::USD`];
/** The place of the first call: that of a spend within a composition. */
const first = 3;

const object = (objectId: string): CallArgument => ({ kind: 'object', objectId });
const request: CallArgument = { kind: 'result', call: first };
const call = (target: string, typeArguments: string[], ...args: CallArgument[]): Call => ({
  ...{ target, typeArguments },
  arguments: args,
});
const begin = ({ of = walletId, coin = SUI, amount = 5n, to = recipient } = {}) =>
  call(
    `${walletPackageId}::policy::begin_spend`,
    [coin],
    object(of),
    { kind: 'pure', bytes: pureBytes.u64(amount) },
    { kind: 'pure', bytes: pureBytes.address(to) },
  );
const scoped = (of = cap, stamped = request) =>
  call(`${walletPackageId}::sub_delegate::spend`, [], object(of), stamped);
const bearer = (of = cap) => call(`${walletPackageId}::cap_auth::prove`, [], object(of), request);
const allowed = call(`${rulesPackageId}::rule::enforce`, [], object(list), request);
const confirm = ({ of = walletId, coin = SUI, what = 'confirm_spend', confirmed = request } = {}) =>
  call(`${walletPackageId}::policy::${what}`, [coin], object(of), confirmed);

const called = (id: string) => ({ originalId: id, newestId: id, versionIds: new Set([id]) });
const check = (calls: Call[], capId?: string) =>
  checkSpend(
    calls,
    first,
    { action: 'spend', coinType: SUI, amount: '5', recipient, capId },
    {
      walletId,
      packages: { wallet: called(walletPackageId), allowlist: called(rulesPackageId) },
    },
  );

test('a spend by one cap, with the caveats that its policy asks for, passes', () => {
  expect(check([begin(), scoped(), confirm()])).toEqual({ cap, lists: [] });
  expect(check([begin(), bearer(), allowed, confirm()], cap)).toEqual({ cap, lists: [list] });
});

test.each<[string, Call[]]>([
  ['another wallet', [begin({ of: id('9') }), scoped(), confirm()]],
  ['another coin', [begin({ coin: USD }), scoped(), confirm({ coin: USD })]],
  ['a larger amount', [begin({ amount: 6n }), scoped(), confirm()]],
  ['another recipient', [begin({ to: id('9') }), scoped(), confirm()]],
  ['a second spend in it', [begin(), scoped(), begin(), scoped(), confirm()]],
  ['a stamp for another request', [begin(), scoped(cap, { kind: 'result', call: 0 }), confirm()]],
  [
    'a call of another package',
    [begin(), scoped(), { ...allowed, target: `${id('9')}::rule::enforce` }, confirm()],
  ],
  ['a coin handed to what follows', [begin(), scoped(), confirm({ what: 'confirm_spend_into' })]],
  ['another request confirmed', [begin(), scoped(), confirm({ confirmed: { kind: 'result', call: 0 } })]],
  ['another wallet confirmed', [begin(), scoped(), confirm({ of: id('9') })]],
  ['no confirmation', [begin(), scoped()]],
  ['nothing but a confirmation', [confirm()]],
  ['no cap', [begin(), allowed, confirm()]],
  ['the budget of a second cap', [begin(), bearer(), scoped(otherCap), confirm()]],
])('%s is not signed', (_what, forged) => {
  expect(() => check(forged)).toThrow(/drafted another transaction than was asked for/);
});

test('a spend by another cap than the request names is not signed', () => {
  expect(() => check([begin(), scoped(), confirm()], otherCap)).toThrow(/goes by another cap/);
});
