import { randomId } from '@adaptor-marketplace/mcp/internal';
import type { AgentRun } from '@adaptor-marketplace/sdk';

/** Maximum number of a wallet's latest runs that are compared with a call. */
export const runsMax = 100;

const repeatMs = 10 * 60_000;

type Run = Pick<AgentRun, 'id' | 'requestId' | 'state' | 'startedMs'>;

const buildPrefix = (digest: string) => `mcp-${digest}-`;

/** Makes the requestId of a call that asks to be repeated. It counts as a run of the same call for those that do not ask. */
export const makeRepeatedId = (digest: string): string => buildPrefix(digest) + randomId();

/**
 * Returns the run of the same call within the last ten minutes, unless it failed; else the requestId of a new run. A model
 * that calls twice, because the first answer was lost, must not pay twice. So the requestId names the run before it, and
 * not the time: two calls that see no run of each other choose the same one. After a failure it is another one, since a
 * person may confirm other bounds.
 * @param runs the wallet's latest runs, newest first
 * @param digest identifies what is called
 */
export function matchCall<R extends Run>(
  runs: readonly R[],
  digest: string,
  nowMs: number,
): { earlier: R } | { requestId: string } {
  const prefix = buildPrefix(digest);
  const same = runs.filter(({ requestId }) => requestId?.startsWith(prefix));
  const earlier = same.find(({ state, startedMs }) => state !== 'failed' && startedMs > nowMs - repeatMs);
  if (earlier) return { earlier };
  if (same[0]) return { requestId: `${prefix}${same[0].id}` };
  // There may be an older run of the same call, whose requestId must not be used again.
  const isAll = runs.length < runsMax;
  return { requestId: `${prefix}${isAll ? 'first' : `at${Math.floor(nowMs / repeatMs)}`}` };
}
