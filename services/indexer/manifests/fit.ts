import { checkManifestAgainstListing, type Subject } from '@adaptor-marketplace/adaptor/manifest';
import { nameSkeleton } from '@adaptor-marketplace/adaptor/names';
import type { ClientBase, Pool } from 'pg';
import { type ListingKey, refreshEntries } from '../../../db/queries/catalog/maintain.ts';
import { lockCatalog } from '../../../db/queries/catalog/revision.ts';
import type { RegistrationTable } from '../../../db/queries/checks.ts';
import {
  judgeListings,
  judgeRules,
  type ListingName,
  lockManifests,
  type ManifestClaim,
  readManifestClaims,
  readManifestNames,
  storeListingNames,
} from '../../../db/queries/manifests.ts';
import { inTransaction } from '../../../db/transaction.ts';

/**
 * Compares each listing and rule of these hashes with the stored manifest, in the tables whose rows are new to it: a
 * publisher can commit to any bytes, including a copy of another adaptor's manifest.
 */
export async function judgeManifests(
  client: ClientBase,
  network: string,
  hashes: readonly string[],
  tables: readonly RegistrationTable[],
): Promise<{ listings: ListingKey[]; due: boolean }> {
  if (hashes.length === 0) return { listings: [], due: false };
  const claims = await readManifestClaims(client, network, hashes);
  const judged = (table: RegistrationTable) =>
    claims
      .filter((claim) => claim.table === table && tables.includes(table))
      .map((claim) => ({
        type: claim.type,
        publisher: claim.publisher,
        name: claim.name,
        error: checkManifestAgainstListing(claimed(claim), listed(claim)) ?? null,
      }));
  const [listings, rules] = [judged('listings'), judged('rules')];
  if (rules.length > 0) await judgeRules(client, network, rules);
  const due = listings.length > 0 && (await judgeListings(client, network, listings.map(withSkeleton)));
  return { listings: listings.map(({ type: serviceType, publisher }) => ({ serviceType, publisher })), due };
}

const withSkeleton = <Named extends ListingName>(named: Named) => ({
  ...named,
  skeleton: nameSkeleton(named.name),
});

function claimed({
  claimedServiceType,
  claimedRuleType,
  claimedPackageId: packageId,
}: ManifestClaim): Subject {
  return claimedServiceType === null
    ? { ruleType: claimedRuleType, packageId }
    : { serviceType: claimedServiceType, packageId };
}

function listed({ table, type, packageId }: ManifestClaim): Subject {
  return table === 'rules' ? { ruleType: type, packageId } : { serviceType: type, packageId };
}

/** Maximum number of skeletons computed in one transaction: about 20 ms. */
const namesMax = 1_000;

/**
 * Stores the name of every listing that has a manifest, with its skeleton, for a database that an earlier version
 * filled, or whose skeletons were made with another table of characters.
 */
export async function fillNames(
  pool: Pool,
  network: string,
  signal: AbortSignal,
  pageSize = namesMax,
): Promise<void> {
  for (let after: ListingName | undefined, more = true; more && !signal.aborted; ) {
    const names = await inTransaction(pool, async (client) => {
      await lockManifests(client, network);
      const found = await readManifestNames(client, network, after, pageSize);
      if ((await storeListingNames(client, network, found.map(withSkeleton))) > 0) {
        const keys = found.map(({ type: serviceType, publisher }) => ({ serviceType, publisher }));
        await refreshEntries(client, await lockCatalog(client, network), keys);
      }
      return found;
    });
    after = names.at(-1);
    more = names.length === pageSize;
  }
}
