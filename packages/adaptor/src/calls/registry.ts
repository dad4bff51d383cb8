import type { Transaction } from '@mysten/sui/transactions';
import { fromHex } from '@mysten/sui/utils';

/** The registry that calls go to: its package and its shared object. */
export interface RegistryIds {
  /** Id of the newest version, which is called. */
  packageId: string;
  objectId: string;
}

/** A listing that the sender publishes. */
export interface Listing {
  serviceType: string;
  packageId: string;
  manifestUri: string;
  /** Lower-case hex sha256 of the manifest's canonical JSON. */
  manifestHash: string;
}

/** Appends `registry::register`; the sender becomes the publisher. */
export function register(tx: Transaction, registry: RegistryIds, listing: Listing): void {
  call(
    tx,
    registry,
    'register',
    [tx.pure.address(listing.packageId), tx.pure.string(listing.serviceType)],
    listing,
  );
}

/** Appends `registry::update`. The contract takes the service type first here, unlike `register`. */
export function update(tx: Transaction, registry: RegistryIds, listing: Listing): void {
  call(
    tx,
    registry,
    'update',
    [tx.pure.string(listing.serviceType), tx.pure.address(listing.packageId)],
    listing,
  );
}

/** Appends `registry::unlist` of the sender's own listing. */
export function unlist(tx: Transaction, registry: RegistryIds, serviceType: string): void {
  tx.moveCall({
    target: `${registry.packageId}::registry::unlist`,
    arguments: [tx.object(registry.objectId), tx.pure.string(serviceType), tx.object.clock()],
  });
}

/** Appends `registry::attest`: `score` 1 to 5, `commentUri` may be empty. */
export function attest(
  tx: Transaction,
  registry: RegistryIds,
  review: { serviceType: string; score: number; commentUri: string },
): void {
  tx.moveCall({
    target: `${registry.packageId}::registry::attest`,
    arguments: [
      tx.object(registry.objectId),
      tx.pure.string(review.serviceType),
      tx.pure.u8(review.score),
      tx.pure.string(review.commentUri),
      tx.object.clock(),
    ],
  });
}

type PureArgument = ReturnType<Transaction['pure']>;

function call(
  tx: Transaction,
  registry: RegistryIds,
  name: 'register' | 'update',
  identity: PureArgument[],
  listing: Listing,
): void {
  tx.moveCall({
    target: `${registry.packageId}::registry::${name}`,
    arguments: [
      tx.object(registry.objectId),
      ...identity,
      tx.pure.string(listing.manifestUri),
      tx.pure.vector('u8', [...fromHex(listing.manifestHash)]),
      tx.object.clock(),
    ],
  });
}
