import { bcs } from '@mysten/sui/bcs';
import { Transaction, TransactionDataBuilder } from '@mysten/sui/transactions';
import { fromBase58, toBase58 } from '@mysten/sui/utils';
import { blake2b } from '@noble/hashes/blake2.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { encodePackage } from '../state/package-codec.ts';
import { CheckpointContents, CheckpointSummary, decodeEvents, encodeEvents } from './chain-bcs.ts';
import { digestOf } from './digests.ts';
import { suiType } from './move-types.ts';
import { encodeObject } from './object-bcs.ts';
import { type Account, TestNetwork } from './testing/network.ts';
import type { ExecutedTransaction } from './types.ts';

let network: TestNetwork;
let alice: Account;
let executed: ExecutedTransaction;
let failed: ExecutedTransaction[];

beforeAll(async () => {
  network = await TestNetwork.open();
  alice = await network.account(10_000_000_000n);
  const overdraft = new Transaction();
  overdraft.transferObjects([overdraft.splitCoins(overdraft.gas, [2n ** 60n])], alice.address);
  const misnamed = new Transaction();
  misnamed.moveCall({ target: '0x2::coin::no_such_function' });
  failed = [await alice.execute(overdraft), await alice.execute(misnamed)];
  const transaction = new Transaction();
  const [coin] = transaction.splitCoins(transaction.gas, [1_000]);
  transaction.transferObjects([coin], `0x${'b0'.repeat(32)}`);
  executed = await alice.execute(transaction);
});

afterAll(() => network.ledger.close());

/** The hash that the chain's documents describe, written down a second time. */
function salted(name: string, bytes: Uint8Array): string {
  return toBase58(blake2b(Buffer.concat([Buffer.from(`${name}::`), bytes]), { dkLen: 32 }));
}

test('a transaction has the digest that its sender computed before sending it', () => {
  expect(executed.digest).toBe(TransactionDataBuilder.getDigestFromBytes(executed.bcs));
});

test('effects, also of failures, are bytes that the SDK reads and writes back unchanged, under their own digest', () => {
  expect(failed.map(({ effects }) => effects.status.Failure?.error.$kind)).toEqual([
    'InsufficientCoinBalance',
    'FunctionNotFound',
  ]);
  for (const { digest, effectsBcs, effectsDigest } of [executed, ...failed, ...network.transactions()]) {
    const parsed = bcs.TransactionEffects.parse(effectsBcs);
    expect(parsed.V2?.transactionDigest).toBe(digest);
    expect(bcs.TransactionEffects.serialize(parsed).toBytes()).toEqual(effectsBcs);
    expect(effectsDigest).toBe(salted('TransactionEffects', effectsBcs));
  }
});

test('every object, of any kind of type and owner, encodes byte for byte as the SDK encodes it', () => {
  const checked = new Set<string>();
  for (const { id, type } of network.ledger.getTransaction(executed.digest)?.objects ?? []) check(id, type);
  for (const transaction of genesisObjects()) check(transaction.id, transaction.type);
  expect(checked).toContain('package');
  expect([...checked].some((type) => type.endsWith('::clock::Clock'))).toBe(true);

  function check(id: string, type: string) {
    const object = network.ledger.getObject(id);
    if (object === undefined) throw new Error(`${id} is not live`);
    const bytes = encodeObject(object, object.storageRebate);
    const parsed = bcs.Object.parse(bytes);
    expect(bcs.Object.serialize(parsed).toBytes()).toEqual(Uint8Array.from(bytes));
    expect(parsed.previousTransaction).toBe(object.previousTransaction);
    expect(object.digest).toBe(salted('Object', bytes));
    if (parsed.data.Package && object.kind === 'package') {
      expect(encodePackage(object)).toEqual(bcs.MovePackage.serialize(parsed.data.Package).toBytes());
    } else if (parsed.data.Move && object.kind === 'move') {
      expect(BigInt(parsed.data.Move.version)).toBe(object.version);
      expect(Uint8Array.from(parsed.data.Move.contents)).toEqual(Uint8Array.from(object.contents));
    }
    checked.add(type);
  }

  function genesisObjects() {
    return network.transactions()[0]?.objects.slice(0, 5) ?? [];
  }
});

test('a coin of another type than SUI is written with its short type form', () => {
  const other = `0x${'c0'.repeat(32)}::gold::GOLD`;
  const bytes = encodeObject(
    {
      kind: 'move',
      id: `0x${'11'.repeat(32)}`,
      version: 7n,
      hasPublicTransfer: true,
      type: `${suiType.split('::')[0]}::coin::Coin<${other}>`,
      owner: { kind: 'object', address: `0x${'22'.repeat(32)}` },
      contents: new Uint8Array(40),
      previousTransaction: executed.digest,
    },
    5n,
  );
  const parsed = bcs.Object.parse(bytes);
  expect(parsed.data.Move?.type.Coin).toBe(other);
  expect(bcs.Object.serialize(parsed).toBytes()).toEqual(Uint8Array.from(bytes));
});

test('events read back as they were written, whatever their types', () => {
  const address = `0x${'ab'.repeat(32)}`;
  const events = [
    {
      packageId: address,
      module: 'm',
      sender: address,
      type: `${address}::m::Done`,
      contents: Uint8Array.of(1),
    },
    {
      packageId: address,
      module: 'm',
      sender: address,
      type: `${address}::m::Pair<u64,vector<${address}::m::Box<address>>>`,
      contents: new Uint8Array(300),
    },
  ];
  expect(decodeEvents(encodeEvents(events))).toEqual(events.map((event, index) => ({ index, ...event })));
});

test('a checkpoint commits to its contents, its transactions and the checkpoint before', () => {
  const before = network.ledger.getCheckpoint({ sequence: network.ledger.highestCheckpoint });
  const checkpoint = network.ledger.createCheckpoint();
  const summary = CheckpointSummary.parse(checkpoint.summaryBcs);
  const contents = CheckpointContents.parse(checkpoint.contentsBcs).V1;
  expect(checkpoint.digest).toBe(salted('CheckpointSummary', checkpoint.summaryBcs));
  expect(summary.contentDigest).toBe(salted('CheckpointContents', checkpoint.contentsBcs));
  expect(summary.previousDigest).toBe(before?.digest);
  expect(contents.transactions.map(({ transaction }) => transaction)).toEqual(checkpoint.transactionDigests);
  expect(contents.transactions.at(-1)?.effects).toBe(executed.effectsDigest);
  expect(contents.userSignatures.at(-1)).toHaveLength(1);
  expect(contents.userSignatures[0]).toEqual([]);
});

test('the chain id is the digest of the genesis checkpoint', () => {
  const genesis = network.ledger.getCheckpoint({ sequence: 0n });
  expect(network.ledger.chainId).toBe(genesis?.digest);
  expect(fromBase58(network.ledger.chainId)).toHaveLength(32);
  expect(digestOf('CheckpointSummary', genesis?.summaryBcs ?? new Uint8Array())).toBe(genesis?.digest);
});
