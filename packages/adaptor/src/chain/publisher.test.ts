import { status } from '@grpc/grpc-js';
import { bcs } from '@mysten/sui/bcs';
import { GrpcTypes } from '@mysten/sui/grpc';
import { afterEach, expect, test } from 'vitest';
import { NodeRefusedError, startNodeDouble, type UnaryHandler } from '../testing/node-double.ts';
import { createChainClient } from './client.ts';
import { findPublishers, isVerifiedPublisher } from './publisher.ts';

// test/indexer/chain-checks.test.ts tests publishers on a running network. These tests cover the cases that it cannot
// produce.

const address = (digit: string) => `0x${digit.repeat(64)}`;
const [packageId, cap, coin] = [address('a'), address('d'), address('f')] as const;
const [sender, owner, stranger] = [address('1'), address('2'), address('3')] as const;
const digest = 'publish';

const cleanups: (() => void)[] = [];
afterEach(() => {
  for (const cleanup of cleanups.splice(0)) cleanup();
});

async function connect(handlers: Record<string, UnaryHandler>) {
  const node = await startNodeDouble(handlers);
  const client = createChainClient({ url: node.url });
  cleanups.push(() => client.close(), node.close);
  return client;
}

test('a node without an index of types leads to the owner of the UpgradeCap all the same', async () => {
  const owned = (by: string) => ({ kind: GrpcTypes.Owner_OwnerKind.ADDRESS, address: by });
  const contents = bcs
    .struct('UpgradeCap', { id: bcs.Address, package: bcs.Address, version: bcs.u64(), policy: bcs.u8() })
    .serialize({ id: cap, package: packageId, version: 1n, policy: 0 })
    .toBytes();
  const objects: Record<string, object> = {
    [packageId]: { previousTransaction: digest },
    [coin]: { objectType: '0x2::coin::Coin<0x2::sui::SUI>', owner: owned(stranger) },
    [cap]: { objectType: '0x2::package::UpgradeCap', owner: owned(owner), contents: { value: contents } },
  };
  const changedObjects = [coin, cap].map((objectId) => ({
    objectId,
    idOperation: GrpcTypes.ChangedObject_IdOperation.CREATED,
    outputState: GrpcTypes.ChangedObject_OutputObjectState.OBJECT_WRITE,
  }));
  const effects = {
    changedObjects,
    dependencies: [],
    unchangedConsensusObjects: [],
    unchangedLoadedRuntimeObjects: [],
  };
  const client = await connect({
    getPackage: () => ({
      package: { storageId: packageId, originalId: packageId, modules: [], typeOrigins: [], linkage: [] },
    }),
    getObject: ({ objectId = '' }: GrpcTypes.GetObjectRequest) => ({
      object: { objectId, ...objects[objectId] },
    }),
    getTransaction: () => ({
      transaction: { digest, signatures: [], balanceChanges: [], transaction: { sender }, effects },
    }),
  });
  expect(await findPublishers(client, packageId)).toEqual({
    publishSender: { status: 'known', address: sender },
    upgradeCapOwner: { status: 'known', address: owner },
    newestId: packageId,
  });
});

test('a node that is down leaves the publisher unknown, to be asked again', async () => {
  const client = await connect({
    getPackage: () => {
      throw new NodeRefusedError(status.UNAVAILABLE, 'restarting');
    },
  });
  const verdict = isVerifiedPublisher(await findPublishers(client, packageId), sender);
  expect(verdict).toMatchObject({ status: 'unknown', retryable: true });
});

test('an address is the same publisher in upper case', () => {
  const publishers = {
    publishSender: { status: 'known', address: address('b') },
    upgradeCapOwner: { status: 'none', reason: 'destroyed' },
  } as const;
  expect(isVerifiedPublisher(publishers, address('B'))).toEqual({ status: 'verified' });
});
