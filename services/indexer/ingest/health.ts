import { setTimeout as delay } from 'node:timers/promises';
import type { Network } from '@adaptor-marketplace/adaptor/networks';
import type { ClientBase } from 'pg';
import type { Database } from '../../../db/client.ts';
import { sourceLagSeconds } from '../../../db/lag.ts';
import type { NetworkSettings } from '../../../lib/config/index.ts';
import { followedSources, type SourceName } from '../../../lib/config/sources.ts';
import type { IndexerMetrics } from '../metrics.ts';
import type { Progress } from '../progress.ts';
import type { LedgerNode } from '../stream/node.ts';
import type { TipHistory } from './tip.ts';

/** How often the node is asked how far the chain is. */
const tipEveryMs = 2_000;

/**
 * The row must be there before a node was ever heard, or nobody could see why none is. What was followed before
 * and is not any more is marked: its tables stay, and grow old.
 */
export async function ensureSource(db: Database, settings: NetworkSettings, name: SourceName): Promise<void> {
  const { network } = settings;
  await db.pool.query(
    `insert into sources (network, name, chain_id, filter, unjudged_since) values ($1, $2, '', '', now())
      on conflict (network, name) do update set removed_at = null where sources.removed_at is not null`,
    [network, name],
  );
  await db.pool.query(
    `update sources set removed_at = now()
      where network = $1 and name <> all ($2::text[]) and removed_at is null`,
    [network, followedSources(settings)],
  );
}

/** Behind by more, a source is reading history again: what that brings is to be judged before the network is ready. */
const longAwaySeconds = 300;

/** Marks a source that comes back after a long time. For the process that holds the source's lock. */
export async function markLongAway(client: ClientBase, network: Network, name: string): Promise<void> {
  await client.query(
    `update sources set unjudged_since = now()
      where network = $1 and name = $2 and unjudged_since is null
        and checkpoint_at < now() - make_interval(secs => $3)`,
    [network, name, longAwaySeconds],
  );
}

/**
 * Keeps why a source is being retried, or has stopped for good, until it moves again.
 * @param message shown to the public
 */
export async function recordFailure(
  db: Database,
  network: Network,
  name: string,
  { message, stopped }: { message: string; stopped: boolean },
): Promise<void> {
  await db.pool.query(
    `update sources set last_error = $3, last_error_at = now(), stopped_at = case when $4 then now() end
      where network = $1 and name = $2`,
    [network, name, message, stopped],
  );
}

interface TipOptions {
  db: Database;
  settings: NetworkSettings;
  source: { name: string };
  node: LedgerNode;
  tips: TipHistory;
  metrics: IndexerMetrics;
  progress: Progress;
  signal: AbortSignal;
}

/** Keeps the chain's tip in the source's row until the signal aborts, so that its lag can be told. */
export async function keepTip({ db, settings, source, node, tips, metrics, progress, signal }: TipOptions) {
  const labels = { network: settings.network, source: source.name };
  while (!signal.aborted) {
    try {
      const { tip, tipAt } = await node.info(signal);
      tips.add({ checkpoint: tip, at: tipAt });
      const { rows } = await db.pool.query({
        name: 'keep-tip',
        text: `update sources set chain_tip = greatest(chain_tip, $3), chain_tip_at = $4, updated_at = now()
          where network = $1 and name = $2 returning checkpoint, checkpoint_at as "checkpointAt",
          chain_tip as "chainTip", chain_tip_at as "chainTipAt", updated_at as "updatedAt"`,
        values: [settings.network, source.name, tip, tipAt],
      });
      if (rows[0]) metrics.lag.set(labels, sourceLagSeconds(rows[0], rows[0].updatedAt.getTime()));
      progress.tip(`${labels.network}/${labels.source}`, tip);
    } catch {
      // The stream's own end tells of a node that is gone; the row's age shows the silence.
    }
    await delay(tipEveryMs, undefined, { signal }).catch(() => undefined);
  }
}
