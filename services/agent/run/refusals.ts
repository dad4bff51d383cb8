import type { OverLimit } from '../../../db/queries/agent/reserve.ts';
import { ProblemError } from '../../../lib/errors/index.ts';
import { secondsOfDayLeft, unplannedOpenMax } from './daily-limits.ts';

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

export function runNotFound(): ProblemError {
  return new ProblemError({
    status: 404,
    code: 'run_not_found',
    title: 'Not found',
    detail: 'There is no run of this id, or it is of a wallet that is not yours.',
  });
}

export function notUnknown(state: string): ProblemError {
  return new ProblemError({
    status: 409,
    code: 'run_not_unknown',
    title: 'Not to be settled',
    detail: `Only a run in the state unknown is settled by the operator; this one is ${state}.`,
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

/** The stable word for a limit that is reached. */
export function limitCode({ measure }: OverLimit): 'daily_limit' | 'gas_limit' | 'run_limit' {
  if (measure === 'gas') return 'gas_limit';
  return measure === 'runs' ? 'run_limit' : 'daily_limit';
}

const subjectWords: Record<string, string> = {
  wallet: 'this wallet',
  owner: "this owner's wallets together",
  key: 'this executor key',
  unplanned: 'all callers without a plan together',
};

/** Which limit, how much of it is used, and what helps. */
export function limitReached({ subject, measure, dailyMax, taken }: OverLimit): string {
  const [kind = ''] = subject.split(':', 1);
  const whose = subjectWords[kind] ?? subject;
  const remedy =
    kind === 'unplanned' ? ' A plan, or an executor key of the operator, does not count against it.' : '';
  const used = `${taken} of ${dailyMax}`;
  if (measure === 'runs') return `Daily limit of runs for ${whose} reached: ${used} used today.`;
  if (measure === 'gas') {
    return `Daily limit of gas for ${whose} reached: ${used} MIST used or set aside today.${remedy}`;
  }
  return `Daily limit of ${measure} for ${whose} exceeded: ${used} base units already used today.`;
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
