import { setTimeout as delay } from 'node:timers/promises';
import { getErrorMessage } from '@adaptor-marketplace/adaptor';
import { createChainClient } from '@adaptor-marketplace/adaptor/chain/client';
import type { PoolClient } from 'pg';
import type { Database } from '../../../db/client.ts';
import { withLock } from '../../../db/lock.ts';
import {
  bindSource,
  ensureSource,
  markLongAway,
  readSource,
  recordFailure,
  type SourceState,
} from '../../../db/queries/sources.ts';
import type { Provider, Providers } from '../../../lib/chain/providers/providers.ts';
import { listFollowedSources } from '../../../lib/config/networks.ts';
import { FatalError, isDatabaseAway } from '../../../lib/errors/index.ts';
import type { Logger } from '../../../lib/log/index.ts';
import { redactMessage } from '../../../lib/outbound/errors.ts';
import type { CheckpointBucket } from '../checkpoints/bucket.ts';
import { openBucketHistory } from '../checkpoints/history.ts';
import type { DigestComparison } from '../providers/digests.ts';
import type { EventData } from '../sources/source.ts';
import { openEndpoint, toHistory } from '../stream/endpoint.ts';
import { follow } from '../stream/follow.ts';
import {
  chooseBackoff,
  describeFailure,
  type LedgerNode,
  openNode,
  StreamSilentError,
} from '../stream/node.ts';
import type { LedgerHistory } from '../stream/reader.ts';
import {
  createTypesReader,
  type EventTypesReader,
  encodeFilter,
  listFilterVersions,
  PackageUpgradedError,
  readFirstCheckpoint,
  resumeFilter,
} from './event-types.ts';
import { Batcher, type PipelineOptions, readChunks, writeBatches } from './pipeline.ts';
import { countGrowth, findCheckpointTime, ProviderLeftError, type Tip, watchTips } from './tips.ts';

interface SourceRun<Data extends EventData> extends PipelineOptions<Data> {
  db: Database;
  providers: Providers;
  digests: DigestComparison;
  /** Checkpoint files, which the sources of the network share. */
  bucket: CheckpointBucket | undefined;
  log: Logger;
  idleMs: number;
  batchMax: number;
  signal: AbortSignal;
}

/** Time for which progress without events waits before it moves the stored cursor. */
const quietMs = 1_000;

/**
 * Follows one source of one network until the signal aborts. Failures that may pass are retried with a growing delay;
 * a `FatalError` stops this source alone, with the reason in its row.
 */
export async function runSource<Data extends EventData>(run: SourceRun<Data>): Promise<void> {
  const { db, settings, source, providers, signal } = run;
  const key = { network: settings.network, name: source.name };
  const labels = { network: settings.network, source: source.name };
  let attempt = 0;
  /** Known versions of the followed packages. */
  const seen = new Set<string>();
  /** Providers that have pruned what comes next. */
  const pruned = new Set<Provider>();
  let isDatabaseOut = false;
  while (!signal.aborted) {
    let provider = providers.pick();
    try {
      await ensureSource(db.pool, key, listFollowedSources(settings));
      if (isDatabaseOut) run.log.info(labels, 'reached the database');
      isDatabaseOut = false;
      await withLock(db.sessions, `${settings.network}/${source.name}`, signal, async (client) => {
        // Another process may have held the lock for long.
        provider = providers.pick();
        await followOnce({ ...run, provider }, client, seen, () => {
          attempt = 0;
          pruned.clear();
        });
      });
    } catch (error) {
      if (signal.aborted) return;
      if (isDatabaseAway(error)) {
        // Neither the provider's failure nor a reason to wait for longer: once the database is back, events are due.
        if (!isDatabaseOut) run.log.warn(labels, `waits for the database: ${getErrorMessage(error)}`);
        isDatabaseOut = true;
        await delay(databaseRetryMs, undefined, { signal }).catch(() => undefined);
        continue;
      }
      const isPruned = error instanceof FatalError && error.code === 'pruned_cursor';
      if (isPruned) pruned.add(provider);
      const isOver = error instanceof FatalError && (!isPruned || pruned.size === providers.list.length);
      await reportFailure(run, error, isOver);
      if (isOver) return;
      if (isPruned || attempt >= attemptsMax) provider.health.setAside(getErrorMessage(error));
    }
    // Also after an orderly end: a node may end each stream at once.
    const waitMs = Math.max(chooseBackoff(attempt++), providers.pick().health.limitedMs);
    await delay(waitMs, undefined, { signal }).catch(() => undefined);
    run.metrics.restarts.inc(labels);
  }
}

/** Time between two attempts while the database is away. */
const databaseRetryMs = 1_000;
/** Attempts without progress after which the source goes to another provider. */
const attemptsMax = 3;

/** Logs and stores why the source stopped or restarts. */
async function reportFailure<Data extends EventData>(
  { db, settings, source, log }: SourceRun<Data>,
  error: unknown,
  stopped: boolean,
) {
  const { network } = settings;
  const tokens = [settings.rpcToken, ...(settings.otherProviders ?? []).map(({ token }) => token)];
  const message = redactMessage(describeFailure(error), tokens);
  const about = { network, source: source.name };
  if (error instanceof PackageUpgradedError || error instanceof ProviderLeftError)
    return log.info(about, message);
  if (error instanceof StreamSilentError) return log.debug(about, `source restarts: ${message}`);
  if (error instanceof FatalError && stopped) log.fatal({ ...about, code: error.code }, message);
  else log.warn(about, `source failed and restarts: ${message}`);
  await recordFailure(db.pool, { network, name: source.name }, { message, stopped }).catch((failure) => {
    // The next attempt logs an outage of the database.
    if (!isDatabaseAway(failure)) log.error({ err: failure }, 'could not store why a source failed');
  });
}

interface ProviderRun<Data extends EventData> extends SourceRun<Data> {
  provider: Provider;
}

/** Opens the provider and follows its stream to the end. Each commit calls `onProgress`. */
async function followOnce<Data extends EventData>(
  run: ProviderRun<Data>,
  client: PoolClient,
  seen: Set<string>,
  onProgress: () => void,
) {
  const { settings, bucket, idleMs, provider } = run;
  const stop = new AbortController();
  /** Aborted with the reason why this provider is no longer followed. */
  const leave = new AbortController();
  const signal = AbortSignal.any([run.signal, stop.signal, leave.signal]);
  const node = openNode(provider.url, run.providers.openClient(provider, 'follow'));
  const opened = [node];
  const tips: Tip[] = [];
  try {
    await run.digests.requireAgreement(provider, signal);
    const { chainId, tip } = await node.info(signal);
    const { archiveUrl } = settings;
    const archive = archiveUrl ? () => openArchive(archiveUrl) : undefined;
    const openArchive = async (url: string): Promise<LedgerNode> => {
      const opening = openNode(url, createChainClient({ url, token: settings.rpcToken }));
      opened.push(opening);
      const info = await opening.info(signal);
      if (info.chainId === chainId) return opening;
      throw new FatalError('other_chain', `The archive ${url} serves chain ${info.chainId}, not ${chainId}.`);
    };

    const { state, eventTypes, typesNow } = await resume(run, client, { node, archive, chainId, seen });
    const main = await openEndpoint(node, tip, eventTypes, { idleMs, signal });
    if (!main.reader.indexed && !archiveUrl) warnOfScan(run, provider.host, tip - state.checkpoint);
    let isWarned = false;
    const warnOfArchive = async () => {
      const { lowestAvailable } = await node.info(signal);
      const end = main.reader.indexed ? lowestAvailable : tip;
      if (!isWarned) warnOfScan(run, `The archive ${new URL(archiveUrl!).host}`, end - state.checkpoint);
      isWarned = true;
    };
    /** A node without list indexes lists no versions of packages, so that the ledger must show them. */
    const showsWrites = !main.reader.indexed;
    const openReader = async (past: LedgerNode) =>
      openEndpoint(past, (await past.info(signal)).tip, eventTypes, { idleMs, showsWrites, signal });
    /** An archive that lists by filter skips what does not match. Otherwise the files of a bucket are read faster. */
    const openPast = async (): Promise<LedgerHistory> => {
      const past = archive && (await openReader(await archive()));
      if (past && !past.reader.indexed) await warnOfArchive();
      if (past && (past.reader.indexed || !bucket)) return toHistory(past);
      return openBucketHistory(bucket!, eventTypes, past?.node);
    };
    const chunks = follow({
      network: settings.network,
      main,
      openArchive: archive || bucket ? openPast : undefined,
      resume: state,
      async requireCovers(checkpoint, written) {
        const now = await typesNow(checkpoint, written);
        if (now.every((type) => eventTypes.includes(type))) return;
        throw new PackageUpgradedError(
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
    const watching = watchTips(run, tips, leave, signal);
    try {
      const findTime = (checkpoint: number) => findCheckpointTime(tips, checkpoint);
      await writeBatches({ ...run, chainId }, client, state, batcher, findTime, onProgress);
    } finally {
      stop.abort();
      batcher.end();
      await Promise.all([reading, watching]);
    }
  } catch (error) {
    if (leave.signal.aborted) throw leave.signal.reason;
    if (error instanceof StreamSilentError && countGrowth(tips, idleMs) > frameEveryMax) {
      provider.health.setAside('its stream is silent, though the chain goes on');
    }
    throw error;
  } finally {
    stop.abort();
    for (const endpoint of opened) endpoint.close();
  }
}

/** Checkpoints after which a node sends a frame at the latest. */
const frameEveryMax = 25;

/** Checkpoints behind the tip from which on reading each of them takes minutes to weeks. */
const longScan = 100_000;

/**
 * Logs what to do in place of waiting for a scan of the whole chain.
 * @param host a node, or an archive, that does not list by filter
 */
function warnOfScan<Data extends EventData>(
  { settings: { network }, source, log }: ProviderRun<Data>,
  host: string,
  checkpoints: number,
): void {
  if (checkpoints < longScan) return;
  const prefix = `SUI_${network.toUpperCase()}`;
  log.warn(
    { network, source: source.name },
    `${host} does not list transactions by filter, so ${checkpoints.toLocaleString('en')} checkpoints are read one ` +
      `by one. That can take days: secondsLeft in /status estimates it. Set ${prefix}_RPC_URL to a node with list ` +
      `indexes, or ${prefix}_ARCHIVE_URL to an archive that has them, and restart: the source continues where it is.`,
  );
}

interface ResumeOptions {
  node: LedgerNode;
  archive: (() => Promise<LedgerNode>) | undefined;
  chainId: string;
  seen: Set<string>;
}

/** Returns the stored progress of the source, and the event types with which it continues. */
async function resume<Data extends EventData>(
  { settings, source }: SourceRun<Data>,
  db: PoolClient,
  { node: { client }, archive, chainId, seen }: ResumeOptions,
): Promise<{ state: SourceState; eventTypes: string[]; typesNow: EventTypesReader }> {
  const identity = { network: settings.network, name: source.name, chainId };
  await markLongAway(db, identity);
  const stored = await readSource(db, identity);
  for (const id of stored ? listFilterVersions(stored.filter) : []) seen.add(id);
  const typesNow = createTypesReader(client, source, settings, seen);
  const openArchive = archive && (async () => (await archive()).client);
  if (!stored) {
    const [eventTypes, first] = await Promise.all([
      typesNow(),
      readFirstCheckpoint(client, openArchive, source.packages(settings)),
    ]);
    const state = await bindSource(db, identity, { filter: encodeFilter(eventTypes), first });
    return { state, eventTypes, typesNow };
  }
  const eventTypes = await typesNow();
  const originals = source.packages(settings).map(({ packageId }) => packageId);
  const state = await resumeFilter(db, {
    identity,
    stored,
    eventTypes,
    originals,
    client,
    archive: openArchive,
  });
  return { state, eventTypes, typesNow };
}
