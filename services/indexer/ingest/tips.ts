import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from '../../../db/client.ts';
import { computeSourceLag, storeTip } from '../../../db/queries/sources.ts';
import type { Provider, Providers } from '../../../lib/chain/providers/providers.ts';
import type { NetworkSettings } from '../../../lib/config/networks.ts';
import type { DigestComparison } from '../providers/digests.ts';
import type { IndexerMetrics } from '../reporting/metrics.ts';
import type { Progress } from '../reporting/progress.ts';

/** Newest checkpoint of a node when it was read. */
export interface Tip {
  checkpoint: number;
  at: Date;
}

interface TipWatch {
  db: Database;
  settings: Pick<NetworkSettings, 'network'>;
  source: { name: string };
  metrics: IndexerMetrics;
  progress: Progress;
  /** The provider that the source follows. */
  provider: Provider;
  providers: Providers;
  digests: DigestComparison;
}

/** The source continues on another provider. */
export class ProviderLeftError extends Error {}

/** Interval at which the node's tip is read. */
const tipEveryMs = 2_000;
/** Maximum number of cached tips: an hour of reading behind the chain. */
const tipsMax = 1_800;

/**
 * Stores the chain's tip in `tips` and in the source's row until the signal aborts, so that its lag is known. Aborts `leave` when the
 * source must not continue on this provider.
 */
export async function watchTips(
  run: TipWatch,
  tips: Tip[],
  leave: AbortController,
  signal: AbortSignal,
): Promise<void> {
  const { provider, providers, digests } = run;
  while (!signal.aborted) {
    try {
      const tip = await providers.readTip(provider, tipEveryMs, 'follow');
      if (tip) await recordTip(run, tips, { checkpoint: tip.checkpoint, at: new Date(tip.atMs) });
    } catch {
      // If the node is gone, the end of the stream reports it. The age of the row shows the silence.
    }
    const inUse = providers.pick();
    if (digests.failure) leave.abort(digests.failure);
    else if (inUse !== provider) leave.abort(new ProviderLeftError(`continues on ${inUse.host}`));
    await delay(tipEveryMs, undefined, { signal }).catch(() => undefined);
  }
}

async function recordTip(
  { db, settings: { network }, source, metrics, progress }: TipWatch,
  tips: Tip[],
  { checkpoint: tip, at: tipAt }: Tip,
): Promise<void> {
  if (tip > (tips.at(-1)?.checkpoint ?? -1)) tips.push({ checkpoint: tip, at: tipAt });
  if (tips.length > tipsMax) tips.shift();
  const secondsLeft = progress.estimateSecondsLeft(`${network}/${source.name}`);
  const row = await storeTip(db.pool, { network, name: source.name }, { tip, tipAt, secondsLeft });
  const labels = { network, source: source.name };
  if (row) metrics.lag.set(labels, computeSourceLag(row, row.updatedAt.getTime()));
  progress.tip(`${network}/${source.name}`, tip);
}

/** Returns the number of checkpoints that the chain made in the last `ms` of its time. */
export function countGrowth(tips: readonly Tip[], ms: number): number {
  const newest = tips.at(-1);
  if (!newest) return 0;
  const before = tips.findLast(({ at }) => at.getTime() <= newest.at.getTime() - ms);
  return newest.checkpoint - (before ?? newest).checkpoint;
}

/** Returns a time that the chain had reached by this checkpoint, if known: a stream's progress has none. */
export const findCheckpointTime = (tips: readonly Tip[], checkpoint: number): Date | undefined =>
  tips.findLast((tip) => tip.checkpoint <= checkpoint)?.at;
