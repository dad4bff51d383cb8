import { messageOf } from '@adaptor-marketplace/adaptor';
import type { Database } from '../../../db/client.ts';
import { listen } from '../../../db/listen.ts';
import { type IndexState, readIndexState } from '../../../db/queries/state.ts';
import type { Logger } from '../../../lib/log/index.ts';
import { coalesce } from '../shared-work.ts';

export interface IndexWatch {
  /** Version of the network's catalog when last looked at; 0 before any change. */
  catalogVersion(network: string): number;
  /** Highest checkpoint that all these sources cover in full; undefined before the first. */
  checkpoint(network: string, ...sources: string[]): number | undefined;
  chainId(network: string): string | undefined;
  close(): Promise<void>;
}

interface WatchOptions {
  db: Database;
  networks: readonly string[];
  /** Called for every network at the first look, and for each whose catalog has changed since. */
  onCatalogChange(network: string): Promise<void>;
  log: Logger;
}

/** Carries the checkpoint forward, and finds a change whose notification was lost. */
const pollMs = 1_000;

/**
 * Caches the state of the index for every response, without a query per request: updated by LISTEN, and by
 * a poll each second, because notifications do not survive a lost connection or a pooler.
 * Resolves after the first look, and rejects when that fails.
 */
export async function watchIndex({ db, networks, onCatalogChange, log }: WatchOptions): Promise<IndexWatch> {
  let state: IndexState = { sources: [], catalogVersions: new Map() };
  /** Versions that were handled; a change whose handling failed is found again. */
  const handled = new Map<string, number>();
  const catalogVersion = (network: string) => state.catalogVersions.get(network) ?? 0;

  async function look(): Promise<void> {
    state = await readIndexState(db.pool);
    await Promise.all(
      networks.map(async (network) => {
        const version = catalogVersion(network);
        if (handled.get(network) === version) return;
        await onCatalogChange(network);
        handled.set(network, version);
      }),
    );
  }
  await look();

  let failing = false;
  const lookAgain = coalesce(async () => {
    try {
      await look();
      if (failing) log.info('the index can be read again');
      failing = false;
    } catch (error) {
      // Said once: the poll would repeat it every second.
      if (!failing) log.warn({ reason: messageOf(error) }, 'cannot read the index; serving what is known');
      failing = true;
    }
  });

  const timer = setInterval(lookAgain, pollMs);
  const listener = listen({
    url: db.url,
    channels: ['catalog'],
    onNotification: lookAgain,
    onConnected: lookAgain,
    log,
  });
  const source = (network: string, name: string) =>
    state.sources.find((row) => row.network === network && row.name === name);

  return {
    catalogVersion,
    checkpoint(network, ...names) {
      const checkpoints = names.map((name) => source(network, name)?.checkpoint ?? -1);
      const lowest = Math.min(...checkpoints);
      return lowest < 0 ? undefined : lowest;
    },
    chainId: (network) => source(network, 'registry')?.chainId,
    async close() {
      clearInterval(timer);
      await listener.close();
      await lookAgain();
    },
  };
}
