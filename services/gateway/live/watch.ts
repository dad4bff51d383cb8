import type { Network } from '@adaptor-marketplace/adaptor';
import type { Database } from '../../../db/client.ts';
import { type IndexState, readIndexState } from '../../../db/queries/state.ts';
import type { Indexed } from '../../../graphql/builder.ts';
import { problem } from '../../../lib/errors/index.ts';
import type { Logger } from '../../../lib/log/index.ts';
import { follow } from './follow.ts';

export interface IndexWatch {
  /** Version of the network's catalog when last looked at; 0 before any change. */
  catalogVersion(network: string): number;
  /** Highest checkpoint that all these sources cover in full; undefined before the first. */
  checkpoint(network: string, ...sources: string[]): number | undefined;
  chainId(network: string): string | undefined;
  /** How far a network was indexed when last looked at. Sources that the operator removed do not count. */
  indexed(network: Network): Indexed;
  /**
   * Resolves when all sources of a network cover a checkpoint, or the signal aborts.
   * @throws ProblemError `checkpoint_not_reached` or `too_many_waiting`
   */
  waitFor(network: Network, checkpoint: number, signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

interface WatchOptions {
  db: Database;
  networks: readonly string[];
  /** Called for every network at the first look, and for each whose catalog has changed since. */
  onCatalogChange(network: string): Promise<void>;
  log: Logger;
}

/**
 * Caches the state of the index for every response, without a query per request.
 * Resolves after the first look, and rejects when that fails.
 */
export async function watchIndex({ db, networks, onCatalogChange, log }: WatchOptions): Promise<IndexWatch> {
  let state: IndexState = { sources: [], catalogVersions: new Map() };
  /** Versions that were handled; a change whose handling failed is found again. */
  const handled = new Map<string, number>();
  const catalogVersion = (network: string) => state.catalogVersions.get(network) ?? 0;

  function indexed(network: Network): Indexed {
    const sources = state.sources.filter((row) => row.network === network && row.removedAtMs === null);
    const lowest = Math.min(...sources.map(({ checkpoint }) => checkpoint ?? -1));
    return { checkpoint: sources.length === 0 || lowest < 0 ? null : lowest, sources };
  }
  const waits = checkpointWaits({
    reached: (network) => indexed(network).checkpoint ?? undefined,
    waitingMax: 100,
    waitMsMax: 10_000,
  });

  async function look(): Promise<void> {
    state = await readIndexState(db.pool);
    waits.check();
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

  const following = follow(db, log, {
    channels: ['catalog', 'indexed'],
    concerns: (_, channel) => channel === 'catalog' || waits.count() > 0,
    look,
    failed: 'cannot read the index; serving what is known',
    recovered: 'the index can be read again',
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
    indexed,
    waitFor: waits.wait,
    close: following.close,
  };
}

interface Waiting {
  network: Network;
  checkpoint: number;
  resolve(): void;
}

interface CheckpointBounds {
  /** The highest checkpoint that a network is indexed to; undefined before the first. */
  reached(network: Network): number | undefined;
  /** Requests that wait at once, and how long each may. */
  waitingMax: number;
  waitMsMax: number;
}

/** Requests that wait until a network is indexed to a checkpoint. */
export function checkpointWaits({ reached, waitingMax, waitMsMax }: CheckpointBounds) {
  const waiting = new Set<Waiting>();
  const isReached = ({ network, checkpoint }: Omit<Waiting, 'resolve'>) =>
    (reached(network) ?? -1) >= checkpoint;

  return {
    /** How many wait. */
    count: () => waiting.size,
    /** To be called whenever more may have been indexed. */
    check(): void {
      for (const one of waiting) if (isReached(one)) one.resolve();
    },
    /**
     * Resolves when the network is indexed to the checkpoint, or the signal aborts.
     * @throws ProblemError `checkpoint_not_reached` or `too_many_waiting`
     */
    async wait(network: Network, checkpoint: number, signal: AbortSignal): Promise<void> {
      if (isReached({ network, checkpoint }) || signal.aborted) return;
      if (waiting.size >= waitingMax) {
        throw problem('too_many_waiting', `${waitingMax} requests wait for a checkpoint already.`);
      }
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const own = { network, checkpoint, resolve };
      const late = setTimeout(() => {
        const at = reached(network) ?? 'no checkpoint';
        const detail = `${network} is indexed to ${at}, and not to ${checkpoint} within ${waitMsMax} ms.`;
        reject(problem('checkpoint_not_reached', detail));
      }, waitMsMax);
      const leave = () => resolve();
      signal.addEventListener('abort', leave);
      waiting.add(own);
      try {
        await promise;
      } finally {
        clearTimeout(late);
        signal.removeEventListener('abort', leave);
        waiting.delete(own);
      }
    },
  };
}
