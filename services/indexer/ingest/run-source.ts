import { setTimeout as delay } from 'node:timers/promises';
import type { PoolClient } from 'pg';
import type { Database } from '../../../db/client.ts';
import { withSourceLock } from '../../../db/lock.ts';
import { bindSource, readSource, type SourceState } from '../../../db/queries/sources.ts';
import type { NetworkSettings } from '../../../lib/config/index.ts';
import { isDatabaseAway } from '../../../lib/errors/database-away.ts';
import { FatalError } from '../../../lib/errors/index.ts';
import type { Logger } from '../../../lib/log/index.ts';
import type { IndexerMetrics } from '../metrics.ts';
import type { Progress } from '../progress.ts';
import { publicMessage } from '../public-message.ts';
import type { EventData, Source } from '../sources/source.ts';
import { backoffMs, describeFailure } from '../stream/errors.ts';
import { follow } from '../stream/follow.ts';
import { type LedgerNode, openNode } from '../stream/node.ts';
import { openEndpoint } from '../stream/open.ts';
import { SilentError } from '../stream/stream.ts';
import { Batcher } from './batcher.ts';
import { ensureSource, keepTip, markLongAway, recordFailure } from './health.ts';
import { type EventTypesNow, eventTypesOf, firstCheckpointOf } from './packages.ts';
import { readChunks, writeBatches } from './pipeline.ts';
import { filterOf, resumeFilter, UpgradedError, versionsOf } from './stored-filter.ts';
import { TipHistory } from './tip.ts';

export interface SourceRun<Data extends EventData> {
  db: Database;
  settings: NetworkSettings;
  source: Source<Data>;
  log: Logger;
  metrics: IndexerMetrics;
  progress: Progress;
  /** Milliseconds of silence after which a stream is opened anew. */
  idleMs: number;
  /** Most events in one transaction. */
  batchMax: number;
  /** After each commit of live events, which may have made work for the checks. */
  onCommitted(): void;
  /** Once history is stored. */
  onCaughtUp(): void;
  signal: AbortSignal;
}

/** How long mere progress waits before it moves the stored cursor. */
const quietMs = 1_000;

/**
 * Follows one source of one network until the signal aborts. What can pass is retried with a growing delay;
 * what cannot stops this source alone, with the reason in its row.
 */
export async function runSource<Data extends EventData>(run: SourceRun<Data>): Promise<void> {
  const { db, settings, source, signal } = run;
  const key = `${settings.network}/${source.name}`;
  let attempt = 0;
  /** Versions of the followed packages that were met. */
  const seen = new Set<string>();
  while (!signal.aborted) {
    try {
      await ensureSource(db, settings, source.name);
      await withSourceLock(db, key, signal, async (client) => {
        await followOnce(run, client, seen, () => {
          attempt = 0;
        });
      });
    } catch (error) {
      if (signal.aborted) return;
      await fail(run, error);
      if (error instanceof FatalError) return;
    }
    // Also after an orderly end: a node may end each stream at once.
    await delay(backoffMs(attempt++), undefined, { signal }).catch(() => undefined);
    run.metrics.restarts.inc({ network: settings.network, source: source.name });
  }
}

/** Tells why the source stopped, or is opened anew. */
async function fail<Data extends EventData>({ db, settings, source, log }: SourceRun<Data>, error: unknown) {
  const message = publicMessage(describeFailure(error), [settings.rpcToken]);
  const stopped = error instanceof FatalError;
  const about = { network: settings.network, source: source.name };
  if (error instanceof UpgradedError) return log.info(about, message);
  if (error instanceof SilentError) return log.debug(about, `source is opened anew: ${message}`);
  if (stopped) log.fatal({ ...about, code: error.code }, message);
  else log.warn(about, `source failed and is opened anew: ${message}`);
  await recordFailure(db, settings.network, source.name, { message, stopped }).catch((failure) => {
    // An outage of the database: what it does to the source has its line already.
    if (!isDatabaseAway(failure)) log.error({ err: failure }, 'could not store why a source failed');
  });
}

/** From opening the node to the end of its stream; each commit calls `onProgress`. */
async function followOnce<Data extends EventData>(
  run: SourceRun<Data>,
  client: PoolClient,
  seen: Set<string>,
  onProgress: () => void,
) {
  const { settings, idleMs } = run;
  const stop = new AbortController();
  const signal = AbortSignal.any([run.signal, stop.signal]);
  const node = openNode(settings.rpcUrl, settings.rpcToken);
  const opened = [node];
  try {
    const { chainId } = await node.info(signal);
    const { archiveUrl } = settings;
    const archive = archiveUrl ? () => openArchive(archiveUrl) : undefined;
    const openArchive = async (url: string): Promise<LedgerNode> => {
      const opening = openNode(url, settings.rpcToken);
      opened.push(opening);
      const info = await opening.info(signal);
      if (info.chainId === chainId) return opening;
      throw new FatalError('other_chain', `The archive ${url} serves chain ${info.chainId}, not ${chainId}.`);
    };

    const { state, eventTypes, typesNow } = await resume(run, client, { node, archive, chainId, seen });
    const open = (endpoint: LedgerNode) => openEndpoint(endpoint, eventTypes, { idleMs, signal });
    const tips = new TipHistory();
    const chunks = follow({
      network: settings.network,
      main: await open(node),
      openArchive: archive && (async () => open(await archive())),
      resume: state,
      async requireCovers(checkpoint, written) {
        const now = await typesNow(checkpoint, written);
        if (now.every((type) => eventTypes.includes(type))) return;
        throw new UpgradedError(
          `a package was upgraded by checkpoint ${checkpoint}: its new events are followed`,
        );
      },
      signal,
    });
    const batcher = new Batcher<Data>(run.batchMax, quietMs);
    const reading = readChunks(run, chunks, eventTypes, state, batcher).then(
      () => batcher.end(),
      (error) => batcher.end(error),
    );
    const tipping = keepTip({ ...run, node, tips, signal });
    try {
      await writeBatches(run, client, state, batcher, tips, onProgress);
    } finally {
      stop.abort();
      batcher.end();
      await Promise.all([reading, tipping]);
    }
  } finally {
    stop.abort();
    for (const endpoint of opened) endpoint.close();
  }
}

interface ResumeOptions {
  node: LedgerNode;
  archive: (() => Promise<LedgerNode>) | undefined;
  chainId: string;
  seen: Set<string>;
}

/** Where the source stands, and the event types that it goes on with. */
async function resume<Data extends EventData>(
  { settings, source }: SourceRun<Data>,
  db: PoolClient,
  { node: { client }, archive, chainId, seen }: ResumeOptions,
): Promise<{ state: SourceState; eventTypes: string[]; typesNow: EventTypesNow }> {
  const identity = { network: settings.network, name: source.name, chainId };
  await markLongAway(db, settings.network, source.name);
  const stored = await readSource(db, identity);
  for (const id of stored ? versionsOf(stored.filter) : []) seen.add(id);
  const typesNow = eventTypesOf(client, source, settings, seen);
  const eventTypes = await typesNow();
  if (!stored) {
    const first = await firstCheckpointOf(client, source, settings);
    const state = await bindSource(db, identity, { filter: filterOf(eventTypes), first });
    return { state, eventTypes, typesNow };
  }
  const originals = source.packages(settings).map(({ packageId }) => packageId);
  const state = await resumeFilter(db, {
    ...{ identity, stored, eventTypes, originals, client },
    archive: archive && (async () => (await archive()).client),
  });
  return { state, eventTypes, typesNow };
}
