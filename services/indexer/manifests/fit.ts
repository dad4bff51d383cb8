import { checkManifestAgainstListing, type Subject } from '@adaptor-marketplace/adaptor/manifest';
import { nameSkeleton } from '@adaptor-marketplace/adaptor/names';
import type { ClientBase, Pool } from 'pg';
import { lockCatalog, refreshEntries } from '../../../db/queries/catalog/maintain.ts';
import type { Listed } from '../../../db/queries/checks.ts';
import {
  type ListingName,
  lockManifests,
  type ManifestClaim,
  readManifestClaims,
  readManifestNames,
  storeListingNames,
  storeManifestErrors,
} from '../../../db/queries/manifests.ts';
import { inTransaction } from '../../../db/transaction.ts';

/**
 * Compares each listing, or rule, of these hashes with the manifest that is stored under its hash. A publisher can
 * commit to any bytes, including a copy of another adaptor's manifest.
 */
export async function judgeManifests(
  client: ClientBase,
  network: string,
  table: Listed,
  hashes: readonly string[],
): Promise<void> {
  const claims = await readManifestClaims(client, network, table, hashes);
  if (claims.length === 0) return;
  const errors = claims.map((claim) => {
    const error = checkManifestAgainstListing(claimed(claim), listed(table, claim)) ?? null;
    return { type: claim.type, publisher: claim.publisher, error };
  });
  await storeManifestErrors(client, network, table, errors);
  if (table === 'listings') await storeNames(client, network, claims);
}

function claimed({
  claimedServiceType,
  claimedRuleType,
  claimedPackageId: packageId,
}: ManifestClaim): Subject {
  return claimedServiceType === null
    ? { ruleType: claimedRuleType, packageId }
    : { serviceType: claimedServiceType, packageId };
}

function listed(table: Listed, { type, packageId }: ManifestClaim): Subject {
  return table === 'rules' ? { ruleType: type, packageId } : { serviceType: type, packageId };
}

/** Stores names beside their listings, with their skeletons. @returns how many rows changed */
function storeNames(client: ClientBase, network: string, names: readonly ListingName[]): Promise<number> {
  return storeListingNames(
    client,
    network,
    names.map(({ type, publisher, name }) => ({ type, publisher, name, skeleton: nameSkeleton(name) })),
  );
}

/** Skeletons computed in one transaction: about 20 ms. */
const namesMax = 1_000;

/**
 * Stores the name of every listing that has a manifest, with its skeleton. Listings get both with their manifest. A
 * database that an earlier version filled, or whose skeletons were made with another table of characters, gets them
 * here.
 */
export async function fillNames(pool: Pool, network: string, signal: AbortSignal): Promise<void> {
  for (let after: ListingName | undefined, more = true; more && !signal.aborted; ) {
    const names = await inTransaction(pool, async (client) => {
      await lockManifests(client, network);
      const found = await readManifestNames(client, network, after, namesMax);
      if ((await storeNames(client, network, found)) > 0) {
        const keys = found.map(({ type: serviceType, publisher }) => ({ serviceType, publisher }));
        await refreshEntries(client, await lockCatalog(client, network), keys);
      }
      return found;
    });
    after = names.at(-1);
    more = names.length === namesMax;
  }
}
