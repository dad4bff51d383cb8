export interface ListingState {
  status: string;
  reason: string | null;
  version: number | undefined;
}

/** A listing of the index, with the hash of the manifest that is registered. */
export type ReadListing = ListingState & { manifestHash: string };

const patienceMs = 60_000;
/** Pauses between two reads. They grow: a host may answer an address 30 times a minute, and this is not its only request. */
const [firstPauseMs, longestPauseMs] = [700, 5_000];

const isJudged = (status: string) => !status.endsWith('_PENDING');

/**
 * Waits until the catalog shows the registered manifest or gives the reason why not. After 60 s, returns the last
 * state: `UNKNOWN` if the index has not read the registration. The listing is signed, so a read that fails is repeated.
 */
export async function waitUntilListed(
  read: () => Promise<ReadListing | undefined>,
  manifestHash: string,
): Promise<ListingState> {
  const until = performance.now() + patienceMs;
  let last: ListingState = { status: 'UNKNOWN', reason: null, version: undefined };
  for (let pauseMs = firstPauseMs; performance.now() < until; ) {
    const listing = await read().catch(() => undefined);
    if (listing?.manifestHash === manifestHash) {
      const { status, reason, version } = listing;
      last = { status, reason, version };
      if (isJudged(status)) return last;
    }
    await new Promise((done) => setTimeout(done, pauseMs));
    pauseMs = Math.min(longestPauseMs, pauseMs * 1.5);
  }
  return last;
}
