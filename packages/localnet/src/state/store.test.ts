import { afterEach, beforeEach, expect, test } from 'vitest';
import type { ObjectRecord, Owner } from './objects.ts';
import { Store } from './store.ts';
import type { TransactionRow } from './transaction-store.ts';

let store: Store;

beforeEach(() => {
  store = new Store(':memory:');
});

afterEach(() => store.close());

const id = (digit: string) => `0x${digit.repeat(64)}`;

function object(objectId: string, version: bigint, owner: Owner, type = 'a::b::C'): ObjectRecord {
  return {
    kind: 'move',
    id: objectId,
    version,
    type,
    owner,
    hasPublicTransfer: true,
    storageRebate: 1n,
    contents: Uint8Array.of(1, 2, 3),
    previousTransaction: 'tx',
    digest: `digest of ${version}`,
  };
}

function transaction(sequence: number): TransactionRow {
  return {
    sequence,
    digest: `digest ${sequence}`,
    checkpoint: 1,
    transactionIndex: sequence,
    bcs: new Uint8Array(),
    signatures: '[]',
    effectsBcs: new Uint8Array(),
    effectsDigest: 'effects',
    eventsBcs: undefined,
    eventsDigest: undefined,
    failureDescription: undefined,
    balanceChanges: '[]',
    objects: '[]',
  };
}

test('work that throws leaves nothing behind, not even names that it was the first to use', () => {
  const attempt = () =>
    store.atomically(() => {
      store.objects.write(object(id('1'), 1n, { kind: 'immutable' }, 'new::type::Name'));
      store.transactions.insert(transaction(0), ['key']);
      store.balances.add(id('2'), 'coin', { coins: 5n });
      throw new Error('in the middle');
    });
  expect(attempt).toThrow('in the middle');
  expect(store.objects.live(id('1'))).toBeUndefined();
  expect(store.objects.types.find('new::type::Name')).toBeUndefined();
  expect(store.balances.get(id('2'), 'coin')).toEqual({ coins: 0n, funds: 0n });
  const scan = { from: 0, to: 10, descending: false, limit: 10 };
  expect(store.transactions.scan(scan)).toEqual([]);
  store.atomically(() => store.transactions.insert(transaction(0), ['key']));
  expect(store.transactions.scanKeys(scan, ['key']).map(({ digest }) => digest)).toEqual(['digest 0']);
});

test('an object keeps all of its versions and is listed under its present owner only', () => {
  const [alice, bob] = [id('a'), id('b')];
  store.objects.write(object(id('1'), 1n, { kind: 'address', address: alice }));
  store.objects.write(object(id('1'), 5n, { kind: 'address', address: bob }));
  const owned = (address: string) =>
    store.objects.owned({ kind: 'address', address }, undefined, undefined, 10);
  expect(owned(alice)).toEqual([]);
  expect(owned(bob).map(({ object: { version } }) => version)).toEqual([5n]);
  store.objects.write(object(id('1'), 6n, { kind: 'shared', initialSharedVersion: 6n }));
  expect(owned(bob)).toEqual([]);
  expect(store.objects.live(id('1'))?.version).toBe(6n);
  store.objects.remove(id('1'));
  expect(store.objects.live(id('1'))).toBeUndefined();
  expect([1n, 5n, 6n].map((version) => store.objects.at(id('1'), version)?.digest)).toEqual([
    'digest of 1',
    'digest of 5',
    'digest of 6',
  ]);
});

test('what is remembered of an object goes with the transaction that wrote it', () => {
  const owner: Owner = { kind: 'immutable' };
  store.objects.write(object(id('1'), 1n, owner));
  const attempt = (work: () => void) =>
    expect(() =>
      store.atomically(() => {
        work();
        throw new Error('in the middle');
      }),
    ).toThrow('in the middle');
  attempt(() => store.objects.write(object(id('1'), 2n, owner)));
  expect(store.objects.live(id('1'))?.version).toBe(1n);
  attempt(() => store.objects.remove(id('1')));
  expect(store.objects.live(id('1'))?.version).toBe(1n);
});

test('the same version cannot be written twice', () => {
  store.objects.write(object(id('1'), 1n, { kind: 'immutable' }));
  expect(() => store.objects.write(object(id('1'), 1n, { kind: 'immutable' }))).toThrow(/UNIQUE/);
});

test('balances hold any u64, and never less than nothing', () => {
  const most = 2n ** 64n - 1n;
  for (const kind of ['coins', 'funds'] as const) {
    store.balances.add(id('2'), 'coin', { [kind]: most });
    expect(store.balances.get(id('2'), 'coin')).toEqual({ coins: 0n, funds: 0n, [kind]: most });
    expect(() => store.balances.add(id('2'), 'coin', { [kind]: -most - 1n })).toThrow(/less than nothing/);
    store.balances.add(id('2'), 'coin', { [kind]: -most });
  }
  expect(store.balances.list(id('2'), '', 10)).toEqual([]);
});

test('types are found by the start of their name, and by nothing that only resembles it', () => {
  const { types } = store.objects;
  const names = ['a::b::Coin', 'a::b::Coin<x>', 'a::b::Coin<y>', 'a::b::Coins', 'a::b::Coin2<x>'];
  const ids = names.map((name) => types.intern(name));
  expect(types.withPrefix('a::b::Coin<')).toEqual([ids[1], ids[2]]);
});

test('an object that is gone can come back, and is read and listed as of then', () => {
  const [alice, bob] = [id('a'), id('b')];
  const owned = (address: string) =>
    store.objects.owned({ kind: 'object', address }, undefined, undefined, 10);
  store.objects.write(object(id('1'), 1n, { kind: 'object', address: alice }));
  store.objects.remove(id('1'));
  store.forget();
  expect(store.objects.live(id('1'))).toBeUndefined();
  expect(owned(alice)).toEqual([]);
  store.objects.write(object(id('1'), 3n, { kind: 'object', address: bob }));
  store.objects.write(object(id('1'), 4n, { kind: 'object', address: bob }));
  store.forget();
  expect(store.objects.live(id('1'))?.version).toBe(4n);
  expect(owned(bob).map(({ object: { version } }) => version)).toEqual([4n]);
});
