import { nameSkeleton } from '@adaptor-marketplace/adaptor/names';
import { expect, test } from 'vitest';
import { readCatalog } from '../../../db/queries/catalog/list.ts';
import { transact } from '../../../db/transaction.ts';
import { registryEvents } from '../../../lib/chain/events/registry.ts';
import { useTestDatabase } from '../../../test/support/database.ts';
import { id, manifest, registryPackageId } from '../../../test/support/frames/chain.ts';
import { transactionMessage } from '../../../test/support/frames/messages.ts';
import { readModelBuilder } from '../../../test/support/read-model.ts';
import { updateNameSkeletons } from '../manifests/fit.ts';
import { registrySource } from './registry.ts';
import { decodeEvents } from './source.ts';

const db = useTestDatabase();

/** Fewer than the listings, so that several pages are read. */
const pageSize = 5;
const noEnd = new AbortController().signal;
const hashes = ['ab', 'cd', 'ef'].map((byte) => byte.repeat(32)) as [string, string, string];

/** Makes the listing name a manifest by its hash, from this checkpoint on. */
async function list(checkpoint: number, manifestHash: string): Promise<void> {
  const contents = registryEvents.encode(checkpoint === 1 ? 'Registered' : 'Updated', {
    serviceType: `${id(1)}::adaptor::Adaptor`,
    packageId: id(1),
    publisher: id(9),
    manifestUri: 'walrus://1',
    manifestHash,
    version: checkpoint,
    timestampMs: 1,
  });
  const type = `${registryPackageId}::registry::${checkpoint === 1 ? 'Registered' : 'Updated'}`;
  const made = { checkpoint, txIndex: 0, digest: `digest${checkpoint}`, timestampMs: 1, sender: id(9) };
  const events = decodeEvents(transactionMessage({ ...made, events: [{ type, contents }] }), registrySource, [
    `${registryPackageId}::registry`,
  ]);
  const client = await db.pool.connect();
  try {
    await transact(client, async () => {
      await registrySource.append(client, 'testnet', events);
      await registrySource.settle!(client, 'testnet', events[0]!);
    });
  } finally {
    client.release();
  }
}

async function stored() {
  const { rows } = await db.pool.query('select name, name_skeleton as skeleton from listings');
  return rows;
}

test('a listing has the name of the manifest that it names, and none while that is not there', async () => {
  for (const [hash, name] of [
    [hashes[0], 'Reef Vault'],
    [hashes[1], 'Lagoon'],
  ] as const) {
    await db.pool.query('insert into manifests (hash, body) values ($1, $2)', [
      hash,
      { ...manifest(id(1)), name },
    ]);
  }
  await list(1, hashes[0]);
  expect(await stored()).toEqual([{ name: 'Reef Vault', skeleton: nameSkeleton('reefvault') }]);
  await list(2, hashes[1]);
  expect(await stored()).toEqual([{ name: 'Lagoon', skeleton: nameSkeleton('Lagoon') }]);
  await list(3, hashes[2]);
  expect(await stored()).toEqual([{ name: null, skeleton: null }]);
});

test('a database with the skeletons of another table of characters gets those of this one, once', async () => {
  await db.pool.query(
    'truncate listings, listing_versions, manifests, manifest_fetches, catalog_entries, catalog_state',
  );
  const seed = readModelBuilder(db);
  await seed.listing({ manifest: { name: 'Reef Vault' } });
  for (let n = 0; n < 11; n++) await seed.listing({ manifest: { name: `Other ${n.toString(2)}x` } });
  await seed.listing({ manifest: { name: 'REEF-VAULT' } });
  await seed.listing({ manifest: { name: 'Elsewhere' }, network: 'mainnet' });
  await db.pool.query(`update listings set name_skeleton = 'other'`);
  await db.pool.query(`update catalog_entries set name_skeleton = 'other'`);
  await updateNameSkeletons(db.pool, 'testnet', noEnd, pageSize);
  const { entries, version } = await readCatalog(db.pool, { network: 'testnet', q: 'reef' });
  expect(entries.map(({ alikeNames }) => alikeNames.map(({ name }) => name)).sort()).toEqual([
    ['REEF-VAULT'],
    ['Reef Vault'],
  ]);
  const { rows } = await db.pool.query(`select network from listings where name_skeleton = 'other'`);
  expect(rows).toEqual([{ network: 'mainnet' }]);
  expect(version).toBeGreaterThan(0);
  await updateNameSkeletons(db.pool, 'testnet', noEnd, pageSize);
  expect((await readCatalog(db.pool, { network: 'testnet', limit: 1 })).version).toBe(version);
});
