import { isDeepStrictEqual } from 'node:util';
import { getErrorMessage } from '@adaptor-marketplace/adaptor';
import { LRUCache } from 'lru-cache';
import type { Pool } from 'pg';
import {
  changeKey,
  closeSessions,
  type ExecutorKey,
  readKeys,
  revokeKeys,
} from '../../../db/queries/agent/access.ts';
import { type KeyBounds, narrow } from '../../../lib/agent/key-scope.ts';
import type { Logger } from '../../../lib/log/index.ts';

/** Maximum number of remembered credentials of each kind. Beyond it, the oldest is forgotten. */
const rememberedMax = 1_000;

/** Credentials that this process withdrew: executor keys that it revoked or narrowed, and sessions that it closed. */
export interface Withdrawals {
  addRevoked(keyId: string): void;
  addNarrowed(key: ExecutorKey): void;
  addClosed(sessionDigest: string): void;
  /** Withdraws again what the database lost: a promoted replica may lack the last transactions. Never rejects. */
  repeat(): Promise<void>;
}

const getBounds = ({ scope, expiresMs }: ExecutorKey): KeyBounds => ({ ...scope, expiresMs });

export function createWithdrawals(db: Pool, log: Logger, now: () => Date): Withdrawals {
  const revoked = new LRUCache<string, true>({ max: rememberedMax });
  const narrowed = new LRUCache<string, KeyBounds>({ max: rememberedMax });
  const closed = new LRUCache<string, true>({ max: rememberedMax });

  /** Returns the bounds of a key with those that it was narrowed to. Another process may have narrowed it further. */
  function narrowAgain(key: ExecutorKey, to: KeyBounds): KeyBounds {
    const { expiresMs, ...scope } = to;
    const narrowing = narrow(getBounds(key), { ...scope, expiresMs: expiresMs ?? undefined });
    return narrowing.kind === 'narrowed' ? narrowing.bounds : getBounds(key);
  }

  /** Narrows the keys again whose bounds are wider than they were. Returns their ids. */
  async function narrowKeys(): Promise<string[]> {
    // Keys that are forgotten meanwhile are narrowed too.
    const remembered = new Map(narrowed.entries());
    const keys = await readKeys(db, [...remembered.keys()]);
    const wider = keys.filter(
      (key) => !isDeepStrictEqual(narrowAgain(key, remembered.get(key.id)!), getBounds(key)),
    );
    for (const { id } of wider) {
      await changeKey(db, id, (key) => {
        const { expiresMs, ...scope } = narrowAgain(key, remembered.get(id)!);
        return { label: key.label, scope, expiresMs };
      });
    }
    return wider.map(({ id }) => id);
  }

  async function withdrawAgain(): Promise<void> {
    const keys = revoked.size > 0 ? await revokeKeys(db, [...revoked.keys()], now()) : [];
    if (keys.length > 0) log.error({ keys }, 'the database lost revocations of executor keys; revoked again');
    const wider = narrowed.size > 0 ? await narrowKeys() : [];
    if (wider.length > 0)
      log.error({ keys: wider }, 'the database lost the bounds of executor keys; narrowed again');
    const addresses = closed.size > 0 ? await closeSessions(db, [...closed.keys()]) : [];
    if (addresses.length > 0) log.error({ addresses }, 'the database lost the end of sessions; closed again');
  }

  return {
    addRevoked: (keyId) => void revoked.set(keyId, true),
    addNarrowed: (key) => void narrowed.set(key.id, getBounds(key)),
    addClosed: (sessionDigest) => void closed.set(sessionDigest, true),
    repeat: () =>
      withdrawAgain().catch((error) =>
        // The connection broke again. Its next recovery repeats this.
        log.warn({ reason: getErrorMessage(error) }, 'cannot read which credentials were withdrawn'),
      ),
  };
}
