import { getErrorMessage, type Network } from '@adaptor-marketplace/adaptor';
import type { GasCoin } from '../../../db/queries/agent/gas-coins.ts';
import type { SignedTransaction } from '../../../db/queries/agent/runs.ts';
import { type ActionRequest, formatAmounts, sumNamedSpends } from '../../../lib/actions/request.ts';
import type { TransactionDraft } from '../../../lib/actions/tools-api.ts';
import { RunFailedError } from '../../../lib/agent/run-failure.ts';
import type { RunStep } from '../../../lib/agent/shapes.ts';
import type { SpanContext } from '../../../lib/tracing/tracing.ts';
import { type CalledPackages, type Node, newestCheckpoint, readPackages } from '../chain/node.ts';
import { type PreparedTransaction, prepare } from '../chain/prepare.ts';
import { type CheckedDraft, checkDraft } from '../check/check-draft.ts';
import type { Actor, AgentSigner, Signer } from '../key/signer.ts';
import type { GasPool } from './gas-pool.ts';
import {
  buildSigningClaims,
  describeLimitExcess,
  type RunAccount,
  type RunLimits,
  requireWithinKey,
  toLimitCode,
} from './limits.ts';
import { RunTakenError } from './progress.ts';
import { type SettleDependencies, type SignedRun, settle } from './settle-run.ts';
import type { RunTrace } from './trace-run.ts';
import type { Wakers } from './wakers.ts';

export interface ExecuteDependencies extends RunLimits, SettleDependencies {
  signer: AgentSigner;
  /** @throws RunFailedError where the tool service refuses or cannot be reached */
  draft(request: ActionRequest, sender: string, parent?: SpanContext): Promise<TransactionDraft>;
  gas: GasPool;
  wakers: Wakers;
  /** Takes over the runs of dead workers, and waits for the unsigned ones of the network to end. */
  recover(network: Network): Promise<void>;
}

/** A run whose transaction does not exist yet. */
interface UnsignedRun extends SignedRun {
  request: ActionRequest;
  /** The lines with which it was opened. */
  opening: readonly RunStep[];
  /** The signer that acts for the wallet. The code that sets it handles its rejection too. */
  actor: Promise<Actor>;
  account: RunAccount;
  trace: RunTrace | undefined;
}

/** Executes a run from its draft to its end. Never rejects: an error ends the run, or leaves it to another worker. */
export async function driveRun(dependencies: ExecuteDependencies, run: UnsignedRun): Promise<void> {
  const { db, log } = dependencies;
  const { progress, request, node } = run;
  using _ = dependencies.wakers.drive(run.run, run.opening);
  await endOnFailure(dependencies, run, async () => {
    // The node may be far away: what the draft does not decide is read while it is made.
    const reading = readPackages(node);
    reading.catch(() => undefined);
    // The lease of a coin reports the error.
    dependencies.gas.prepare(node).catch(() => undefined);
    const actor = await run.actor;
    const draft = await dependencies.draft(request, actor.address, run.trace?.context);
    progress.pass({ detail: draft.summary });
    const packages = await reading;
    const confirmedOnly = actor.kind === 'host' || !packages.hasActions;
    const checked = await checkDraft({ db, node, packages, confirmedOnly }, request, draft);
    progress.pass();
    await signAndSettle(dependencies, run, { actor, checked, packages });
    log.info({ run: run.run, action: request.action }, 'run done');
  });
  run.trace?.end();
}

/** Maximum number of coins that one run leases, one after another, if the earlier ones are outdated. */
const leasesMax = 3;

async function signAndSettle(
  dependencies: ExecuteDependencies,
  run: UnsignedRun,
  prepared: { actor: Actor; checked: CheckedDraft; packages: CalledPackages },
): Promise<void> {
  const { planned } = run.account;
  for (let leases = 1; ; leases += 1) {
    const coin = await dependencies.gas.lease({ ...run, planned });
    try {
      const signed = await sign(dependencies, run, prepared, coin);
      await settle(dependencies, { ...run, stepOfCall: prepared.checked.stepOfCall }, signed);
      return;
    } catch (error) {
      // The chain refuses a transaction that names an earlier version of the coin.
      const isRefused = error instanceof RunFailedError && paymentRefused.has(error.code);
      if (!isRefused || leases === leasesMax) throw error;
      if (!(await dependencies.gas.releaseStaleCoin({ ...run, planned }, coin))) throw error;
    }
  }
}

const paymentRefused: ReadonlySet<string> = new Set(['not_executable', 'agent_out_of_gas']);

/** Simulates, signs and records the transaction. If this throws, nothing was recorded and nothing may be sent. */
async function sign(
  dependencies: ExecuteDependencies,
  run: UnsignedRun,
  { actor, checked, packages }: { actor: Actor; checked: CheckedDraft; packages: CalledPackages },
  coin: GasCoin,
): Promise<SignedTransaction> {
  const { request, node } = run;
  const { signal, signer } = dependencies;
  const bounds = { takes: formatAmounts(checked.takes), brings: formatAmounts(checked.brings) };
  // Runs in parallel with the simulation, which takes longer: it is read before anything is signed.
  const checkpoint = readSigningCheckpoint(node, signal);
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
  await recordSignature(run, signed, checked, coin);
  return signed;
}

/** Returns the sender's signature, and the payer's if that is another address. */
async function signTransaction(transaction: Uint8Array, sender: Signer, payer: Signer): Promise<string[]> {
  const signers = sender.address === payer.address ? [sender] : [sender, payer];
  return await Promise.all(signers.map((signer) => signer.sign(transaction)));
}

/** Records the signed transaction, unless it was forbidden since the run began. Only a recorded one may be sent. */
async function recordSignature(
  { progress, account }: UnsignedRun,
  signed: SignedTransaction,
  { subjects, confirmed }: CheckedDraft,
  coin: GasCoin,
): Promise<void> {
  const conditions = { scope: account.key?.scope ?? null, subjects, confirmed };
  const recorded = await progress.sign(signed, conditions, coin);
  if (recorded === 'recorded') return;
  throw typeof recorded === 'string'
    ? notSentFailures[recorded]
    : createQuarantineFailure(recorded.quarantined);
}

const createQuarantineFailure = (reason: string) =>
  new RunFailedError(
    'adaptor_quarantined',
    `The operator quarantined the adaptor while the transaction was prepared: ${reason}. Nothing was sent.`,
  );

const notSentFailures = {
  frozen: new RunFailedError(
    'frozen',
    'The operator froze the wallet, its network or everything while the transaction was prepared. Nothing was sent.',
  ),
  notConfirmed: new RunFailedError(
    'adaptor_not_confirmed',
    'The operator withdrew the confirmation of the adaptor while the transaction was prepared. Nothing was sent.',
  ),
  callerEnded: new RunFailedError(
    'invalid_key',
    'The executor key was revoked or expired while the transaction was prepared. Nothing was sent.',
  ),
  callerChanged: new RunFailedError(
    'out_of_scope',
    'The executor key was narrowed while the transaction was prepared. Nothing was sent. Send the request again.',
  ),
  ownerChanged: new RunFailedError(
    'wallet_not_found',
    'The owner of the wallet changed while the transaction was prepared. Nothing was sent.',
  ),
};

/** Reads the node's newest checkpoint. A transaction that is signed later is in none up to this one. */
async function readSigningCheckpoint({ client }: Node, signal: AbortSignal): Promise<number> {
  try {
    return Number(await newestCheckpoint(client, signal));
  } catch (error) {
    signal.throwIfAborted();
    const reason = getErrorMessage(error).slice(0, 200);
    const detail = `The network's node did not report its newest checkpoint (${reason}). Nothing was sent. Send the same request again.`;
    throw new RunFailedError('node_unavailable', detail);
  }
}

/** Ends the step `simulate`: reserves the gas, and the amounts of coins that the request does not name. */
async function passSimulation(
  dependencies: ExecuteDependencies,
  { progress, request, account }: UnsignedRun,
  { takes }: CheckedDraft,
  { gasBudget }: PreparedTransaction,
): Promise<void> {
  const named = sumNamedSpends(request);
  const unnamed = takes
    .map(({ coinType, amount }) => [coinType, amount - (named.get(coinType) ?? 0n)] as const)
    .filter(([, amount]) => amount > 0n);
  requireWithinKey(account, takes);
  const claims = buildSigningClaims(account, new Map(unnamed), gasBudget, dependencies);
  const excess = await progress.passReserving(claims);
  if (excess)
    throw new RunFailedError(toLimitCode(excess), `${describeLimitExcess(excess)} Nothing was sent.`);
}

/** Ends the run with the error of `work`, unless the service is closing or another worker drives the run. */
async function endOnFailure(
  dependencies: ExecuteDependencies,
  { run, progress, request }: SignedRun,
  work: () => Promise<unknown>,
): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (dependencies.signal.aborted || error instanceof RunTakenError) return;
    if (!(error instanceof RunFailedError)) dependencies.log.error({ err: error, run }, 'a run failed');
    const failure =
      error instanceof RunFailedError
        ? error
        : new RunFailedError('internal_error', 'An internal error occurred. Nothing was sent to the chain.');
    await progress.fail(failure).then(
      () => dependencies.count(request.action, failure.code),
      () => undefined,
    );
  }
}
