import { bcs } from '@mysten/sui/bcs';
import { Transaction } from '@mysten/sui/transactions';
import { deriveDynamicFieldID } from '@mysten/sui/utils';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Account, TestNetwork } from './testing/network.ts';
import { Registry } from './testing/registry.ts';
import type { ExecutedTransaction, LedgerKey, LedgerScan } from './types.ts';

let network: TestNetwork;
let alice: Account;
let bob: Account;
let registry: Registry;
const registrations: ExecutedTransaction[] = [];

beforeAll(async () => {
  network = await TestNetwork.open();
  alice = await network.account(...Array.from({ length: 7 }, (_, i) => BigInt(i + 1) * 1_000_000_000n));
  bob = await network.account(3_000_000_000n);
  registry = await Registry.publish(alice);
  network.ledger.createCheckpoint();
  for (const [index, account] of [alice, bob, alice, bob].entries()) {
    registrations.push(await registry.register(account, `Service${index}`));
    network.ledger.createCheckpoint();
  }
});

afterAll(() => network.ledger.close());

describe('scans of the ledger', () => {
  const all: Pick<LedgerScan, 'from' | 'to' | 'limit'> = {
    from: { checkpoint: 0n, transactionIndex: 0 },
    to: { checkpoint: 1_000n, transactionIndex: 0 },
    limit: 100,
  };
  const find = (...anyOf: LedgerKey[]) =>
    network.ledger.listTransactions({ ...all, ordering: 'ascending', anyOf }).map(({ digest }) => digest);
  const digests = (...indexes: number[]) => indexes.map((index) => registrations[index]?.digest);

  test('go both ways and stop at their bounds and limits', () => {
    const ascending = network.ledger.listTransactions({ ...all, ordering: 'ascending' });
    const descending = network.ledger.listTransactions({ ...all, ordering: 'descending' });
    expect(descending.map(({ digest }) => digest)).toEqual(ascending.map(({ digest }) => digest).reverse());
    const places = ascending.map(({ checkpoint, transactionIndex }) => [checkpoint, transactionIndex]);
    expect(places.slice(0, 3)).toEqual([
      [0n, 0],
      [1n, 0],
      [1n, 1],
    ]);
    const part = network.ledger.listTransactions({
      from: { checkpoint: 1n, transactionIndex: 2 },
      to: { checkpoint: 2n, transactionIndex: 1 },
      ordering: 'ascending',
      limit: 100,
    });
    expect(part.map(({ checkpoint, transactionIndex }) => [checkpoint, transactionIndex])).toEqual([
      [1n, 2],
      [1n, 3],
      [2n, 0],
    ]);
    expect(network.ledger.listTransactions({ ...all, ordering: 'descending', limit: 2 })).toHaveLength(2);
  });

  test('leave out what no checkpoint includes yet', async () => {
    const transaction = new Transaction();
    transaction.transferObjects([transaction.splitCoins(transaction.gas, [1])], bob.address);
    const { digest } = await bob.execute(transaction);
    expect(find({ kind: 'sender', address: bob.address })).not.toContain(digest);
    network.ledger.createCheckpoint();
    expect(find({ kind: 'sender', address: bob.address })).toContain(digest);
  });

  test('find events by package, module, type and the module that was called', () => {
    const id = registry.packageId;
    for (const eventType of [id, `${id}::registry`, `${id}::registry::Registered`]) {
      expect(find({ kind: 'eventType', eventType })).toEqual(digests(0, 1, 2, 3));
    }
    expect(find({ kind: 'eventType', eventType: `${id}::registry::Updated` })).toEqual([]);
    expect(find({ kind: 'emitModule', module: `${id}::registry` })).toEqual(digests(0, 1, 2, 3));
    expect(find({ kind: 'emitModule', module: id })).toEqual(digests(0, 1, 2, 3));
    expect(find({ kind: 'anyEvent' })).toEqual(digests(0, 1, 2, 3));
  });

  test('find calls by package, module and function, in any spelling of the address', () => {
    const id = registry.packageId;
    for (const path of [
      id,
      `${id}::registry`,
      `${id}::registry::register`,
      `${id.replace(/^0x0*/, '0x')}::registry`,
    ]) {
      expect(find({ kind: 'moveCall', function: path })).toEqual(digests(0, 1, 2, 3));
    }
    expect(find({ kind: 'moveCall', function: `${id}::registry::update` })).toEqual([]);
  });

  test('find senders, affected addresses and objects, and publications', () => {
    expect(find({ kind: 'sender', address: bob.address }).slice(0, 2)).toEqual(digests(1, 3));
    expect(find({ kind: 'affectedObject', objectId: registry.objectId })).toEqual([
      registry.publication.digest,
      ...digests(0, 1, 2, 3),
    ]);
    // Bob received a coin from the faucet before he sent anything.
    expect(find({ kind: 'affectedAddress', address: bob.address }).length).toBeGreaterThan(2);
    expect(find({ kind: 'packageWrite' })).toEqual([
      network.transactions()[0]?.digest,
      registry.publication.digest,
    ]);
  });

  test('with several keys answer each transaction once, in order, up to the limit', () => {
    const anyOf: LedgerKey[] = [
      { kind: 'anyEvent' },
      { kind: 'moveCall', function: registry.packageId },
      { kind: 'packageWrite' },
    ];
    const scan = network.ledger.listTransactions({ ...all, ordering: 'descending', limit: 3, anyOf });
    expect(scan.map(({ digest }) => digest)).toEqual(digests(3, 2, 1));
  });
});

describe('listings', () => {
  beforeAll(async () => {
    const transaction = new Transaction();
    const parts = transaction.splitCoins(transaction.gas, [1, 2, 3, 3, 4, 5]);
    transaction.transferObjects(
      Array.from({ length: 6 }, (_, at) => parts[at]!),
      alice.address,
    );
    expect((await alice.execute(transaction)).failureDescription).toBeUndefined();
  });

  test('page through every coin once, richest first', () => {
    const seen: bigint[] = [];
    let after: string | undefined;
    do {
      const page = network.ledger.listOwnedObjects(alice.address, {
        limit: 2,
        type: '0x2::coin::Coin',
        ...(after && { after }),
      });
      expect(page.items.length).toBeLessThanOrEqual(2);
      seen.push(...page.items.map(({ contents }) => Buffer.from(contents).readBigUInt64LE(32)));
      after = page.next;
    } while (after !== undefined);
    expect(seen).toHaveLength(7);
    expect(seen).toEqual(seen.toSorted((a, b) => (a > b ? -1 : 1)));
    expect(seen.reduce((sum, each) => sum + each, 0n)).toBe(alice.balance());
  });

  test('a type without its arguments stands for all of them, one with them for itself', () => {
    const count = (type?: string) =>
      network.ledger.listOwnedObjects(alice.address, { limit: 100, ...(type && { type }) }).items.length;
    expect(count('0x2::coin::Coin<0x2::sui::SUI>')).toBe(7);
    expect(count('0x2::coin::Coin<0x2::clock::Clock>')).toBe(0);
    expect(count('0x2::package::UpgradeCap')).toBe(1);
    expect(count()).toBe(8);
    expect(() => count('not a type')).toThrow(/is not a Move type/);
  });

  test('a position of another listing, or a made-up one, is refused', () => {
    const { next } = network.ledger.listOwnedObjects(alice.address, { limit: 1 });
    for (const after of [next, 'made up', Buffer.from('["owned",3]').toString('base64url')]) {
      expect(() => network.ledger.listBalances(alice.address, { limit: 1, after: after ?? '' })).toThrow(
        /page token does not belong/,
      );
    }
  });

  test('balances and package versions', () => {
    expect(network.ledger.listBalances(alice.address, { limit: 10 }).items).toEqual([
      { coinType: expect.stringMatching(/::sui::SUI$/), coins: alice.balance(), funds: 0n },
    ]);
    expect(network.ledger.listPackageVersions(registry.packageId, { limit: 10 })).toEqual({
      items: [{ packageId: registry.packageId, version: 1n }],
      next: undefined,
    });
  });

  test('dynamic fields of a table, with their names taken apart from their values', () => {
    const object = network.ledger.getObject(registry.objectId);
    if (object?.kind !== 'move') throw new Error('the registry is an object');
    // After the id of the registry and its version.
    const table = `0x${Buffer.from(object.contents.subarray(40, 72)).toString('hex')}`;
    const { items } = network.ledger.listDynamicFields(table, { limit: 10 });
    const names = items.map(({ name }) => bcs.string().parse(Uint8Array.from(name))).toSorted();
    expect(names).toEqual([0, 1, 2, 3].map((index) => `${registry.packageId}::registry::Service${index}`));
    for (const { field, name, nameType, valueType, value } of items) {
      expect(field.id).toBe(deriveDynamicFieldID(table, nameType, name));
      expect(valueType).toBe(`${registry.packageId}::registry::Service`);
      expect(value.length + name.length + 32).toBe(field.kind === 'move' ? field.contents.length : 0);
    }
  });
});

test('after pruning the older checkpoints are gone, everything newer and all objects stay', () => {
  const { highestCheckpoint } = network.ledger;
  const tip = network.ledger.getCheckpoint({ sequence: highestCheckpoint });
  network.ledger.prune(3n);
  expect(network.ledger.lowestAvailableCheckpoint).toBe(3n);
  expect(network.ledger.getCheckpoint({ sequence: 2n })).toBeUndefined();
  expect(network.ledger.getTransaction(registry.publication.digest)).toBeUndefined();
  expect(network.ledger.getTransaction(registrations[1]!.digest)?.checkpoint).toBe(3n);
  expect(network.ledger.getObject(registry.packageId)?.kind).toBe('package');
  expect(network.transactions()[0]?.checkpoint).toBe(3n);
  network.ledger.prune(1_000n);
  expect(network.ledger.lowestAvailableCheckpoint).toBe(highestCheckpoint);
  expect(network.ledger.getCheckpoint({ sequence: highestCheckpoint })).toEqual(tip);
  expect(network.ledger.createCheckpoint().previousDigest).toBe(tip?.digest);
});
