import { status } from '@grpc/grpc-js';
import { bcs } from '@mysten/sui/bcs';
import { GrpcTypes } from '@mysten/sui/grpc';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createChainClient } from './client.ts';
import { NodeRefusal, startNodeDouble } from './node-double.ts';
import { findPublishers, isVerifiedPublisher } from './publisher.ts';

const address = (digit: string) => `0x${digit.repeat(64)}`;
const [first, upgraded, sibling] = [address('a'), address('b'), address('c')] as const;
const [cap, siblingCap, coin] = [address('d'), address('e'), address('f')] as const;
const [sender, owner, stranger] = [address('1'), address('2'), address('3')] as const;
const digest = 'publish';
const { ADDRESS, SHARED } = GrpcTypes.Owner_OwnerKind;
const { CREATED } = GrpcTypes.ChangedObject_IdOperation;
const { OBJECT_WRITE } = GrpcTypes.ChangedObject_OutputObjectState;
const capType = `${address('0').slice(0, -1)}2::package::UpgradeCap`;
const capBytes = (id: string, pkg: string) =>
  bcs
    .struct('UpgradeCap', { id: bcs.Address, package: bcs.Address, version: bcs.u64(), policy: bcs.u8() })
    .serialize({ id, package: pkg, version: 1n, policy: 0 })
    .toBytes();

interface Chain {
  pruned: boolean;
  down: boolean;
  typesNamed: boolean;
  objects: Record<string, Partial<GrpcTypes.Object>>;
}
let chain: Chain;
let node: Awaited<ReturnType<typeof startNodeDouble>>;
let client: ReturnType<typeof createChainClient>;

/** One transaction published two packages; the first was upgraded since and its cap handed on. */
beforeEach(() => {
  const owned = (by: string) => ({ kind: ADDRESS, address: by });
  chain = {
    pruned: false,
    down: false,
    typesNamed: true,
    objects: {
      [first]: { previousTransaction: digest },
      [siblingCap]: {
        objectType: capType,
        owner: owned(stranger),
        contents: { value: capBytes(siblingCap, sibling) },
      },
      [cap]: { objectType: capType, owner: owned(owner), contents: { value: capBytes(cap, upgraded) } },
      [coin]: { objectType: '0x2::coin::Coin<0x2::sui::SUI>', owner: owned(stranger) },
    },
  };
});

beforeAll(async () => {
  node = await startNodeDouble({
    getPackage: ({ packageId }: GrpcTypes.GetPackageRequest) => {
      if (chain.down) throw new NodeRefusal(status.UNAVAILABLE, 'restarting');
      const originalId = packageId === sibling ? sibling : first;
      if (packageId === stranger) throw new NodeRefusal(status.NOT_FOUND, 'no such object');
      return { package: { storageId: packageId, originalId, modules: [], typeOrigins: [], linkage: [] } };
    },
    getObject: ({ objectId }: GrpcTypes.GetObjectRequest) => {
      const object = chain.objects[objectId ?? ''];
      if (!object) throw new NodeRefusal(status.NOT_FOUND, 'no such object');
      return { object: { objectId, ...object } };
    },
    getTransaction: ({ digest: asked }: GrpcTypes.GetTransactionRequest) => {
      if (chain.pruned || asked !== digest) throw new NodeRefusal(status.NOT_FOUND, 'no such transaction');
      const changedObjects = [coin, siblingCap, cap].map((objectId) => ({
        objectId,
        idOperation: CREATED,
        outputState: OBJECT_WRITE,
        objectType: chain.typesNamed ? chain.objects[objectId]?.objectType : undefined,
      }));
      const effects = {
        changedObjects,
        dependencies: [],
        unchangedConsensusObjects: [],
        unchangedLoadedRuntimeObjects: [],
      };
      return {
        transaction: { digest, signatures: [], balanceChanges: [], transaction: { sender }, effects },
      };
    },
  });
  client = createChainClient({ url: node.url });
});

afterAll(() => {
  client.close();
  node.close();
});

const known = (who: string) => ({ status: 'known', address: who });

test.each([
  ['its first version', first],
  ['an upgraded version', upgraded],
])('the publish sender and the present cap owner are found from %s', async (_, id) => {
  expect(await findPublishers(client, id)).toEqual({
    publishSender: known(sender),
    upgradeCapOwner: known(owner),
  });
});

test('a node that names no object types leads to the same owner', async () => {
  chain.typesNamed = false;
  expect((await findPublishers(client, first)).upgradeCapOwner).toEqual(known(owner));
});

test('the cap of a package published beside it verifies nobody', async () => {
  const publishers = await findPublishers(client, first);
  expect(isVerifiedPublisher(publishers, stranger)).toEqual({ status: 'unverified' });
  expect(isVerifiedPublisher(publishers, sender)).toEqual({ status: 'verified' });
  expect(isVerifiedPublisher(publishers, owner.toUpperCase().replace('0X', '0x'))).toEqual({
    status: 'verified',
  });
});

test('a destroyed or shared cap has no owner, and the sender stays the publisher', async () => {
  delete chain.objects[cap];
  const destroyed = await findPublishers(client, first);
  expect(destroyed.upgradeCapOwner).toEqual({ status: 'none', reason: expect.stringContaining('destroyed') });
  expect(isVerifiedPublisher(destroyed, owner)).toEqual({ status: 'unverified' });
  chain.objects[cap] = {
    objectType: capType,
    owner: { kind: SHARED },
    contents: { value: capBytes(cap, first) },
  };
  expect((await findPublishers(client, first)).upgradeCapOwner.status).toBe('none');
});

test('a pruned publish transaction leaves the publisher unknown, for good on this node', async () => {
  chain.pruned = true;
  const publishers = await findPublishers(client, first);
  const verdict = isVerifiedPublisher(publishers, sender);
  expect(verdict).toEqual({
    status: 'unknown',
    retryable: false,
    reason: expect.stringContaining('no longer keeps'),
  });
});

test('a node that is down leaves the publisher unknown, to be asked again', async () => {
  chain.down = true;
  const verdict = isVerifiedPublisher(await findPublishers(client, first), sender);
  expect(verdict).toMatchObject({ status: 'unknown', retryable: true });
});

test('a package that does not exist has no publisher', async () => {
  const verdict = isVerifiedPublisher(await findPublishers(client, stranger), sender);
  expect(verdict).toEqual({ status: 'unverified' });
});
