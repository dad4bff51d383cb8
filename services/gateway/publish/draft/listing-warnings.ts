import { findPublishers } from '@adaptor-marketplace/adaptor/chain';
import {
  alikeWarnings,
  otherPublisherWarnings,
  publisherWarnings,
  type Warning,
} from '@adaptor-marketplace/adaptor/draft';
import type { Pool } from 'pg';
import { readAlikeNames } from '../../../../db/queries/catalog/entry.ts';
import { readListedEntries } from '../../../../db/queries/catalog/find.ts';
import type { PublishChain } from '../chain.ts';

interface Drafted {
  packageId: string;
  serviceType: string;
  name: string;
  /** Who signs; undefined where the request names no one. */
  sender: string | undefined;
}

/** For all that the node is asked about a package's publishers. */
const timeoutMs = 10_000;

/** What a publisher should know of the catalog before they sign: whether it shows the listing, and what else has its name. */
export async function listingWarnings(
  { client, settings: { network } }: PublishChain,
  db: Pool,
  { packageId, serviceType, name, sender }: Drafted,
  signal: AbortSignal,
): Promise<Warning[]> {
  const alike = alikeWarnings(name, await readAlikeNames(db, { network, serviceType, name }));
  if (sender === undefined) return alike;
  const publishers = await findPublishers(client.within(timeoutMs, signal), packageId);
  const publisher = publisherWarnings(packageId, sender, publishers);
  if (publisher.length > 0) return [...publisher, ...alike];
  const [shown] = await readListedEntries(db, [{ network, serviceType }]);
  return [...otherPublisherWarnings(sender, shown), ...alike];
}
