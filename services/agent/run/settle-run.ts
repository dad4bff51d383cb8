import { getErrorMessage } from '@adaptor-marketplace/adaptor';
import type { Pool } from 'pg';
import { freeze } from '../../../db/queries/agent/operator.ts';
import type { SignedTransaction } from '../../../db/queries/agent/runs.ts';
import { RunFailedError } from '../../../lib/agent/run-failure.ts';
import type { Logger } from '../../../lib/log/index.ts';
import { toFailure } from '../chain/failures.ts';
import { computePaid } from '../chain/gas.ts';
import { type Node, waitForPackages } from '../chain/node.ts';
import { type SettleTiming, sendUntilSettled, type Verdict, waitUntilShown } from '../chain/settle.ts';
import type { SentTransaction } from '../chain/unrecorded.ts';
import { findExcess, readWalletFlows, type WalletFlows } from '../chain/wallet-flows.ts';
import type { GasPool } from './gas-pool.ts';
import { persist } from './persist.ts';
import { type Progress, RunTakenError } from './progress.ts';

export interface SettleDependencies {
  db: Pool;
  timing: SettleTiming;
  gas: Pick<GasPool, 'invalidate' | 'prepare'>;
  /** Transactions that this process sends now. */
  sending: Set<SentTransaction>;
  /** Counts an executed action that went beyond its bounds. */
  alarm(): void;
  /** Called with the outcome of each run: `done`, or its error code. */
  count(action: string, outcome: string): void;
  log: Logger;
  now: () => Date;
  /** Aborted when the service closes. Streams then end, and the next process settles the signed runs. */
  signal: AbortSignal;
}

export interface SignedRun {
  run: number;
  worker: number;
  request: { walletId: string; action: string };
  node: Node;
  progress: Progress;
  /** Name of the step of each call, if there are several steps. Absent where another worker drafted the transaction. */
  stepOfCall?: readonly string[];
}

/**
 * Settles a transaction that an earlier worker signed. Never rejects, and ends the run only with the chain's result:
 * after any error, such as an unreachable database, the run stays open and is taken up again.
 */
export async function resumeRun(
  dependencies: SettleDependencies,
  run: SignedRun,
  signed: SignedTransaction,
): Promise<void> {
  try {
    await settle(dependencies, run, signed);
  } catch (error) {
    if (dependencies.signal.aborted || error instanceof RunTakenError) return;
    dependencies.log.error(
      { err: error, run: run.run, digest: signed.digest },
      'a signed run could not be resumed',
    );
  }
}

/**
 * Sends the signed transaction until its result is known, and ends the run with that result. If the database has lost the
 * run meanwhile, its wallet is frozen.
 */
export async function settle(
  dependencies: SettleDependencies,
  run: SignedRun,
  signed: SignedTransaction,
): Promise<void> {
  const { digest } = signed;
  const sent = { node: run.node, digest, walletId: run.request.walletId };
  dependencies.sending.add(sent);
  try {
    await sendAndReport(dependencies, run, signed);
  } catch (error) {
    if (error instanceof RunTakenError) dependencies.gas.invalidate();
    // It may be on the chain: the run stays open, and this worker or a later one takes it up again.
    if (!dependencies.signal.aborted && !(error instanceof RunTakenError)) {
      dependencies.log.error({ err: error, run: run.run, digest }, 'a signed run could not be settled');
    }
    throw new RunTakenError();
  } finally {
    dependencies.sending.delete(sent);
  }
}

async function sendAndReport(
  dependencies: SettleDependencies,
  { run, progress, node, request, stepOfCall }: SignedRun,
  signed: SignedTransaction,
): Promise<void> {
  const { digest } = signed;
  const verdict = await sendUntilSettled(node, signed, dependencies, async (reason, attempt) => {
    if (attempt > 0) return;
    dependencies.log.warn(
      { digest, reason },
      'the node did not return the result of a transaction; sending it again',
    );
    progress.report('The node did not answer. The same transaction is sent again.', digest);
    await progress.written();
  });
  if (verdict.kind === 'unknown') {
    const failure = describeUnsettled(verdict);
    dependencies.log.error(
      { run, digest },
      'no node can say whether a signed transaction executed; settle the run',
    );
    await progress.leave(failure, digest);
    dependencies.count(request.action, failure.code);
    return;
  }
  if (verdict.kind === 'impossible') await freezeIfLost(dependencies, node);
  if (verdict.kind !== 'executed') {
    const failure = await explainFailure(verdict, { node, stepOfCall }, dependencies.signal);
    // If the transaction never executes, another one may have used its coin.
    const gas = verdict.kind === 'failed' ? computePaid(verdict.effects) : { charged: 0n, coin: null };
    await progress.fail(failure, digest, gas);
    dependencies.count(request.action, failure.code);
    return;
  }
  progress.passExecution(digest);
  const shown = await waitUntilShown(node, digest, dependencies);
  if (!shown)
    dependencies.log.warn({ run, digest }, 'no node returns an executed transaction yet; the run is done');
  const { paid } = await enforceBounds(dependencies, { run, node, request }, signed, verdict.events);
  const spent = [...paid].map(([measure, amount]) => ({ measure, amount }));
  const detail = 'The transaction executed, but the node does not return it yet.';
  await progress.done(spent, { digest, ...(!shown && { detail }) }, computePaid(verdict.effects));
  dependencies.count(request.action, 'done');
}

/**
 * Looks for runs that the database has lost: the transaction that was first may be one of a lost run, perhaps of the same
 * request, whose caller is about to send it again.
 */
async function freezeIfLost({ gas, log }: SettleDependencies, node: Node): Promise<void> {
  gas.invalidate();
  await gas
    .prepare(node)
    .catch((error) =>
      log.warn({ reason: getErrorMessage(error) }, 'could not look for lost runs; the next run does'),
    );
}

/**
 * Reads what the executed transaction did to the wallet. The wallet enforced its bounds. If the events exceed them all
 * the same, a security check has failed: this freezes the wallet and raises an alarm.
 */
async function enforceBounds(
  { db, log, now, alarm, signal }: SettleDependencies,
  { run, node, request: { walletId } }: Pick<SignedRun, 'run' | 'node' | 'request'>,
  { bounds, digest }: SignedTransaction,
  events: Extract<Verdict, { kind: 'executed' }>['events'],
): Promise<WalletFlows> {
  const { wallet } = await waitForPackages(node, signal);
  const flows = readWalletFlows(events, wallet.versionIds, walletId);
  const excess = bounds && findExcess(bounds, flows);
  if (!excess) return flows;
  const { network } = node.settings;
  log.fatal(
    { digest, network, walletId, beyond: excess },
    'an executed action exceeded its bounds; the wallet is frozen',
  );
  alarm();
  const reason = `The action ${digest} exceeded its bounds: ${excess}.`;
  await persist({ log, run, signal }, () => freeze(db, { network, walletId, reason, frozenAt: now() }));
  return flows;
}

async function explainFailure(
  verdict: Extract<Verdict, { kind: 'failed' | 'impossible' }>,
  { node, stepOfCall }: Pick<SignedRun, 'node' | 'stepOfCall'>,
  signal: AbortSignal,
): Promise<RunFailedError> {
  if (verdict.kind === 'failed') {
    const { originals } = await waitForPackages(node, signal);
    return toFailure(verdict.status, { ...node.settings, originals, stepOfCall });
  }
  return new RunFailedError(
    'overtaken',
    'Another transaction used the same coin or cap of the agent first, so this one can never execute. Nothing was spent. Send the action again with another requestId.',
  );
}

function describeUnsettled({ executed }: Extract<Verdict, { kind: 'unknown' }>): RunFailedError {
  const known = executed
    ? 'The transaction executed, but no node can say whether it succeeded.'
    : 'The transaction was sent, and no node can say whether it executed.';
  const advice =
    'The wallet stays locked and its limits reserved until the operator settles this run. Do not send the action again until then.';
  return new RunFailedError('unknown', `${known} ${advice}`);
}
