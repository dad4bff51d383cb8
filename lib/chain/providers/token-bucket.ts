import type { Kv, TokenGrant } from '../../kv/kv.ts';
import { createMemoryKv } from '../../kv/memory.ts';
import type { Logger } from '../../log/index.ts';

/** Size of a bucket and the rate at which it fills. */
export interface Bucket {
  capacity: number;
  /** Tokens. */
  perSecond: number;
}

export interface TokenBucket {
  /** Takes one token if more than `floor` are there. */
  take(floor: number): Promise<TokenGrant>;
}

/** A bucket in this process. It starts full. */
export function createMemoryBucket(bucket: Bucket, now?: () => number): TokenBucket {
  const kv = createMemoryKv(now);
  return { take: (floor) => kv.takeToken('bucket', { ...bucket, floor }) };
}

/**
 * Share of a budget that one process uses while the store is away and cannot count for all of them: the indexer, the
 * agent, the tool service and the gateway each have a quarter.
 */
const shareWithoutStore = 1 / 4;

/** A bucket in the store, which all processes share. */
export function createSharedBucket(kv: Kv, key: string, bucket: Bucket, log: Logger): TokenBucket {
  const capacity = Math.max(1, Math.floor(bucket.capacity * shareWithoutStore));
  const own = createMemoryBucket({ capacity, perSecond: bucket.perSecond * shareWithoutStore });
  let isAway = false;
  return {
    async take(floor) {
      try {
        const grant = await kv.takeToken(key, { ...bucket, floor });
        isAway = false;
        return grant;
      } catch {
        if (!isAway) {
          log.warn(
            { budget: key },
            'the key-value store cannot count requests to the node: this process uses a quarter of the budget',
          );
        }
        isAway = true;
        // A floor as high as the bucket would never be passed.
        return own.take(Math.min(capacity - 1, Math.floor(floor * shareWithoutStore)));
      }
    },
  };
}
