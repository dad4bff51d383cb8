import { getErrorMessage } from '@adaptor-marketplace/adaptor';
import type { Pool } from 'pg';
import { revokeKeys } from '../../../db/queries/agent/access.ts';
import type { Logger } from '../../../lib/log/index.ts';

/** Maximum number of remembered keys. Beyond it, the oldest is forgotten. */
const rememberedMax = 1_000;

/** Executor keys that this process revoked. */
export interface Revocations {
  add(id: string): void;
  /** Revokes again the keys whose revocation the database lost: a promoted replica may lack it. Never rejects. */
  repeat(): Promise<void>;
}

export function createRevocations(db: Pool, log: Logger, now: () => Date): Revocations {
  const remembered = new Set<string>();
  return {
    add(id) {
      remembered.add(id);
      const [oldest] = remembered;
      if (remembered.size > rememberedMax) remembered.delete(oldest!);
    },
    async repeat() {
      if (remembered.size === 0) return;
      try {
        const keys = await revokeKeys(db, [...remembered], now());
        if (keys.length > 0)
          log.error({ keys }, 'the database lost revocations of executor keys; revoked again');
      } catch (error) {
        // The connection broke again. Its next recovery repeats this.
        log.warn({ reason: getErrorMessage(error) }, 'cannot read which executor keys are revoked');
      }
    },
  };
}
