import { createChainClient } from '@adaptor-marketplace/adaptor/chain/client';
import { startNodeDouble } from '@adaptor-marketplace/adaptor/testing/node-double';
import { GrpcTypes } from '@mysten/sui/grpc';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { capTypes, encodeCap, type ScopedCap } from '../../../lib/chain/caps.ts';
import { openTestDatabase } from '../../../test/support/database.ts';
import { address } from '../../../test/support/read-model.ts';
import { walletRows } from '../../../test/support/wallet-rows.ts';
import { readCaps } from './caps.ts';

// A node in whose order what strangers sent comes first: a running network's order is that of random ids.

const [sender, owner, walletPackageId] = [address(2), address(3), address(0xaa)] as [string, string, string];
const { ADDRESS } = GrpcTypes.Owner_OwnerKind;
const capOf = (id: string, walletId: string): ScopedCap => ({
  ...{ kind: 'scoped', id, walletId, policyVersion: 1, coin: `${address(2)}::sui::SUI`, remaining: '100' },
  ...{ depth: 0, maxDepth: 0, parent: null, ancestors: [] },
});

let db: Awaited<ReturnType<typeof openTestDatabase>>;
/** By id, with who holds it. */
const objects = new Map<string, { cap: ScopedCap; holder: string }>();
let node: Awaited<ReturnType<typeof startNodeDouble>>;
let client: ReturnType<typeof createChainClient>;

beforeAll(async () => {
  db = await openTestDatabase();
  node = await startNodeDouble({
    listOwnedObjects: ({ objectType }: GrpcTypes.ListOwnedObjectsRequest) => {
      if (!objectType?.endsWith(capTypes.scoped)) return { objects: [] };
      const junk = encodeCap(capOf(address(0x99), address(0x66)));
      return { objects: [{ contents: { value: junk } }], nextPageToken: Uint8Array.of(1) };
    },
    batchGetObjects: ({ requests }: GrpcTypes.BatchGetObjectsRequest) => ({
      objects: requests.map(({ objectId = '' }) => {
        const { cap, holder } = objects.get(objectId)!;
        const object = {
          ...{ objectId, objectType: `${walletPackageId}::${capTypes.scoped}` },
          ...{ owner: { kind: ADDRESS, address: holder }, contents: { value: encodeCap(cap) } },
        };
        return { result: { oneofKind: 'object', object } };
      }),
    }),
  });
  client = createChainClient({ url: node.url });
});
afterAll(async () => {
  client?.close();
  node?.close();
  await db?.drop();
});

test('however many caps strangers send, those that the owner minted and those that are named are found', async () => {
  const rows = walletRows(db);
  const walletId = await rows.wallet(owner);
  const [minted, moved, revoked] = await Promise.all([
    rows.cap(walletId, { recipient: sender }),
    rows.cap(walletId, { recipient: sender }),
    rows.cap(walletId, { recipient: sender, revokedAt: new Date() }),
  ]);
  const named = address(0x77);
  for (const id of [minted, moved, revoked, named]) {
    objects.set(id, { cap: capOf(id, walletId), holder: id === moved ? owner : sender });
  }
  const host = { network: 'testnet' as const, walletPackageId, client, db: db.pool };
  const { caps } = await readCaps(host, { sender, walletId, named: [named] });
  expect(caps.map(({ id }) => id)).toEqual([named, minted]);
});
