import type { Network } from '@adaptor-marketplace/adaptor';
import type { Database } from '../../../db/client.ts';
import { type IndexState, readIndexState } from '../../../db/queries/state.ts';
import type { ReadPools } from '../../../db/replicas/read-pools.ts';
import type { IndexingProgress } from '../../../graphql/builder.ts';
import { createShares } from '../../../lib/concurrency/shares.ts';
import type { SourceName } from '../../../lib/config/networks.ts';
import { type ProblemError, problem } from '../../../lib/errors/index.ts';
import type { Logger } from '../../../lib/log/index.ts';
import { follow } from './follow.ts';

export interface IndexWatch {
  /** Version of the network's catalog when last looked at; 0 before any change. */
  catalogVersion(network: string): number;
  /** Highest checkpoint that all these sources cover in full; undefined before the first. */
  checkpoint(network: string, ...sources: string[]): number | undefined;
  /** Highest checkpoint of the registry whose changes `onCatalogChange` has handled; undefined before the first. */
  catalogCheckpoint(network: string): number | undefined;
  chainId(network: string): string | undefined;
  /** Returns the indexing progress of a network at the last look, without sources that the operator removed. */
  indexed(network: Network): IndexingProgress;
  /**
   * Resolves when a checkpoint is covered, or the signal aborts.
   * @param caller whose share the wait counts towards. Undefined: it has no share
   * @throws ProblemError `checkpoint_not_reached`, or 429 or 503 `too_many_waiting`
   */
  waitFor(awaited: AwaitedCheckpoint, caller: string | undefined, signal: AbortSignal): Promise<void>;
  /** Number of notifications of a changed index since the start. Data from before the last one can be outdated. */
  notifications(): number;
  close(): Promise<void>;
}

/** A checkpoint that the named sources of a network must cover. Default: all its sources. */
interface AwaitedCheckpoint {
  network: Network;
  checkpoint: number;
  sources?: readonly SourceName[] | undefined;
}

interface WatchOptions {
  db: Database;
  reads: ReadPools;
  networks: readonly string[];
  /** Called for every network at the first look, and for each whose catalog has changed since. */
  onCatalogChange(network: string): Promise<void>;
  /** Runs the first look, also again while the database is away. */
  whenReached(look: () => Promise<void>): Promise<void>;
  log: Logger;
}

/** Caches the state of the index for every response. Resolves after the first look, and rejects when that fails. */
export async function watchIndex({
  db,
  reads,
  networks,
  onCatalogChange,
  whenReached,
  log,
}: WatchOptions): Promise<IndexWatch> {
  let state: IndexState = { sources: [], catalogVersions: new Map(), skippedFrom: new Map() };
  /** Last handled state of each network. A change whose handling failed is handled again at the next look. */
  const handled = new Map<string, { version: number; checkpoint: number | undefined }>();
  const catalogVersion = (network: string) => state.catalogVersions.get(network) ?? 0;
  const findSource = (network: string, name: string) =>
    state.sources.find((row) => row.network === network && row.name === name);

  function indexed(network: Network): IndexingProgress {
    const sources = state.sources.filter((row) => row.network === network && row.removedAtMs === null);
    const names = sources.map(({ name }) => name);
    return { checkpoint: findCovered(network, names) ?? null, sources };
  }

  /** Returns the highest checkpoint that all these sources cover. Undefined without one. */
  function findCovered(network: string, names: readonly string[]): number | undefined {
    const lowest = Math.min(...names.map((name) => findSource(network, name)?.checkpoint ?? -1));
    return names.length === 0 || lowest < 0 ? undefined : lowest;
  }
  const waits = createCheckpointWaits({
    reached: ({ network, sources }) =>
      sources ? findCovered(network, sources) : (indexed(network).checkpoint ?? undefined),
    waitingMax: { all: 100, caller: 20 },
    waitMsMax: 10_000,
  });

  async function look(): Promise<void> {
    const read = await readIndexState(db.pool);
    const position = await reads.readPosition();
    reportLost(state, read, log);
    state = read;
    reads.require(position);
    waits.check();
    await Promise.all(
      networks.map(async (network) => {
        const version = catalogVersion(network);
        const checkpoint = findCovered(network, ['registry']);
        if (handled.get(network)?.version !== version) await onCatalogChange(network);
        handled.set(network, { version, checkpoint });
      }),
    );
  }
  await whenReached(look);

  let notifications = 0;
  const following = follow(db, log, {
    channels: ['catalog', 'indexed'],
    isRelevant(_, channel) {
      notifications += 1;
      reads.expectChange();
      return channel === 'catalog' || waits.count() > 0 || reads.hasReplicas;
    },
    look,
    failureMessage: 'cannot read the index; serving what is known',
    recoveryMessage: 'the index can be read again',
  });

  return {
    catalogVersion,
    checkpoint: (network, ...names) => findCovered(network, names),
    catalogCheckpoint: (network) => handled.get(network)?.checkpoint,
    chainId: (network) => findSource(network, 'registry')?.chainId,
    indexed,
    waitFor: waits.wait,
    notifications: () => notifications,
    close: following.close,
  };
}

/** Reports revisions that this gateway has announced and that a promoted replica lacks. */
function reportLost(before: IndexState, now: IndexState, log: Logger): void {
  for (const [network, to] of before.catalogVersions) {
    const skipped = now.skippedFrom.get(network);
    const isNew = skipped !== undefined && skipped !== before.skippedFrom.get(network);
    const from = isNew ? skipped : (now.catalogVersions.get(network) ?? 0) + 1;
    if (from > to) continue;
    const fields = { network, from, to };
    log.error(fields, 'a failover of the database lost revisions of the catalog; their readers start again');
  }
}

interface CheckpointWaiter extends AwaitedCheckpoint {
  resolve(): void;
}

interface CheckpointBounds {
  reached(awaited: AwaitedCheckpoint): number | undefined;
  /** Maximum number of requests that wait at once, and of milliseconds for each. */
  waitingMax: { all: number; caller: number };
  waitMsMax: number;
}

export function createCheckpointWaits({ reached, waitingMax, waitMsMax }: CheckpointBounds) {
  const waiting = new Set<CheckpointWaiter>();
  const shares = createShares(waitingMax);
  const isReached = (awaited: AwaitedCheckpoint) => (reached(awaited) ?? -1) >= awaited.checkpoint;

  return {
    count: () => waiting.size,
    /** Ends the waits whose checkpoint is reached. Call it whenever more may have been indexed. */
    check(): void {
      for (const waiter of waiting) if (isReached(waiter)) waiter.resolve();
    },
    /** Resolves when the checkpoint is indexed, or the signal aborts. @throws ProblemError as `waitFor` does */
    async wait(awaited: AwaitedCheckpoint, caller: string | undefined, signal: AbortSignal): Promise<void> {
      if (isReached(awaited) || signal.aborted) return;
      const stopWaiting = shares.take({ caller }, tooManyWaiting);
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const waiter = { ...awaited, resolve };
      const late = setTimeout(() => {
        const { network, checkpoint, sources } = awaited;
        const at = reached(awaited) ?? 'no checkpoint';
        const what = sources ? `${network} (${sources.join(', ')})` : network;
        const detail = `${what} is indexed to ${at}, and not to ${checkpoint} within ${waitMsMax} ms.`;
        reject(problem('checkpoint_not_reached', detail));
      }, waitMsMax);
      const stop = () => resolve();
      signal.addEventListener('abort', stop);
      waiting.add(waiter);
      try {
        await promise;
      } finally {
        clearTimeout(late);
        signal.removeEventListener('abort', stop);
        waiting.delete(waiter);
        stopWaiting();
      }
    },
  };
}

function tooManyWaiting(kind: 'all' | 'caller', max: number): ProblemError {
  const whose = kind === 'all' ? '' : ' of your API key or address';
  const detail = `${max} requests${whose} wait for a checkpoint already, the maximum.`;
  return problem('too_many_waiting', detail, { status: kind === 'all' ? 503 : 429 });
}
