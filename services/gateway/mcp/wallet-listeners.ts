import type { Database } from '../../../db/client.ts';
import { createSemaphore } from '../../../lib/concurrency/semaphore.ts';
import { createShares } from '../../../lib/concurrency/shares.ts';
import { type ProblemError, problem } from '../../../lib/errors/index.ts';
import { computeDigest, type Exchange } from '../../../lib/http/exchange.ts';
import type { Logger } from '../../../lib/log/index.ts';
import { follow } from '../live/follow.ts';

/**
 * Maximum numbers of listeners, and of lists that are compared in a second. Anyone makes wallets, sessions and keys at
 * will, so that none of them may have all listeners, and the requests to the nodes do not grow with them.
 */
const defaultLimits = {
  listeners: { all: 2_000, caller: 100, wallet: 100, credential: 10 },
  comparedPerSecond: 200,
};
/** Tool lists that are read concurrently, over all listeners. */
const readingMax = 8;

interface Listener {
  /** API key or address of the caller. Undefined: it has no share. */
  caller: string | undefined;
  changed(): void;
  /** Called when the credential no longer lists anything. */
  ended(): void;
}

/** Does work once for all callers of a key. */
type Share = <T>(key: string, work: () => Promise<T>) => Promise<T>;

/**
 * Returns a text that changes with a list. @throws an error with status 401, 403 or 404 if the credential may not list it
 * @param share does what several credentials have in common once
 */
export type Identify = (share: Share) => Promise<string>;

/** Listeners of one wallet with one credential. They all see the same list. */
interface Group {
  wallet: string;
  identify: Identify;
  listeners: Map<Exchange['res'], Listener>;
  digest: string;
}

interface WatchedList {
  wallet: string;
  /** Digest of the credential. */
  credential: string;
}

interface WalletListeners {
  /** Watches the list of a wallet for a credential until the response closes. @throws ProblemError 429, 503 */
  add(list: WatchedList, res: Exchange['res'], identify: Identify, listener: Listener): Promise<void>;
  close(): Promise<void>;
}

/**
 * Watches the tool lists that have listeners. It reads them after each commit of the index, and each second, because
 * some changes make no event there: a transferred cap, or a delegate that expires. With more lists than are compared in a
 * second, each waits for its turn. Gateways share no state for it.
 * @param now returns milliseconds
 */
export function watchToolLists(
  db: Database,
  log: Logger,
  limits = defaultLimits,
  now = () => performance.now(),
): WalletListeners {
  /** Groups by wallet and credential. The one that was compared longest ago comes first. */
  const groups = new Map<string, Group>();
  const readings = createSemaphore(readingMax);
  const shares = createShares(limits.listeners);
  let following: ReturnType<typeof follow> | undefined;
  let closed = false;
  let second = { startMs: Number.NEGATIVE_INFINITY, compared: 0 };

  async function look(): Promise<void> {
    const share = createShare();
    await Promise.all(takeNext().map(([key, group]) => readings.run(() => lookAt(key, group, share))));
  }

  /** Takes the groups that may still be compared in this second. */
  function takeNext(): [string, Group][] {
    if (now() >= second.startMs + 1_000) second = { startMs: now(), compared: 0 };
    const next = [...groups].slice(0, limits.comparedPerSecond - second.compared);
    second.compared += next.length;
    for (const [key, group] of next) {
      groups.delete(key);
      groups.set(key, group);
    }
    return next;
  }

  async function lookAt(key: string, group: Group, share: Share): Promise<void> {
    try {
      const digest = computeDigest(await group.identify(share));
      if (digest === group.digest) return;
      group.digest = digest;
      for (const { changed } of group.listeners.values()) changed();
    } catch (error) {
      // Other errors, such as an unavailable node, do not mean that the list changed.
      if (!isRefusal(error)) return void log.debug({ err: error }, 'cannot read the tools of a wallet');
      // A client may have come back in the meantime, to a group of its own.
      if (groups.get(key) === group) groups.delete(key);
      for (const { ended } of group.listeners.values()) ended();
    }
  }

  return {
    async add(list, res, identify, listener) {
      const key = `${list.wallet} ${list.credential}`;
      // A client that left already never frees its slot, so it must not get one.
      if (res.destroyed) return;
      if (closed) return listener.ended();
      const holders = { caller: listener.caller, wallet: list.wallet, credential: key };
      const leave = shares.take(holders, tooMany);
      const known = groups.get(key);
      // The group is added before the first read, so that the next look finds changes during that read.
      const group = known ?? { wallet: list.wallet, identify, listeners: new Map(), digest: '' };
      groups.set(key, group);
      group.listeners.set(res, listener);
      res.once('close', () => {
        leave();
        group.listeners.delete(res);
        if (group.listeners.size === 0 && groups.get(key) === group) groups.delete(key);
      });
      if (!known) group.digest = computeDigest(await identify(createShare()));
      // `close` has ended it meanwhile.
      if (closed) return;
      following ??= follow(db, log, {
        channels: ['indexed', 'catalog'],
        isRelevant: () => groups.size > 0,
        look,
        failureMessage: 'cannot watch the tools of wallets',
      });
    },
    async close() {
      closed = true;
      const open = [...groups.values()];
      groups.clear();
      for (const { listeners } of open) for (const { ended } of listeners.values()) ended();
      await following?.close();
    },
  };
}

function createShare(): Share {
  const shared = new Map<string, Promise<unknown>>();
  return <T>(key: string, work: () => Promise<T>) => {
    const result = (shared.get(key) as Promise<T> | undefined) ?? work();
    shared.set(key, result);
    return result;
  };
}

const isRefusal = (error: unknown) =>
  error instanceof Error && 'status' in error && [401, 403, 404].includes(Number(error.status));

const whose = {
  all: 'This service has',
  caller: 'Your API key or address has',
  wallet: 'This wallet has',
  credential: 'This credential has',
};

function tooMany(kind: keyof typeof whose, max: number): ProblemError {
  const detail = `${whose[kind]} ${max} listeners, the maximum. Close one, or list the tools again now and then.`;
  return problem('too_many_streams', detail, { status: kind === 'all' ? 503 : 429 });
}
