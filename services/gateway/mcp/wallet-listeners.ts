import type { Database } from '../../../db/client.ts';
import { createSemaphore } from '../../../lib/concurrency/semaphore.ts';
import { problem } from '../../../lib/errors/index.ts';
import { computeDigest, type Exchange } from '../../../lib/http/exchange.ts';
import type { Logger } from '../../../lib/log/index.ts';
import { follow } from '../live/follow.ts';

const defaultLimits = { ofAll: 2_000, ofCredential: 10 };
/** Tool lists that are read concurrently, over all listeners. */
const readingMax = 8;

interface Listener {
  changed(): void;
  /** Called when the credential no longer lists anything. */
  ended(): void;
}

/** Does work once for all callers of a key. */
type Share = (key: string, work: () => Promise<string>) => Promise<string>;

/**
 * Returns a text that changes with a list. @throws an error with status 401, 403 or 404 if the credential may not list it
 * @param share does what several credentials have in common once
 */
export type Identify = (share: Share) => Promise<string>;

/** Listeners of one wallet with one credential. They all see the same list. */
interface Group {
  identify: Identify;
  listeners: Map<Exchange['res'], Listener>;
  digest: string;
}

interface WalletListeners {
  /** Watches a list, by wallet and credential, until the response closes. @throws ProblemError 429, 503 */
  add(key: string, res: Exchange['res'], identify: Identify, listener: Listener): Promise<void>;
  close(): Promise<void>;
}

/**
 * Watches the tool lists that have listeners. It reads them after each commit of the index, and each second, because
 * some changes make no event there: a transferred cap, or a delegate that expires. Gateways share no state for it.
 */
export function watchToolLists(db: Database, log: Logger, limits = defaultLimits): WalletListeners {
  const groups = new Map<string, Group>();
  const readings = createSemaphore(readingMax);
  let following: ReturnType<typeof follow> | undefined;

  async function look(): Promise<void> {
    const share = createShare();
    await Promise.all([...groups].map(([key, group]) => readings.run(() => lookAt(key, group, share))));
  }

  async function lookAt(key: string, group: Group, share: Share): Promise<void> {
    try {
      const digest = computeDigest(await group.identify(share));
      if (digest === group.digest) return;
      group.digest = digest;
      for (const { changed } of group.listeners.values()) changed();
    } catch (error) {
      // Other errors, such as an unavailable node, do not mean that the list changed.
      if (!isRefusal(error)) return void log.debug({ err: error }, 'cannot read a wallet’s tools');
      groups.delete(key);
      for (const { ended } of group.listeners.values()) ended();
    }
  }

  return {
    async add(key, res, identify, listener) {
      const open = [...groups.values()].reduce((sum, { listeners }) => sum + listeners.size, 0);
      if (open >= limits.ofAll) throw tooMany(503, `This service has ${limits.ofAll} listeners`);
      const known = groups.get(key);
      if ((known?.listeners.size ?? 0) >= limits.ofCredential) {
        throw tooMany(429, `A credential may have ${limits.ofCredential} listeners of a wallet`);
      }
      // A client that left during the check never frees its slot, so it must not get one.
      if (res.destroyed) return;
      // The group is added before the first read, so that the next look finds changes during that read.
      const group = known ?? { identify, listeners: new Map(), digest: '' };
      groups.set(key, group);
      group.listeners.set(res, listener);
      res.once('close', () => {
        group.listeners.delete(res);
        if (group.listeners.size === 0 && groups.get(key) === group) groups.delete(key);
      });
      if (!known) group.digest = computeDigest(await identify(createShare()));
      following ??= follow(db, log, {
        channels: ['indexed', 'catalog'],
        concerns: () => groups.size > 0,
        look,
        failed: 'cannot watch the tools of wallets',
      });
    },
    async close() {
      const open = [...groups.values()];
      groups.clear();
      for (const { listeners } of open) for (const { ended } of listeners.values()) ended();
      await following?.close();
    },
  };
}

function createShare(): Share {
  const shared = new Map<string, Promise<string>>();
  return (key, work) => {
    const result = shared.get(key) ?? work();
    shared.set(key, result);
    return result;
  };
}

const isRefusal = (error: unknown) =>
  error instanceof Error && 'status' in error && [401, 403, 404].includes(Number(error.status));

const tooMany = (status: 429 | 503, reason: string) =>
  problem('too_many_streams', `${reason}, the maximum. Close one, or list the tools again now and then.`, {
    status,
  });
