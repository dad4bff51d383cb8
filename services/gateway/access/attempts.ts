import { LRUCache } from 'lru-cache';
import { type Kv, KvUnavailableError, type WindowCount } from '../../../lib/kv/kv.ts';
import { type Policy, windowMs } from './headers.ts';

/** Credentials that an address may try: the host's secrets, right or wrong, and what else proves to be wrong. */
export const attemptPolicy: Policy = { name: 'attempts', perMinute: 60 };

/**
 * Counts the credentials that an address tries, so that nobody finds one by trying. It counts in memory as well as in
 * the store: a store that is out, or that a host does not have, opens nothing.
 */
export interface Attempts {
  /** Counts one, before it is judged where it can be guessed. Beyond the policy it must not be judged at all. */
  count(address: string): Promise<WindowCount>;
  /** Takes one back that proved right, in memory: the store's count stands. */
  refund(address: string): void;
  /** The window of an address that has no attempt left, as far as this process knows. */
  used(address: string): WindowCount | undefined;
}

interface Tried {
  count: number;
  endsAtMs: number;
}

/** Addresses of which it is known at a time; beyond them, the ones that have been quiet longest are forgotten. */
const addressesMax = 100_000;

export function credentialAttempts(
  kv: Kv | undefined,
  nowMs: () => number = () => performance.now(),
): Attempts {
  const byAddress = new LRUCache<string, Tried>({ max: addressesMax });

  function triedBy(address: string): Tried {
    const known = byAddress.get(address);
    if (known && known.endsAtMs > nowMs()) return known;
    const begun = { count: 0, endsAtMs: nowMs() + windowMs };
    byAddress.set(address, begun);
    return begun;
  }

  const windowOf = (count: number, { endsAtMs }: Tried) => ({ count, endsInMs: endsAtMs - nowMs() });

  return {
    async count(address) {
      const tried = triedBy(address);
      tried.count += 1;
      // Taken before the store is asked, so that attempts made at once each get a number of their own.
      const own = tried.count;
      if (!kv || own > attemptPolicy.perMinute) return windowOf(own, tried);
      try {
        const shared = await kv.count(`secret:${address}`, windowMs);
        tried.count = Math.max(tried.count, shared.count);
        return shared.count > own ? shared : windowOf(own, tried);
      } catch (error) {
        if (!(error instanceof KvUnavailableError)) throw error;
        return windowOf(own, tried);
      }
    },
    refund(address) {
      const tried = byAddress.get(address);
      if (tried && tried.count > 0) tried.count -= 1;
    },
    used(address) {
      const tried = byAddress.get(address);
      if (!tried || tried.endsAtMs <= nowMs() || tried.count < attemptPolicy.perMinute) return undefined;
      return windowOf(tried.count, tried);
    },
  };
}
