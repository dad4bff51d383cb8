import { createHash } from 'node:crypto';
import { type ListedManifest, toShownManifest } from '@adaptor-marketplace/adaptor/manifest';
import { nameSkeleton } from '@adaptor-marketplace/adaptor/names';
import type { ClientBase } from 'pg';
import type { Database } from '../../db/client.ts';
import { addActors, foldReviews } from '../../db/queries/catalog/fold-reviews.ts';
import { type ListingKey, refreshEntries } from '../../db/queries/catalog/maintain.ts';
import { storeOpTools } from '../../db/queries/catalog/op-tools.ts';
import { type LockedCatalog, lockCatalog } from '../../db/queries/catalog/revision.ts';
import * as tables from '../../db/schema/index.ts';
import { inTransaction } from '../../db/transaction.ts';
import { describeOps } from '../../lib/actions/op-terms.ts';

type Insert<T extends { $inferInsert: unknown }> = T['$inferInsert'];

/** Fields of a seeded listing. By default, it is a valid, verified one. */
export interface ListingSeed {
  network?: string;
  serviceType?: string;
  publisher?: string;
  /** Merged into a small valid manifest. */
  manifest?: Record<string, unknown>;
  /** Columns of the registry's row. */
  row?: Partial<Insert<typeof tables.listings>>;
  /** `false` if the manifest's body was never fetched. */
  fetched?: boolean;
  /** `true` to store how the manifest is shown, as the indexer does. */
  adjusted?: boolean;
  usage?: { actions: number; uniqueVaults: number };
}

export const address = (n: number) => `0x${n.toString(16).padStart(64, '0')}`;

/** Time of a checkpoint in the seeded chain. */
export const computeCheckpointTime = (checkpoint: number) => new Date(1_750_000_000_000 + checkpoint * 1_000);

/** Columns of a registration at a checkpoint after its checks, for services and for rules. */
export const checkedRegistration = (at: number) => ({
  version: 1,
  listed: true,
  registeredAt: computeCheckpointTime(at),
  registeredCheckpoint: at,
  registeredTxIndex: 0,
  registeredEventIndex: 0,
  updatedAt: computeCheckpointTime(at),
  publisherCheck: 'verified' as const,
  witnessCheck: 'valid' as const,
  nextCheckAt: null,
});

export interface SeededListing {
  network: string;
  serviceType: string;
  publisher: string;
}

/**
 * Fills the read model as the indexer would. Each listing and attestation takes the next checkpoint, so that later
 * calls come later on the chain.
 */
export function readModelBuilder(db: Database) {
  let checkpoint = 0;

  /** Writes the catalog in a transaction, as the indexer does. */
  const write = (work: (client: ClientBase, catalog: LockedCatalog) => Promise<void>, network: string) =>
    inTransaction(db.pool, async (client) => work(client, await lockCatalog(client, network)));

  async function listing(seed: ListingSeed = {}): Promise<SeededListing> {
    const at = ++checkpoint;
    const network = seed.network ?? 'testnet';
    const serviceType = seed.serviceType ?? `${address(at)}::adaptor::Witness`;
    const publisher = seed.publisher ?? address(0xa000 + at);
    const packageId = serviceType.split('::')[0]!;
    const body = {
      name: String(seed.manifest?.name ?? `Adaptor ${at}`),
      category: 'Swap',
      summary: 'Swaps coins.',
      serviceType,
      packageId,
      ops: [],
      ...seed.manifest,
    };
    const hash = createHash('sha256').update(JSON.stringify(body)).digest('hex');
    const position = { checkpoint: at, txIndex: 0, eventIndex: 0 };
    const common = {
      network,
      serviceType,
      publisher,
      packageId,
      manifestUri: `walrus://${at}`,
      manifestHash: hash,
    };
    await db.orm.insert(tables.listings).values({
      ...common,
      rawServiceType: serviceType,
      ...(seed.fetched === false
        ? { judgementDue: true }
        : { name: body.name, nameSkeleton: nameSkeleton(body.name) }),
      ...checkedRegistration(at),
      ...seed.row,
    });
    await db.orm
      .insert(tables.listingVersions)
      .values({ ...common, ...position, version: 1, listed: true, timestamp: computeCheckpointTime(at) });
    await event(position, network, 'Registered', publisher, { publisher, serviceType });
    if (seed.fetched !== false) {
      const adjusted = seed.adjusted ? toShownManifest(body).adjusted : undefined;
      await db.orm
        .insert(tables.manifests)
        .values({ hash, body, ...adjusted })
        .onConflictDoNothing();
      const ops = describeOps({ ...body, ...adjusted?.shown } as ListedManifest);
      await storeOpTools(db.pool, [{ hash, ops }]);
      await db.orm
        .insert(tables.manifestFetches)
        .values({ network, hash, uri: common.manifestUri, status: 'verified', nextAttemptAt: null })
        .onConflictDoNothing();
    }
    if (seed.usage) {
      const usage = { network, serviceType, ...seed.usage, lastActionAt: computeCheckpointTime(at) };
      await db.orm.insert(tables.serviceUsage).values(usage).onConflictDoNothing();
    }
    await write((client, catalog) => refreshEntries(client, catalog, [{ serviceType, publisher }]), network);
    return { network, serviceType, publisher };
  }

  async function update(of: SeededListing, version: number): Promise<void> {
    const position = { checkpoint: ++checkpoint, txIndex: 0, eventIndex: 0 };
    const timestamp = computeCheckpointTime(checkpoint);
    await db.orm
      .insert(tables.listingVersions)
      .values({ ...of, ...position, version, listed: true, timestamp });
    await event(position, of.network, 'Updated', of.publisher, { serviceType: of.serviceType, version });
  }

  async function attestation(
    serviceType: string,
    attester: string,
    score: number,
    network = 'testnet',
    commentUri = '',
  ) {
    const position = { checkpoint: ++checkpoint, txIndex: 0, eventIndex: 0 };
    await db.orm.insert(tables.attestations).values({
      ...position,
      network,
      serviceType,
      attester,
      score,
      commentUri,
      timestamp: computeCheckpointTime(checkpoint),
    });
    await event(position, network, 'Attested', attester, { serviceType, score });
    await write((client, catalog) => foldReviews(client, catalog, position.checkpoint), network);
  }

  /** Stores the first counted action of an address with the service. */
  async function actor(serviceType: string, address: string, network = 'testnet') {
    const position = { checkpoint: ++checkpoint, txIndex: 0, eventIndex: 0 };
    await db.orm.insert(tables.serviceActions).values({
      ...position,
      network,
      serviceType,
      walletId: address,
      actors: [address],
      timestamp: computeCheckpointTime(checkpoint),
    });
    await write((client, catalog) => addActors(client, catalog, position), network);
  }

  async function event(
    position: { checkpoint: number; txIndex: number; eventIndex: number },
    network: string,
    name: string,
    sender: string,
    data: Record<string, unknown>,
  ) {
    await db.orm.insert(tables.events).values({
      ...position,
      network,
      source: 'registry',
      txDigest: `digest${position.checkpoint}`,
      sender,
      timestamp: computeCheckpointTime(position.checkpoint),
      type: `0x1::registry::${name}`,
      name,
      data,
      contents: Buffer.alloc(0),
    });
  }

  async function source(row: Partial<Insert<typeof tables.sources>> = {}): Promise<void> {
    const values = {
      network: 'testnet',
      name: 'registry',
      chainId: 'chain',
      filter: '0x1::registry',
      checkpoint: 7,
      checkpointAt: new Date(),
      chainTip: 7,
      ...row,
    };
    const target = [tables.sources.network, tables.sources.name];
    await db.orm.insert(tables.sources).values(values).onConflictDoUpdate({ target, set: values });
  }

  /** Increments the catalog's version without a notification, as if one were lost. */
  async function changedSilently(network = 'testnet'): Promise<void> {
    await db.pool.query(
      `insert into catalog_state (network, version) values ($1, 1)
       on conflict (network) do update set version = catalog_state.version + 1, changed_at = now()`,
      [network],
    );
  }

  /** Increments the catalog's version and notifies the readers, as the indexer's transactions do. */
  async function changed(network = 'testnet'): Promise<void> {
    await changedSilently(network);
    await db.pool.query(`select pg_notify('catalog', $1)`, [network]);
  }

  /** Updates all entries from rows that a test has changed directly. */
  async function refresh(network = 'testnet'): Promise<void> {
    const { rows } = await db.pool.query<ListingKey>(
      'select service_type as "serviceType", publisher from listings where network = $1',
      [network],
    );
    await write((client, catalog) => refreshEntries(client, catalog, rows), network);
  }

  return { listing, update, attestation, actor, source, refresh, changed, changedSilently };
}
