import { checkManifestAgainstListing, type Subject } from '@adaptor-marketplace/adaptor/manifest';
import { nameSkeleton } from '@adaptor-marketplace/adaptor/names';
import type { ClientBase, Pool } from 'pg';
import {
  judgeListings,
  judgeRules,
  type ListingName,
  type ManifestClaim,
  type RegistrationKey,
  readListingNames,
  readManifestClaims,
  storeNameSkeletons,
} from '../../../db/queries/catalog/judgements.ts';
import { refreshEntries } from '../../../db/queries/catalog/maintain.ts';
import { lockCatalog } from '../../../db/queries/catalog/revision.ts';
import type { RegistrationTable } from '../../../db/queries/checks.ts';
import { lockManifests } from '../../../db/queries/manifests.ts';
import { inTransaction } from '../../../db/transaction.ts';

/**
 * Compares the listings or rules whose manifests are stored with these manifests: a publisher can commit to any bytes,
 * including a copy of another adaptor's manifest. Call it under `lockManifests`.
 * @returns `true` if any listing became due for another check
 */
export async function judgeManifests(
  client: ClientBase,
  network: string,
  table: RegistrationTable,
  keys: readonly RegistrationKey[],
): Promise<boolean> {
  if (keys.length === 0) return false;
  const claims = await readManifestClaims(client, network, table, keys);
  const judgements = claims.map((claim) => ({
    type: claim.type,
    publisher: claim.publisher,
    name: claim.name,
    error: checkManifestAgainstListing(toClaimedSubject(claim), toListedSubject(table, claim)) ?? null,
  }));
  if (judgements.length === 0) return false;
  if (table === 'listings') return await judgeListings(client, network, judgements.map(addSkeleton));
  await judgeRules(client, network, judgements);
  return false;
}

const addSkeleton = <Named extends ListingName>(named: Named) => ({
  ...named,
  skeleton: nameSkeleton(named.name),
});

function toClaimedSubject({
  claimedServiceType,
  claimedRuleType,
  claimedPackageId: packageId,
}: ManifestClaim): Subject {
  return claimedServiceType === null
    ? { ruleType: claimedRuleType, packageId }
    : { serviceType: claimedServiceType, packageId };
}

function toListedSubject(table: RegistrationTable, { type, packageId }: ManifestClaim): Subject {
  return table === 'rules' ? { ruleType: type, packageId } : { serviceType: type, packageId };
}

/** Maximum number of skeletons computed in one transaction: about 20 ms. */
const namesMax = 1_000;

/** Computes the skeletons of all names again, for a database that has those of another table of characters. */
export async function updateNameSkeletons(
  pool: Pool,
  network: string,
  signal: AbortSignal,
  pageSize = namesMax,
): Promise<void> {
  let after: ListingName | undefined;
  let hasMore = true;
  while (hasMore && !signal.aborted) {
    const names = await inTransaction(pool, async (client) => {
      await lockManifests(client, network);
      const page = await readListingNames(client, network, after, pageSize);
      const changed = await storeNameSkeletons(client, network, page.map(addSkeleton));
      if (changed.length > 0) await refreshEntries(client, await lockCatalog(client, network), changed);
      return page;
    });
    after = names.at(-1);
    hasMore = names.length === pageSize;
  }
}
