import type { ClientBase, Pool } from 'pg';
import { lockUntilCommit } from '../../lock.ts';
import { inTransaction } from '../../transaction.ts';
import type { StoredContent } from './content.ts';

/** Bounds on the offers that wait for their builds. */
export const queuedMax = {
  /** Offers for one package. */
  package: 8,
  all: 1_000,
};

export interface SourceOffer extends StoredContent {
  network: string;
  packageId: string;
  /** Hash of the package's own build inputs. */
  sourceHash: string;
  /**
   * Address that limits count. It has one offer in the queue. Undefined for source that the service itself found for a package
   * it lists: its build comes after all others, and it has bounds of its own.
   */
  address: string | undefined;
}

/**
 * Result of an offer. `verified`: it was verified before. `unlisted`: no listing has the package, and none of the certified
 * functions can reach it. Otherwise the name of the bound that refuses it.
 */
export type OfferResult = 'queued' | 'verified' | 'unlisted' | 'sender' | keyof typeof queuedMax;

/** Serializes writes that add or remove contents, in transactions that are short. */
export const offersLock = 'source offers';

/** Stores an offer and queues its build, unless it is known. */
export async function addSourceOffer(db: Pool, offer: SourceOffer): Promise<OfferResult> {
  const { network, packageId, hash, sourceHash, content, address } = offer;
  return await inTransaction(db, async (client) => {
    await lockUntilCommit(client, offersLock);
    const { rows } = await client.query<
      Record<keyof typeof queuedMax, number> & {
        sender: string | null;
        isListed: boolean;
        isVerified: boolean | null;
        hasQueued: boolean;
      }
    >({
      name: 'count-source-offers',
      text: `with s as (
          select encode(sha256(secret || convert_to($4, 'UTF8')), 'hex') as sender from installation_secret)
        select s.sender,
          exists (select from certified_packages c where c.network = $1 and c.package_id = $2)
            or exists (select from certified_packages c where c.network = $1 and c.reaches @> array[$2]) as "isListed",
          (select p.verdict is not null from package_sources p
            where p.network = $1 and p.package_id = $2 and p.hash = $3) as "isVerified",
          exists (select from package_sources p where p.sender = s.sender) as "hasQueued",
          (select count(*)::int from package_sources p
            where p.network = $1 and p.package_id = $2 and p.next_check_at is not null
              and (p.sender is null) = (s.sender is null)) as package,
          (select count(*)::int from package_sources p
            where p.next_check_at is not null and (p.sender is null) = (s.sender is null)) as all
        from s`,
      values: [network, packageId, hash, address],
    });
    const { sender, isListed, isVerified, hasQueued, ...counts } = rows[0]!;
    if (isVerified) return 'verified';
    if (isVerified === false) {
      if (!hasQueued) await takeOver(client, offer, sender);
      return 'queued';
    }
    if (!isListed && address !== undefined) return 'unlisted';
    if (hasQueued) return 'sender';
    for (const bound of ['package', 'all'] as const) if (counts[bound] >= queuedMax[bound]) return bound;
    await client.query({
      name: 'add-offered-source',
      text: 'insert into offered_sources (hash, content) values ($1, $2) on conflict do nothing',
      values: [hash, content],
    });
    await client.query({
      name: 'add-package-source',
      text: `with added as (
          insert into package_sources (network, package_id, hash, source_hash, sender) values ($1, $2, $3, $4, $5)
          returning network)
        select pg_notify('source_offers', network) from added`,
      values: [network, packageId, hash, sourceHash, sender],
    });
    return 'queued';
  });
}

/** Makes source that the service found and that waits to be built the offer of a sender: its build then comes earlier. */
async function takeOver(
  client: ClientBase,
  { network, packageId, hash }: SourceOffer,
  sender: string | null,
): Promise<void> {
  await client.query({
    name: 'take-over-source',
    text: `with taken as (
        update package_sources set sender = $4
        where network = $1 and package_id = $2 and hash = $3 and sender is null and verdict is null and $4::text is not null
        returning network)
      select pg_notify('source_offers', network) from taken`,
    values: [network, packageId, hash, sender],
  });
}
