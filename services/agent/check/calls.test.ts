import { bcs } from '@mysten/sui/bcs';
import { Inputs, Transaction } from '@mysten/sui/transactions';
import { describe, expect, test } from 'vitest';
import {
  type Call,
  type CallArgument,
  checkSpend,
  expectBounds,
  parseCalls,
  parseLock,
  pureBytes,
} from './calls.ts';

const id = (digit: string) => `0x${digit.padStart(64, '0')}`;
const wallet = Inputs.SharedObjectRef({ objectId: id('a'), initialSharedVersion: 1, mutable: true });
const owned = { objectId: id('b'), version: 1, digest: '1'.repeat(32) };

async function buildKind(make: (tx: Transaction) => void): Promise<string> {
  const tx = new Transaction();
  make(tx);
  return Buffer.from(await tx.build({ onlyTransactionKind: true })).toString('base64');
}
const call = (tx: Transaction, ...given: unknown[]) =>
  tx.moveCall({ target: '0xd::lend::deposit', arguments: given as never });

test('calls are read with their types and arguments in full, types of every kind', async () => {
  const types = ['u64', 'vector<u8>', '0x2::pair::Pair<0x2::sui::SUI, bool>'];
  const kind = await buildKind((tx) =>
    tx.moveCall({
      target: '0xd::lend::deposit',
      typeArguments: types,
      arguments: [tx.object(wallet), tx.pure.u64(5n)],
    }),
  );
  const { calls, objectIds } = parseCalls(kind);
  expect(objectIds).toEqual([id('a')]);
  expect(calls).toEqual([
    {
      target: `${id('d')}::lend::deposit`,
      typeArguments: ['u64', 'vector<u8>', `${id('2')}::pair::Pair<${id('2')}::sui::SUI,bool>`],
      arguments: [
        { kind: 'object', objectId: id('a') },
        { kind: 'pure', bytes: bcs.u64().serialize(5n).toBase64() },
      ],
    },
  ]);
});

test('one of several results is read with its place', async () => {
  const { calls } = parseCalls(await buildKind((tx) => void call(tx, call(tx)[1])));
  expect(calls[1]!.arguments.at(-1)).toEqual({ kind: 'result', call: 0, index: 1 });
});

test.each<[string, (tx: Transaction) => void]>([
  ['a coin split off the gas', (tx) => void tx.splitCoins(tx.gas, [1n])],
  ['a transfer', (tx) => tx.transferObjects([tx.object(Inputs.ObjectRef(owned))], id('c'))],
  ['a merge', (tx) => void tx.mergeCoins(tx.gas, [tx.object(Inputs.ObjectRef(owned))])],
  ['a vector', (tx) => void tx.makeMoveVec({ type: 'u64', elements: [tx.pure.u64(1n)] })],
  ['a package', (tx) => void tx.publish({ modules: [[1]], dependencies: [] })],
  ['the gas coin as an argument', (tx) => void call(tx, tx.gas)],
  ['an object to be received', (tx) => void call(tx, tx.object(Inputs.ReceivingRef(owned)))],
  ['money of the agent’s', (tx) => void call(tx, tx.withdrawal({ amount: 1n }))],
  ['no command', () => undefined],
  ['more commands than any action needs', (tx) => Array.from({ length: 129 }, () => call(tx))],
])('a draft with %s is not signed', async (_what, make) => {
  const kind = await buildKind(make);
  expect(() => parseCalls(kind)).toThrow(/drafted transaction does not match the request/);
});

test.each<[string, (tx: Transaction) => void]>([
  ['a shared object', (tx) => tx.object(wallet)],
  ['an owned object', (tx) => tx.object(Inputs.ObjectRef(owned))],
  ['an object to be received', (tx) => tx.object(Inputs.ReceivingRef(owned))],
  ['money of the agent’s', (tx) => tx.withdrawal({ amount: 1n })],
  ['a value', (tx) => tx.pure.u64(1n)],
])('a draft with %s that no call uses is not signed', async (_what, add) => {
  const kind = await buildKind((tx) => void call(tx, tx.object.clock()));
  const tx = Transaction.fromKind(kind);
  add(tx);
  const more = await tx.build({ onlyTransactionKind: true });
  expect(Transaction.fromKind(more).getData().inputs).toHaveLength(2);
  expect(() => parseCalls(Buffer.from(more).toString('base64'))).toThrow(/has an input that no call uses/);
});

test('bytes that the chain may read otherwise are not signed', async () => {
  const kind = await buildKind((tx) => void call(tx));
  const bytes = Buffer.from(kind, 'base64');
  const more = Buffer.concat([bytes, Buffer.of(0)]).toString('base64');
  const deep = Buffer.concat([bytes.subarray(0, -2), Buffer.alloc(300_000, 6)]).toString('base64');
  for (const forged of ['', 'AQAA', '%', more, bytes.subarray(0, -1).toString('base64'), deep]) {
    expect(() => parseCalls(forged)).toThrow(/it is not a programmable transaction/);
  }
});

describe('the lock around an adaptor', () => {
  const [walletId, walletPackageId] = [id('a'), id('b')];
  const [SUI, USD] = [`${id('2')}::sui::SUI`, `${id('e')}::usd::USD`];
  const [lend, swap] = [`${id('d')}::lend::Lend`, `${id('d')}::swap::Swap`];
  /** Position of the first call, as for a step within a composition. */
  const first = 4;

  const object = (objectId: string): CallArgument => ({ kind: 'object', objectId });
  const u64 = (value: bigint): CallArgument => ({ kind: 'pure', bytes: pureBytes.u64(value) });
  const result = (call: number): CallArgument => ({ kind: 'result', call, index: 0 });
  const [wallet, ticket] = [object(walletId), result(first)];
  const call = (name: string, typeArguments: string[], ...args: CallArgument[]): Call => ({
    target: `${walletPackageId}::action::${name}`,
    typeArguments,
    arguments: args,
  });
  const begin = call('begin', [lend], wallet);
  const takes = (amount: bigint, coin = SUI) => call('may_take', [coin], wallet, ticket, u64(amount));
  const brings = (amount: bigint, coin = USD) => call('must_bring', [coin], wallet, ticket, u64(amount));
  const end = call('end', [], wallet, ticket);
  const op: Call = { target: `${id('d')}::lend::deposit`, typeArguments: [], arguments: [wallet, u64(5n)] };

  const read = (...calls: Call[]) => parseLock(calls, first, { walletId, walletPackageId });
  const asked = {
    service: lend,
    takes: [{ coinType: SUI, amount: 5n }],
    brings: [{ coinType: USD, amount: 4n }],
  };

  test('a lock is read with its service, its bounds and the calls within', () => {
    const lock = read(begin, takes(5n), brings(4n), op, op, end);
    expect(lock).toEqual({ ...asked, inner: [op, op], innerFirst: first + 3 });
    expectBounds(lock, asked);
    expect(read(begin, op, end)).toEqual({
      service: lend,
      takes: [],
      brings: [],
      inner: [op],
      innerFirst: first + 1,
    });
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
    [
      'a bound on another wallet',
      [begin, call('may_take', [SUI], object(id('1')), ticket, u64(5n)), op, end],
    ],
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
    expect(() => read(...calls)).toThrow(/drafted transaction does not match the request/);
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
    expect(() => expectBounds(read(...calls), asked)).toThrow(
      /drafted transaction does not match the request/,
    );
  });
});

describe('a spend', () => {
  const [walletId, walletPackageId, rulesPackageId, recipient] = [id('a'), id('b'), id('c'), id('d')];
  const [cap, otherCap, list] = [id('1'), id('2'), id('3')];
  const [SUI, USD] = [`${id('2')}::sui::SUI`, `${id('e')}::usd::USD`];
  /** Position of the first call, as for a spend within a composition. */
  const first = 3;

  const object = (objectId: string): CallArgument => ({ kind: 'object', objectId });
  const request: CallArgument = { kind: 'result', call: first, index: 0 };
  const call = (target: string, typeArguments: string[], ...args: CallArgument[]): Call => ({
    target,
    typeArguments,
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
    ['a stamp for another request', [begin(), scoped(cap, { kind: 'result', call: 0, index: 0 }), confirm()]],
    [
      'a call of another package',
      [begin(), scoped(), { ...allowed, target: `${id('9')}::rule::enforce` }, confirm()],
    ],
    ['a coin handed to what follows', [begin(), scoped(), confirm({ what: 'confirm_spend_into' })]],
    [
      'another request confirmed',
      [begin(), scoped(), confirm({ confirmed: { kind: 'result', call: 0, index: 0 } })],
    ],
    ['another wallet confirmed', [begin(), scoped(), confirm({ of: id('9') })]],
    ['no confirmation', [begin(), scoped()]],
    ['nothing but a confirmation', [confirm()]],
    ['no cap', [begin(), allowed, confirm()]],
    ['the budget of a second cap', [begin(), bearer(), scoped(otherCap), confirm()]],
  ])('%s is not signed', (_what, forged) => {
    expect(() => check(forged)).toThrow(/drafted transaction does not match the request/);
  });

  test('a spend by another cap than the request names is not signed', () => {
    expect(() => check([begin(), scoped(), confirm()], otherCap)).toThrow(/uses another cap/);
  });
});
