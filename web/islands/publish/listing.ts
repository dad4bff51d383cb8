import { askGraph } from '../signing/chain.ts';
import type { ReadListing } from './wait-listed.ts';

interface ListingData {
  listing: {
    status: string;
    reason: string | null;
    registered: { manifestHash: string; version: number };
  } | null;
}

/** Reads a listing from the index; undefined if it has none. @throws RequestRefusedError, ActionFailedError */
export async function readListing(serviceType: string, publisher: string): Promise<ReadListing | undefined> {
  const { listing } = await askGraph<ListingData>(
    `query ($chain: Chain, $serviceType: String!, $publisher: String) { listing(chain: $chain, serviceType: $serviceType, publisher: $publisher) {
      status reason registered { manifestHash version } } }`,
    { serviceType, publisher },
  );
  return listing === null
    ? undefined
    : { status: listing.status, reason: listing.reason, ...listing.registered };
}
