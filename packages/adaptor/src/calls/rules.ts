import type { Transaction } from '@mysten/sui/transactions';
import { fromHex } from '@mysten/sui/utils';
import type { SharedTarget } from './target.ts';

/** The contract's codes for the kinds of rules: an `auth` rule authorizes a spend, a `caveat` restricts it. */
export const ruleKinds = { auth: 0, caveat: 1 } as const;

/** Listing of a rule. The sender of the transaction is its publisher. */
export interface RuleListing {
  ruleType: string;
  packageId: string;
  manifestUri: string;
  /** Lower-case hex sha256 of the manifest's canonical JSON. */
  manifestHash: string;
}

/** Appends `registry::register` of a rule. The kind can never change. */
export function register(
  tx: Transaction,
  registry: SharedTarget,
  listing: RuleListing & { kind: keyof typeof ruleKinds },
): void {
  tx.moveCall({
    target: `${registry.packageId}::registry::register`,
    arguments: [
      tx.object(registry.objectId),
      tx.pure.address(listing.packageId),
      tx.pure.string(listing.ruleType),
      tx.pure.u8(ruleKinds[listing.kind]),
      ...buildManifestArguments(tx, listing),
      tx.object.clock(),
    ],
  });
}

/** Appends `registry::update`. The contract takes the rule type first here, unlike `register`. */
export function update(tx: Transaction, registry: SharedTarget, listing: RuleListing): void {
  tx.moveCall({
    target: `${registry.packageId}::registry::update`,
    arguments: [
      tx.object(registry.objectId),
      tx.pure.string(listing.ruleType),
      tx.pure.address(listing.packageId),
      ...buildManifestArguments(tx, listing),
      tx.object.clock(),
    ],
  });
}

/** Appends `registry::unlist` of the sender's own listing. */
export function unlist(tx: Transaction, registry: SharedTarget, ruleType: string): void {
  tx.moveCall({
    target: `${registry.packageId}::registry::unlist`,
    arguments: [tx.object(registry.objectId), tx.pure.string(ruleType), tx.object.clock()],
  });
}

/** Appends `registry::attest`: `score` 1 to 5, `commentUri` may be empty. */
export function attest(
  tx: Transaction,
  registry: SharedTarget,
  review: { ruleType: string; score: number; commentUri: string },
): void {
  tx.moveCall({
    target: `${registry.packageId}::registry::attest`,
    arguments: [
      tx.object(registry.objectId),
      tx.pure.string(review.ruleType),
      tx.pure.u8(review.score),
      tx.pure.string(review.commentUri),
      tx.object.clock(),
    ],
  });
}

function buildManifestArguments(tx: Transaction, { manifestUri, manifestHash }: RuleListing) {
  return [tx.pure.string(manifestUri), tx.pure.vector('u8', [...fromHex(manifestHash)])] as const;
}
