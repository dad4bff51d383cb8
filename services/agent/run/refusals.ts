import type { OverLimit } from '../../../db/queries/agent/reserve.ts';
import { ProblemError } from '../../../lib/errors/index.ts';
import { limitCode, limitReached, secondsOfDayLeft, unplannedOpenMax } from './daily-limits.ts';

/** What a run is refused with before it begins. */

export function planRequired(url: string): ProblemError {
  return new ProblemError({
    status: 402,
    code: 'plan_required',
    title: 'Plan required',
    detail: `The owner of the wallet has no active plan. Get one at ${url}.`,
  });
}

export function requestIdReused(): ProblemError {
  return new ProblemError({
    status: 422,
    code: 'request_id_reused',
    title: 'Request id used before',
    detail: 'Another action was sent under this requestId before. Choose a new one for each action.',
    errors: [{ path: 'body.requestId', message: 'is that of another action' }],
  });
}

export function alreadyRunning(): ProblemError {
  return new ProblemError({
    status: 409,
    code: 'already_running',
    title: 'Already running',
    detail: 'Another action of this wallet is under way; send this one again when it has ended.',
    headers: { 'retry-after': '1' },
  });
}

export function awaitingSettlement(run: number): ProblemError {
  return new ProblemError({
    status: 409,
    code: 'awaiting_settlement',
    title: 'Awaiting settlement',
    detail: `No node can say whether run ${run} of this wallet executed. The wallet stays locked until the operator settles that run.`,
  });
}

export function frozen({ all, reason }: { all: boolean; reason: string }): ProblemError {
  return new ProblemError({
    status: 403,
    code: 'frozen',
    title: 'Frozen',
    detail: `The host runs nothing for ${all ? 'any wallet' : 'this wallet'} at present: ${reason}`,
  });
}

export function tooManyOpen(whose: 'owner' | 'all'): ProblemError {
  const { ofAll, ofOwner } = unplannedOpenMax;
  const open =
    whose === 'owner'
      ? `${ofOwner} actions of this owner's wallets are under way`
      : `${ofAll} actions of callers without a plan are under way`;
  return new ProblemError({
    ...{ status: 429, code: 'too_many_runs', title: 'Too many runs' },
    detail: `${open}, the most at a time. Send the request again when one has ended; with a plan, or an executor key of the operator, there is no such limit.`,
    headers: { 'retry-after': '2' },
  });
}

const limitTitles = { daily_limit: 'Daily limit', gas_limit: 'Gas limit', run_limit: 'Run limit' };

export function overLimit(limit: OverLimit, now: Date): ProblemError {
  const code = limitCode(limit);
  return new ProblemError({
    ...{ status: 429, code, title: limitTitles[code] },
    detail: `${limitReached(limit)} Days begin at 0:00 UTC.`,
    headers: { 'retry-after': String(secondsOfDayLeft(now)) },
  });
}
