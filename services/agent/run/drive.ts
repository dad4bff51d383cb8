import type { Pool } from 'pg';
import type { OpenRun } from '../../../db/queries/agent/orphans.ts';
import { isKeyFree, type Signed } from '../../../db/queries/agent/settle-run.ts';
import type { ActionRequest } from '../../../lib/actions/request.ts';
import type { DraftAnswer } from '../../../lib/actions/tools-api.ts';
import type { Logger } from '../../../lib/log/index.ts';
import { requireWithinKey } from '../access/scope.ts';
import type { Node } from '../chain/node.ts';
import { failureOf, type Prepared, prepare } from '../chain/prepare.ts';
import { sendUntilSettled, type Verdict, waitUntilShown } from '../chain/settle.ts';
import { walletFlows } from '../chain/wallet-flows.ts';
import { checkFlows } from '../check/flows.ts';
import { type Checked, checkDraft } from '../check/index.ts';
import type { AgentSigner } from '../key/signer.ts';
import { type RunAccount, type RunLimits, signingClaims } from './daily-limits.ts';
import { RunFailure, RunLost } from './failure.ts';
import type { KeyTurns } from './key-turns.ts';
import { Progress } from './progress.ts';
import { limitCode, limitReached } from './refusals.ts';

/** What driving a run takes. */
export interface DriveHost extends RunLimits {
  db: Pool;
  signer: AgentSigner;
  /** @throws RunFailure where the tool service refuses or cannot be reached */
  draft(request: ActionRequest): Promise<DraftAnswer>;
  turns: KeyTurns;
  /** Takes over what dead workers left signed, whose coins a new transaction would use as well. */
  recover(): Promise<void>;
  /** Told how each run ended: `done`, or why not. */
  count(action: string, outcome: string): void;
  log: Logger;
  now: () => Date;
  /** Aborted when the service closes: what is signed is left to the next one. */
  signal: AbortSignal;
}

/** A run, what it is for and the network it is on. */
export interface SignedRun {
  run: number;
  worker: number;
  request: { walletId: string; action: string };
  node: Node;
  progress: Progress;
}

/** A run whose transaction is still to be made. */
export interface DrivenRun extends SignedRun {
  request: ActionRequest;
  /** On whose account it takes of the limits. */
  account: RunAccount;
}

export function progressOf(
  host: DriveHost,
  run: Pick<OpenRun, 'run' | 'places' | 'step'>,
  worker: number,
): Progress {
  const { db, log, now, signal } = host;
  return new Progress({
    db,
    log,
    now,
    signal,
    worker,
    run: run.run,
    places: run.places,
    step: run.step as 'draft',
  });
}

/** Brings a run from its draft to its end. Never rejects: what goes wrong ends the run, or leaves it to another. */
export async function driveRun(host: DriveHost, run: DrivenRun): Promise<void> {
  const { db, log } = host;
  const { progress, request, node } = run;
  await guarded(host, run, async () => {
    const draft = await host.draft(request);
    await progress.pass({ detail: draft.summary });
    const checked = await checkDraft(db, node.settings, request, draft);
    await progress.pass();
    const attempt = () => signAndSettle(host, run, checked);
    while (!(await host.turns.take(node.settings.network, host.signer.address, attempt))) {
      // Someone who lives no more has signed with these coins: what became of that is found out first.
      await host.recover();
    }
    log.info({ run: run.run, action: request.action }, 'ran an action');
  });
}

/** Settles what was signed before, by whoever drove the run then. Never rejects. */
export async function resumeRun(host: DriveHost, run: SignedRun, signed: Signed): Promise<void> {
  await guarded(host, run, () =>
    host.turns.take(run.node.settings.network, host.signer.address, () => settle(host, run, signed)),
  );
}

/** False where the key's coins are not free: another run is signed and not settled. */
async function signAndSettle(host: DriveHost, run: DrivenRun, checked: Checked): Promise<boolean> {
  const { request, node } = run;
  const { db, signal, signer } = host;
  if (!(await isKeyFree(db, node.settings.network, signer.address))) return false;
  const prepared = await prepare(node, checked, {
    ...{ sender: signer.address, payer: signer.address, walletId: request.walletId },
    ...{ gasMax: host.gasLimits.perRun, signal },
  });
  await passSimulation(host, run, prepared);
  const { bytes: transaction, digest } = prepared;
  const signed = { transaction, signatures: await signaturesOf(transaction, signer, signer), digest };
  await record(run, signed);
  await settle(host, run, signed);
  return true;
}

/** The sender's, and the payer's where that is another address. */
async function signaturesOf(
  transaction: Uint8Array,
  sender: AgentSigner,
  payer: AgentSigner,
): Promise<string[]> {
  const signers = sender.address === payer.address ? [sender] : [sender, payer];
  return await Promise.all(signers.map((signer) => signer.sign(transaction)));
}

/** Records what was signed, unless that was forbidden since the run began; only then may it be sent. */
async function record({ progress, account }: DrivenRun, signed: Signed): Promise<void> {
  const recorded = await progress.sign(signed, account.key?.scope ?? null);
  if (recorded !== 'recorded') throw whyNotSent[recorded];
}

const whyNotSent = {
  frozen: new RunFailure('frozen', 'The host froze this while it was being prepared. Nothing was sent.'),
  keyBusy: new RunFailure('agent_busy', "The agent's key is in use elsewhere. Nothing was sent; try again."),
  callerEnded: new RunFailure(
    'invalid_key',
    'The executor key was revoked or ended while this was being prepared. Nothing was sent.',
  ),
  callerChanged: new RunFailure(
    'out_of_scope',
    'The executor key was narrowed while this was being prepared. Nothing was sent; try again.',
  ),
};

/** Ends the step `simulate` by setting aside what only it could say: coins that the request does not name, and gas. */
async function passSimulation(
  host: DriveHost,
  { progress, request, account }: DrivenRun,
  { flows, gasBudget }: Prepared,
): Promise<void> {
  const beyond = checkFlows(request, flows);
  requireWithinKey(account.key?.scope, flows.paid);
  const over = await progress.passReserving(signingClaims(account, beyond, gasBudget, host));
  if (over) throw new RunFailure(limitCode(over), `${limitReached(over)} Nothing was sent.`);
}

/** Sends what was signed until the chain has a verdict, and ends the run by it. */
async function settle(host: DriveHost, run: SignedRun, signed: Signed): Promise<void> {
  const { digest } = signed;
  try {
    await sendAndReport(host, run, signed);
  } catch (error) {
    // It may be on the chain: without a verdict the run stays open, for whoever takes it over.
    if (!host.signal.aborted && !(error instanceof RunLost)) {
      host.log.error({ err: error, run: run.run, digest }, 'a signed run could not be settled');
    }
    throw new RunLost();
  }
}

async function sendAndReport(
  host: DriveHost,
  { progress, node, request }: SignedRun,
  signed: Signed,
): Promise<void> {
  const { digest } = signed;
  const verdict = await sendUntilSettled(node.client, signed, host.signal, (reason) => {
    host.log.warn({ digest, reason }, 'the node gave no verdict on a transaction; it is sent again');
    return progress.tell('The node did not answer; the same transaction is sent again.', digest);
  });
  if (verdict.kind !== 'executed') {
    const failure = whyNot(verdict, node);
    await progress.fail(failure, digest, verdict.kind === 'failed' ? verdict.gasCharged : 0n);
    host.count(request.action, failure.code);
    return;
  }
  await progress.pass({ digest });
  await waitUntilShown(node.client, digest, host.signal);
  const { paid } = walletFlows(verdict.events, node.settings.walletPackageId ?? '', request.walletId);
  const spent = [...paid].map(([measure, amount]) => ({ measure, amount }));
  await progress.done(spent, { digest }, verdict.gasCharged);
  host.count(request.action, 'done');
}

function whyNot(verdict: Exclude<Verdict, { kind: 'executed' }>, { settings }: Node): RunFailure {
  if (verdict.kind === 'failed') return failureOf(verdict.status, settings);
  return new RunFailure(
    'overtaken',
    "Another transaction used the same coin or cap of the agent's first, so this one can never run. Nothing was spent; send the action again under another requestId.",
  );
}

/** Ends the run by what `work` throws, unless the service is closing or the run is another's. */
async function guarded(
  host: DriveHost,
  { run, progress, request }: SignedRun,
  work: () => Promise<unknown>,
): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (host.signal.aborted || error instanceof RunLost) return;
    if (!(error instanceof RunFailure)) host.log.error({ err: error, run }, 'a run failed');
    const failure =
      error instanceof RunFailure
        ? error
        : new RunFailure('internal_error', 'Something went wrong here. Nothing was sent to the chain.');
    await progress.fail(failure).then(
      () => host.count(request.action, failure.code),
      () => undefined,
    );
  }
}
