import type { Request, Response, Router } from 'express';
import type { z } from 'zod';
import { readRun } from '../../../db/queries/agent/runs.ts';
import {
  type OperatorVerdict,
  type Settlement,
  settleUnknown,
} from '../../../db/queries/agent/settle-unknown.ts';
import type { RunCode } from '../../../lib/agent/run-codes.ts';
import { type RunStepName, settleRequest } from '../../../lib/agent/shapes.ts';
import { ProblemError } from '../../../lib/errors/index.ts';
import { parseBody } from '../../../lib/http/body.ts';
import type { Logger } from '../../../lib/log/index.ts';
import { type AdminHost, asAdmin } from '../admin/as-admin.ts';
import { runNumber, sendRun } from './reads.ts';
import { notUnknown, runNotFound } from './refusals.ts';

export interface SettleHost extends AdminHost {
  log: Logger;
}

type SettleRequest = z.infer<typeof settleRequest>;

const bodyBytesMax = 32_000;
const notExecuted: RunCode = 'not_executed';

/** By which the operator says how a run ended that no node can speak of. */
export function settleRoute(router: Router, host: SettleHost): void {
  router.post('/api/agent/runs/:id/settle', asAdmin(host, settle));
}

async function settle({ db, log, now }: SettleHost, req: Request, res: Response): Promise<void> {
  const request = await parseBody({ req }, settleRequest, bodyBytesMax);
  const run = runNumber(req);
  if (run === undefined) throw runNotFound();
  const settled = await settleUnknown(db, run, verdictOf(request, now()));
  if (settled.kind !== 'settled') throw refusalOf(settled);
  const { outcome, note } = request;
  log.warn({ run, outcome, note }, 'the operator settled a run');
  const shown = await readRun(db, run);
  if (!shown) throw runNotFound();
  sendRun(res, shown);
}

/** @throws ProblemError 400 where something is spent by what did not execute, or a coin is named twice */
function verdictOf({ outcome, note, spent = [] }: SettleRequest, at: Date): OperatorVerdict {
  if (outcome === 'not_executed' && spent.length > 0) {
    throw wrongField('body.spent', 'what did not execute spent nothing');
  }
  const coins = spent.map(({ coinType }) => coinType);
  const twice = coins.findIndex((coin, place) => coins.indexOf(coin) !== place);
  if (twice >= 0) throw wrongField(`body.spent.${twice}.coinType`, 'is named before');
  return {
    ...{ outcome, note, at },
    spent: spent.map(({ coinType, amount }) => ({ coinType, amount: BigInt(amount) })),
    code: outcome === 'executed' ? null : notExecuted,
    line: ({ step, digest }) =>
      outcome === 'executed'
        ? {
            step: 'confirm',
            status: 'done',
            detail: `The operator settled this run as executed: ${note}`,
            digest,
          }
        : {
            ...{ step: step as RunStepName, status: 'error', digest },
            detail: `The operator settled this run as not executed: ${note} Nothing was spent; send the action again under another requestId.`,
          },
  };
}

function refusalOf(settlement: Exclude<Settlement, { kind: 'settled' }>): ProblemError {
  switch (settlement.kind) {
    case 'absent':
      return runNotFound();
    case 'otherState':
      return notUnknown(settlement.state);
    case 'beyondReserved':
      return wrongField(
        `body.spent.${settlement.place}.amount`,
        `expected at most what the run set aside of the coin: ${settlement.reserved}`,
      );
  }
}

function wrongField(path: string, message: string): ProblemError {
  const detail = `${path}: ${message}`;
  return new ProblemError({
    ...{ status: 400, code: 'invalid_body', title: 'Invalid body', detail },
    errors: [{ path, message }],
  });
}
