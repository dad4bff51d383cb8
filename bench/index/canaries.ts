import type { Database } from '../../db/client.ts';
import { type CanaryResult, recordCanary } from '../../db/queries/canaries/record.ts';
import { inTransaction } from '../../db/transaction.ts';
import type { CanaryState } from '../../lib/canaries/judge.ts';
import { insertOwners } from '../../test/support/owners.ts';
import { type BenchListing, listingAt, network, storeListings } from '../listings/listings.ts';
import { measureCost } from './server.ts';

/** Number of the first listing, above the places of the generated chain. */
const first = 100_000;

/** Microseconds of processor time, of this process and the server, to store the simulations of an entry. */
interface CanaryCosts {
  /** States that stay. */
  same: number;
  /** All ops fail from now on, or work again. */
  changed: number;
}

/** Measures the writes of simulations of `count` entries, which are added to the catalog before. */
export async function measureCanaries(db: Database, count: number): Promise<CanaryCosts> {
  const listings = Array.from({ length: count }, (_, at) => listingAt(first + at));
  await db.pool.query(insertOwners);
  await inTransaction(db.pool, (client) => storeListings(client, listings, first));
  await db.pool.query('analyze');
  const recordAll = async (formerState: CanaryState | undefined, state: CanaryState) => {
    const { cpuSeconds } = await measureCost(db.pool, async () => {
      for (const listing of listings) {
        const { serviceType, publisher } = listing;
        const key = { network, serviceType, publisher, version: 1 };
        await recordCanary(db.pool, key, makeResults(listing, formerState, state), 0);
      }
    });
    return Math.round((cpuSeconds / count) * 1e6);
  };
  await recordAll(undefined, 'up');
  const { rows } = await db.pool.query<{ stored: number }>(
    'select count(*)::int as stored from canaries where ran_at is not null',
  );
  if (rows[0]!.stored !== count)
    throw new Error(`simulations of ${rows[0]!.stored} entries were stored, not of ${count}`);
  return { changed: await recordAll('up', 'down'), same: await recordAll('down', 'down') };
}

function makeResults(
  { manifest }: BenchListing,
  formerState: CanaryState | undefined,
  state: CanaryState,
): CanaryResult[] {
  const outcome = {
    amount: '1000000',
    failure: state === 'up' ? null : 'EPaused',
    gas: '1000000',
    coinIn: null,
    coinOut: null,
    taken: '0',
    brought: '0',
  };
  const run = { at: Date.UTC(2026, 0, 1), checkpoint: 1, version: 1, outcomes: [outcome, outcome] };
  return manifest.ops.map((_, position) => ({
    op: `adaptor::op_${position}`,
    position,
    state,
    formerState,
    everWorked: true,
    untried: null,
    runs: [run, run, run],
  }));
}
