import { isDeepStrictEqual } from 'node:util';
import { getErrorMessage } from '@adaptor-marketplace/adaptor';
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
  const revoked = new Map<string, true>();
  const narrowed = new Map<string, KeyBounds>();
  const closed = new Map<string, true>();
  const remember = <Value>(credentials: Map<string, Value>, id: string, value: Value) => {
    // A key that is narrowed again becomes the newest.
    credentials.delete(id);
    credentials.set(id, value);
    const [oldest] = credentials.keys();
    if (credentials.size > rememberedMax) credentials.delete(oldest!);
  };

  /** Returns the bounds of a key with those that it was narrowed to. Another process may have narrowed it further. */
  function narrowAgain(key: ExecutorKey): KeyBounds {
    const { expiresMs, ...scope } = narrowed.get(key.id)!;
    const narrowing = narrow(getBounds(key), { ...scope, expiresMs: expiresMs ?? undefined });
    return narrowing.kind === 'narrowed' ? narrowing.bounds : getBounds(key);
  }

  /** Narrows the keys again whose bounds are wider than they were. Returns their ids. */
  async function narrowKeys(): Promise<string[]> {
    const keys = await readKeys(db, [...narrowed.keys()]);
    const wider = keys.filter((key) => !isDeepStrictEqual(narrowAgain(key), getBounds(key)));
    for (const { id } of wider) {
      await changeKey(db, id, (key) => {
        const { expiresMs, ...scope } = narrowAgain(key);
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
    addRevoked: (keyId) => remember(revoked, keyId, true),
    addNarrowed: (key) => remember(narrowed, key.id, getBounds(key)),
    addClosed: (sessionDigest) => remember(closed, sessionDigest, true),
    repeat: () =>
      withdrawAgain().catch((error) =>
        // The connection broke again. Its next recovery repeats this.
        log.warn({ reason: getErrorMessage(error) }, 'cannot read which credentials were withdrawn'),
      ),
  };
}
