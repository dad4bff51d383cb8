import type { Database } from '../../../db/client.ts';
import { readIndexState, type SourceState } from '../../../db/queries/state.ts';
import { followedSources } from '../../../lib/config/sources.ts';
import { ProblemError } from '../../../lib/errors/index.ts';
import type { GatewayNetwork } from '../options.ts';
import { sendJson } from '../respond/representation.ts';
import type { Exchange } from '../server/exchange.ts';

/** The process answers; nothing is said of what it depends on. */
export async function healthz(exchange: Exchange): Promise<void> {
  await sendJson(exchange, { status: 'ok' }, 'no-store');
}

/** 503 until every source of every served network is within its bound, naming each that is not. */
export function readyz(db: Database, networks: readonly GatewayNetwork[], maxLagSeconds: number) {
  return async (exchange: Exchange): Promise<void> => {
    const { sources } = await readIndexState(db.pool);
    const late = networks.flatMap((settings) =>
      followedSources(settings).flatMap((name) => {
        const { network } = settings;
        const source = sources.find((row) => row.network === network && row.name === name);
        const reason = reasonNotReady(source, maxLagSeconds, Date.now());
        return reason === undefined ? [] : [{ path: `${network}.${name}`, message: reason }];
      }),
    );
    if (late.length > 0) {
      throw new ProblemError({
        status: 503,
        code: 'not_ready',
        title: 'Not ready',
        detail: late.map(({ path, message }) => `${path}: ${message}`).join('; '),
        errors: late,
        headers: { 'retry-after': '5' },
      });
    }
    await sendJson(exchange, { status: 'ready' }, 'no-store');
  };
}

/** Seconds between now and the last checkpoint that the source covers; null before the first. */
export function lagSeconds(source: SourceState, nowMs: number): number | null {
  if (source.checkpointAtMs === null) return null;
  return Math.max(0, Math.round((nowMs - source.checkpointAtMs) / 1000));
}

/**
 * Why a source is not ready; undefined when it is. One that has stopped for good is not, from then on; nor one whose
 * history waits for its first judgement, since the catalog is empty until then. Any other is judged by lag alone: streams end every few hours by design, and an error that has not cost freshness
 * must not take every gateway out of service at once.
 */
export function reasonNotReady(
  source: SourceState | undefined,
  maxLagSeconds: number,
  nowMs: number,
): string | undefined {
  if (!source) return 'has not started';
  if (source.removedAtMs !== null) return 'is not followed any more';
  if (source.stoppedAtMs !== null) return `has stopped: ${source.lastError}`;
  const lag = lagSeconds(source, nowMs);
  const error = source.lastError === null ? '' : ` (${source.lastError})`;
  if (lag === null) return `has read no checkpoint yet${error}`;
  if (lag > maxLagSeconds) return `is ${lag} s behind, above ${maxLagSeconds} s${error}`;
  if (!source.judged) return 'has not judged yet what its history brought';
  return undefined;
}
