import { getErrorMessage } from '@adaptor-marketplace/adaptor';
import type { Pool } from 'pg';
import type { GasCoin } from '../../../db/queries/agent/gas-coins.ts';
import { freeze } from '../../../db/queries/agent/operator.ts';
import type { Signed } from '../../../db/queries/agent/runs.ts';
import { type ActionRequest, namedSpends } from '../../../lib/actions/request.ts';
import type { TransactionDraft } from '../../../lib/actions/tools-api.ts';
import { coinExcess, excessInWords } from '../../../lib/agent/key-scope.ts';
import { RunFailure } from '../../../lib/agent/run-failure.ts';
import type { RunStep } from '../../../lib/agent/shapes.ts';
import type { Logger } from '../../../lib/log/index.ts';
import { toFailure } from '../chain/failures.ts';
import { gasPaid } from '../chain/gas.ts';
import {
  type CalledPackages,
  type Node,
  newestCheckpoint,
  readPackages,
  waitForPackages,
} from '../chain/node.ts';
import { type Prepared, prepare } from '../chain/prepare.ts';
import { type SettleTiming, sendUntilSettled, type Verdict, waitUntilShown } from '../chain/settle.ts';
import { flowsBeyond, type WalletFlows, walletFlows } from '../chain/wallet-flows.ts';
import { type Checked, checkDraft } from '../check/check-draft.ts';
import type { Actor, AgentSigner, Signer } from '../key/signer.ts';
import type { GasPool } from './gas-pool.ts';
import { limitCode, limitReached, type RunAccount, type RunLimits, signingClaims } from './limits.ts';
import { Progress, persist, RunLost, type Wakers } from './progress.ts';

export interface ExecuteDependencies extends RunLimits {
  db: Pool;
  signer: AgentSigner;
  /** @throws RunFailure where the tool service refuses or cannot be reached */
  draft(request: ActionRequest, sender: string): Promise<TransactionDraft>;
  gas: GasPool;
  wakers: Wakers;
  timing: SettleTiming;
  /** Takes over the runs of dead workers. */
  recover(): Promise<void>;
  /** Counts an executed action that went beyond its bounds. */
  alarm(): void;
  /** Called with the outcome of each run: `done`, or its error code. */
  count(action: string, outcome: string): void;
  log: Logger;
  now: () => Date;
  /** Aborted when the service closes. Streams then end, and the next process settles the signed runs. */
  signal: AbortSignal;
}

/** A run with its request and the node of its network. */
interface SignedRun {
  run: number;
  worker: number;
  request: { walletId: string; action: string };
  node: Node;
  progress: Progress;
}

/** A run whose transaction does not exist yet. */
interface DrivenRun extends SignedRun {
  request: ActionRequest;
  /** The lines with which it was opened. */
  opening: readonly RunStep[];
  /** The signer that acts for the wallet. The code that sets it handles its rejection too. */
  actor: Promise<Actor>;
  /** The subjects whose limits it counts towards. */
  account: RunAccount;
}

export function createProgress(
  dependencies: ExecuteDependencies,
  run: { run: number; lineCount: number; step: string },
  worker: number,
): Progress {
  const { db, wakers, log, now, signal } = dependencies;
  const { lineCount, step } = run;
  return new Progress({
    db,
    wakers,
    log,
    now,
    signal,
    worker,
    run: run.run,
    lineCount,
    step: step as 'draft',
  });
}

/** Executes a run from its draft to its end. Never rejects: an error ends the run, or leaves it to another worker. */
export async function driveRun(dependencies: ExecuteDependencies, run: DrivenRun): Promise<void> {
  const { db, log } = dependencies;
  const { progress, request, node } = run;
  using _ = dependencies.wakers.driving(run.run, run.opening);
  await guarded(dependencies, run, async () => {
    const actor = await run.actor;
    const draft = await dependencies.draft(request, actor.address);
    progress.pass({ detail: draft.summary });
    const packages = await readPackages(node);
    const confirmedOnly = actor.kind === 'host' || !packages.hasActions;
    const checked = await checkDraft({ db, node, packages, confirmedOnly }, request, draft);
    progress.pass();
    await signAndSettle(dependencies, run, { actor, checked, packages });
    log.info({ run: run.run, action: request.action }, 'run done');
  });
}

/**
 * Settles a transaction that an earlier worker signed. Never rejects, and ends the run only with the chain's result:
 * after any error, such as an unreachable database, the run stays open and is taken up again.
 */
export async function resumeRun(
  dependencies: ExecuteDependencies,
  run: SignedRun,
  signed: Signed,
): Promise<void> {
  try {
    await settle(dependencies, run, signed);
  } catch (error) {
    if (dependencies.signal.aborted || error instanceof RunLost) return;
    dependencies.log.error(
      { err: error, run: run.run, digest: signed.digest },
      'a signed run could not be resumed',
    );
  }
}

/** Maximum number of coins that one run leases, one after another, if the earlier ones are outdated. */
const leasesMax = 3;

async function signAndSettle(
  dependencies: ExecuteDependencies,
  run: DrivenRun,
  prepared: { actor: Actor; checked: Checked; packages: CalledPackages },
): Promise<void> {
  const { planned } = run.account;
  for (let leases = 1; ; leases += 1) {
    const coin = await dependencies.gas.lease({ ...run, planned });
    try {
      const signed = await sign(dependencies, run, prepared, coin);
      await settle(dependencies, run, signed);
      return;
    } catch (error) {
      // The chain refuses a transaction that names an earlier version of the coin.
      const isRefused = error instanceof RunFailure && paymentRefused.has(error.code);
      if (!isRefused || leases === leasesMax) throw error;
      if (!(await dependencies.gas.giveBackOutdated({ ...run, planned }, coin))) throw error;
    }
  }
}

const paymentRefused: ReadonlySet<string> = new Set(['not_executable', 'agent_out_of_gas']);

/** Simulates, signs and records the transaction. If this throws, nothing was recorded and nothing may be sent. */
async function sign(
  dependencies: ExecuteDependencies,
  run: DrivenRun,
  { actor, checked, packages }: { actor: Actor; checked: Checked; packages: CalledPackages },
  coin: GasCoin,
): Promise<Signed> {
  const { request, node } = run;
  const { signal, signer } = dependencies;
  const bounds = { takes: checked.takes.map(inDigits), brings: checked.brings.map(inDigits) };
  // Runs in parallel with the simulation, which takes longer: it is read before anything is signed.
  const checkpoint = signingCheckpoint(node, signal);
  checkpoint.catch(() => undefined);
  const prepared = await prepare(node, checked, {
    sender: actor.address,
    payer: signer.address,
    walletId: request.walletId,
    coin,
    packages,
    bounds,
    gasMax: dependencies.gasLimits.perRun,
    signal,
  });
  await passSimulation(dependencies, run, checked, prepared);
  const { bytes: transaction, digest } = prepared;
  const signedCheckpoint = await checkpoint;
  const signatures = await signTransaction(transaction, actor, signer);
  const signed = { transaction, signatures, digest, bounds, signedCheckpoint };
  await record(run, signed, coin);
  return signed;
}

const inDigits = ({ coinType, amount }: Checked['takes'][number]) => ({
  coinType,
  amount: String(amount),
});

/** Returns the sender's signature, and the payer's if that is another address. */
async function signTransaction(transaction: Uint8Array, sender: Signer, payer: Signer): Promise<string[]> {
  const signers = sender.address === payer.address ? [sender] : [sender, payer];
  return await Promise.all(signers.map((signer) => signer.sign(transaction)));
}

/**
 * Records the signed transaction, unless it was forbidden since the run began. Only a recorded transaction may be sent.
 */
async function record({ progress, account }: DrivenRun, signed: Signed, coin: GasCoin): Promise<void> {
  const recorded = await progress.sign(signed, account.key?.scope ?? null, coin);
  if (recorded !== 'recorded') throw whyNotSent[recorded];
}

const whyNotSent = {
  frozen: new RunFailure(
    'frozen',
    'The operator froze the wallet while the transaction was prepared. Nothing was sent.',
  ),
  callerEnded: new RunFailure(
    'invalid_key',
    'The executor key was revoked or expired while the transaction was prepared. Nothing was sent.',
  ),
  callerChanged: new RunFailure(
    'out_of_scope',
    'The executor key was narrowed while the transaction was prepared. Nothing was sent. Send the request again.',
  ),
  ownerChanged: new RunFailure(
    'wallet_not_found',
    'The owner of the wallet changed while the transaction was prepared. Nothing was sent.',
  ),
};

/** Reads the node's newest checkpoint. A transaction that is signed later is in none up to this one. */
async function signingCheckpoint({ client }: Node, signal: AbortSignal): Promise<number> {
  try {
    return Number(await newestCheckpoint(client, signal));
  } catch (error) {
    signal.throwIfAborted();
    const reason = getErrorMessage(error).slice(0, 200);
    const detail = `The network's node did not report its newest checkpoint (${reason}). Nothing was sent. Send the same request again.`;
    throw new RunFailure('node_unavailable', detail);
  }
}

/** Ends the step `simulate`: reserves the gas, and the amounts of coins that the request does not name. */
async function passSimulation(
  dependencies: ExecuteDependencies,
  { progress, request, account }: DrivenRun,
  { takes }: Checked,
  { gasBudget }: Prepared,
): Promise<void> {
  const named = namedSpends(request);
  const more = takes.map(({ coinType, amount }) => [coinType, amount - (named.get(coinType) ?? 0n)] as const);
  const beyond = new Map(more.filter(([, amount]) => amount > 0n));
  requireWithinKey(account, new Map(takes.map(({ coinType, amount }) => [coinType, amount])));
  const over = await progress.passReserving(signingClaims(account, beyond, gasBudget, dependencies));
  if (over) throw new RunFailure(limitCode(over), `${limitReached(over)} Nothing was sent.`);
}

/**
 * Checks the total that a run takes, by coin type in base units, against the scope of its executor key, if it has one.
 * It covers amounts that become known after the run began, so call it before anything is signed.
 * @throws RunFailure `out_of_scope`
 */
function requireWithinKey({ key }: RunAccount, taken: ReadonlyMap<string, bigint>): void {
  const excess = key && coinExcess(key.scope, taken);
  if (excess) {
    throw new RunFailure(
      'out_of_scope',
      `Out of the executor key's scope: ${excessInWords(excess)}. Nothing was sent.`,
    );
  }
}

/** Sends the signed transaction until its result is known, and ends the run with that result. */
async function settle(dependencies: ExecuteDependencies, run: SignedRun, signed: Signed): Promise<void> {
  const { digest } = signed;
  try {
    await sendAndReport(dependencies, run, signed);
  } catch (error) {
    // It may be on the chain: the run stays open, and this worker or a later one takes it up again.
    if (!dependencies.signal.aborted && !(error instanceof RunLost)) {
      dependencies.log.error({ err: error, run: run.run, digest }, 'a signed run could not be settled');
    }
    throw new RunLost();
  }
}

async function sendAndReport(
  dependencies: ExecuteDependencies,
  { run, progress, node, request }: SignedRun,
  signed: Signed,
): Promise<void> {
  const { digest } = signed;
  const verdict = await sendUntilSettled(node, signed, dependencies, (reason) => {
    dependencies.log.warn(
      { digest, reason },
      'the node did not return the result of a transaction; sending it again',
    );
    progress.tell('The node did not answer. The same transaction is sent again.', digest);
    return progress.written();
  });
  if (verdict.kind === 'unknown') {
    const failure = unsettled(verdict);
    dependencies.log.error(
      { run, digest },
      'no node can say whether a signed transaction executed; settle the run',
    );
    await progress.leave(failure, digest);
    dependencies.count(request.action, failure.code);
    return;
  }
  if (verdict.kind !== 'executed') {
    const failure = await whyNot(verdict, node, dependencies.signal);
    // If the transaction never executes, another one may have used its coin.
    const gas = verdict.kind === 'failed' ? gasPaid(verdict.effects) : { charged: 0n, coin: null };
    await progress.fail(failure, digest, gas);
    dependencies.count(request.action, failure.code);
    return;
  }
  progress.pass({ digest });
  const shown = await waitUntilShown(node, digest, dependencies);
  if (!shown)
    dependencies.log.warn({ run, digest }, 'no node returns an executed transaction yet; the run is done');
  const { paid } = await heldToBounds(dependencies, { run, node, request }, signed, verdict.events);
  const spent = [...paid].map(([measure, amount]) => ({ measure, amount }));
  const detail = 'The transaction executed, but the node does not return it yet.';
  await progress.done(spent, { digest, ...(!shown && { detail }) }, gasPaid(verdict.effects));
  dependencies.count(request.action, 'done');
}

/**
 * Reads what the executed transaction did to the wallet. The wallet enforced its bounds. If the events exceed them all
 * the same, a security check has failed: this freezes the wallet and raises an alarm.
 */
async function heldToBounds(
  { db, log, now, alarm, signal }: ExecuteDependencies,
  { run, node, request: { walletId } }: Pick<SignedRun, 'run' | 'node' | 'request'>,
  { bounds, digest }: Signed,
  events: Extract<Verdict, { kind: 'executed' }>['events'],
): Promise<WalletFlows> {
  const { wallet } = await waitForPackages(node, signal);
  const flows = walletFlows(events, wallet.versionIds, walletId);
  const beyond = bounds && flowsBeyond(bounds, flows);
  if (!beyond) return flows;
  const { network } = node.settings;
  log.fatal(
    { digest, network, walletId, beyond },
    'an executed action exceeded its bounds; the wallet is frozen',
  );
  alarm();
  const reason = `The action ${digest} exceeded its bounds: ${beyond}.`;
  await persist({ log, run, signal }, () => freeze(db, { network, walletId, reason, frozenAt: now() }));
  return flows;
}

async function whyNot(
  verdict: Extract<Verdict, { kind: 'failed' | 'impossible' }>,
  node: Node,
  signal: AbortSignal,
): Promise<RunFailure> {
  if (verdict.kind === 'failed') {
    const { originals } = await waitForPackages(node, signal);
    return toFailure(verdict.status, { ...node.settings, originals });
  }
  return new RunFailure(
    'overtaken',
    'Another transaction used the same coin or cap of the agent first, so this one can never execute. Nothing was spent. Send the action again with another requestId.',
  );
}

function unsettled({ executed }: Extract<Verdict, { kind: 'unknown' }>): RunFailure {
  const known = executed
    ? 'The transaction executed, but no node can say whether it succeeded.'
    : 'The transaction was sent, and no node can say whether it executed.';
  const advice =
    'The wallet stays locked and its limits reserved until the operator settles this run. Do not send the action again until then.';
  return new RunFailure('unknown', `${known} ${advice}`);
}

/** Ends the run with the error of `work`, unless the service is closing or another worker drives the run. */
async function guarded(
  dependencies: ExecuteDependencies,
  { run, progress, request }: SignedRun,
  work: () => Promise<unknown>,
): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (dependencies.signal.aborted || error instanceof RunLost) return;
    if (!(error instanceof RunFailure)) dependencies.log.error({ err: error, run }, 'a run failed');
    const failure =
      error instanceof RunFailure
        ? error
        : new RunFailure('internal_error', 'An internal error occurred. Nothing was sent to the chain.');
    await progress.fail(failure).then(
      () => dependencies.count(request.action, failure.code),
      () => undefined,
    );
  }
}
