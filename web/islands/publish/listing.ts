import { askGraph } from '../signing/chain.ts';

export interface ListingState {
  status: string;
  reason: string | null;
  version: number | undefined;
}

const patienceMs = 60_000;
const pauseMs = 700;

interface ListingData {
  listing: (Omit<ListingState, 'version'> & { registered: { manifestHash: string; version: number } }) | null;
}

const isJudged = (status: string) => !status.endsWith('_PENDING');

/**
 * Waits until the catalog shows the registered manifest or gives the reason why not. After 60 s, returns the last
 * state: `UNKNOWN` if the index has not read the registration.
 */
export async function waitUntilListed(
  serviceType: string,
  publisher: string,
  manifestHash: string,
): Promise<ListingState> {
  const until = performance.now() + patienceMs;
  let last: ListingState = { status: 'UNKNOWN', reason: null, version: undefined };
  while (performance.now() < until) {
    const { listing } = await askGraph<ListingData>(
      `query ($chain: Chain, $serviceType: String!, $publisher: String) { listing(chain: $chain, serviceType: $serviceType, publisher: $publisher) {
        status reason registered { manifestHash version } } }`,
      { serviceType, publisher },
    );
    if (listing?.registered.manifestHash === manifestHash) {
      last = { status: listing.status, reason: listing.reason, version: listing.registered.version };
      if (isJudged(listing.status)) return last;
    }
    await new Promise((done) => setTimeout(done, pauseMs));
  }
  return last;
}
