import type { Database } from '../../../db/client.ts';
import { problem } from '../../../lib/errors/index.ts';
import { digestOf, type Exchange } from '../../../lib/http/exchange.ts';
import type { Logger } from '../../../lib/log/index.ts';
import { follow } from '../live/follow.ts';

const defaultLimits = { ofAll: 2_000, ofCredential: 10 };
/** Lists that are read at a time, of all that are listened to. */
const readingMax = 8;

interface Listener {
  /** Called when the list has changed. */
  changed(): void;
  /** Called when the credential no longer lists anything. */
  ended(): void;
}

/** What listeners of one wallet with one credential see. */
interface Group {
  /** The list as it is now. @throws where the credential does not list it */
  read(): Promise<string>;
  listeners: Map<Exchange['res'], Listener>;
  digest: string;
}

interface WalletListeners {
  /**
   * Watches a list until the response closes.
   * @param key of the wallet and the credential
   * @throws ProblemError 429 or 503 `too_many_streams`
   */
  add(key: string, res: Exchange['res'], read: Group['read'], listener: Listener): Promise<void>;
  close(): Promise<void>;
}

/**
 * Watches the lists of tools that somebody listens to: after each commit of the index, and each second for what makes no
 * event there, such as a cap that is handed on or a delegate that expires. Gateways share nothing for it.
 */
export function walletListeners(db: Database, log: Logger, limits = defaultLimits): WalletListeners {
  const groups = new Map<string, Group>();
  let following: ReturnType<typeof follow> | undefined;

  async function look(): Promise<void> {
    const waiting = [...groups];
    const work = async () => {
      for (let next = waiting.pop(); next; next = waiting.pop()) await lookAt(...next);
    };
    await Promise.all(Array.from({ length: readingMax }, work));
  }

  async function lookAt(key: string, group: Group): Promise<void> {
    try {
      const digest = digestOf(await group.read());
      if (digest === group.digest) return;
      group.digest = digest;
      for (const { changed } of group.listeners.values()) changed();
    } catch (error) {
      // Anything else, such as a node that is away, says nothing of the list.
      if (!isRefusal(error)) return void log.debug({ err: error }, 'cannot read a wallet’s tools');
      groups.delete(key);
      for (const { ended } of group.listeners.values()) ended();
    }
  }

  return {
    async add(key, res, read, listener) {
      const open = [...groups.values()].reduce((sum, { listeners }) => sum + listeners.size, 0);
      if (open >= limits.ofAll) throw tooMany(503, `This service has ${limits.ofAll} listeners`);
      const known = groups.get(key);
      if ((known?.listeners.size ?? 0) >= limits.ofCredential) {
        throw tooMany(429, `A credential may have ${limits.ofCredential} listeners of a wallet`);
      }
      // A client that left while its request was judged never frees its slot: the slot would stay taken for ever.
      if (res.destroyed) return;
      // Before the first read: what changes during it is found by the next look.
      const group = known ?? { read, listeners: new Map(), digest: '' };
      groups.set(key, group);
      group.listeners.set(res, listener);
      res.once('close', () => {
        group.listeners.delete(res);
        if (group.listeners.size === 0 && groups.get(key) === group) groups.delete(key);
      });
      if (!known) group.digest = digestOf(await read());
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

const isRefusal = (error: unknown) =>
  error instanceof Error && 'status' in error && [401, 403, 404].includes(Number(error.status));

const tooMany = (status: 429 | 503, reason: string) =>
  problem('too_many_streams', `${reason}, the maximum. Close one, or list the tools again now and then.`, {
    status,
  });
