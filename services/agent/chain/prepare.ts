import { getErrorMessage, normalizeAddress } from '@adaptor-marketplace/adaptor';
import { explainExecutionError, type KnownPackages } from '@adaptor-marketplace/adaptor/transactions';
import { bcs } from '@mysten/sui/bcs';
import { SimulationError, type SuiClientTypes } from '@mysten/sui/client';
import { Transaction, TransactionDataBuilder } from '@mysten/sui/transactions';
import { RpcError } from '@protobuf-ts/runtime-rpc';
import type { GasCoin, GasPaid } from '../../../db/queries/agent/gas-coins.ts';
import type { RunBounds } from '../../../db/schema/agent-runs.ts';
import { RunFailure, refusal } from '../../../lib/agent/run-failure.ts';
import { type WalletEventName, walletEvents } from '../../../lib/chain/events/wallet.ts';
import type { CalledPackages, Node } from './node.ts';

/** A transaction that is ready to be signed. */
export interface Prepared {
  bytes: Uint8Array;
  digest: string;
  /** The most that its gas can cost, in MIST. */
  gasBudget: bigint;
}

/** A transaction whose calls were checked. */
export interface CheckedTransaction {
  /** BCS of the transaction kind, base64. */
  transactionKind: string;
  /** The sender's caps that authorize its spends. Of all objects of the sender, it may use only these and gas coins. */
  caps: string[];
  /** Name of the step of each call, by the position of the call. Empty if there is one step. */
  stepOfCall: readonly string[];
}

interface PrepareOptions extends GasParties {
  walletId: string;
  /** Pays the gas. Its balance is at least `gasMax`. */
  coin: GasCoin;
  packages: CalledPackages;
  /** Bounds on what the transaction takes from the wallet and brings to it. */
  bounds: RunBounds;
  /** The most gas that one transaction may cost the operator, in MIST. */
  gasMax: bigint;
  signal: AbortSignal;
}

const timeoutMs = 20_000;

/**
 * Adds gas, simulates the transaction, and checks that it touches only permitted objects of the sender and the payer.
 * The signed budget follows from this one simulation, so that it bounds the cost of the execution.
 * @throws RunFailure with the reason why the chain would refuse it, `unexpected_transaction`, or `insufficient_gas`
 */
export async function prepare(
  { client, settings }: Node,
  { transactionKind, caps, stepOfCall }: CheckedTransaction,
  { sender, payer, walletId, coin, packages, bounds, gasMax, signal }: PrepareOptions,
): Promise<Prepared> {
  const known = { ...settings, originals: packages.originals, stepOfCall };
  const transaction = Transaction.fromKind(transactionKind);
  transaction.setSender(sender);
  transaction.setGasOwner(payer);
  transaction.setGasBudget(gasMax);
  transaction.setGasPayment([referenceTo(coin)]);
  const limited = () => AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  const simulated = await awaitSimulation(
    client.simulateTransaction({
      transaction,
      doGasSelection: true,
      include: { bcs: true, effects: true, events: true, balanceChanges: true },
      signal: limited(),
    }),
    known,
  );
  if (simulated.$kind === 'FailedTransaction') {
    const failure = toFailure(simulated.FailedTransaction.status, known);
    if (failure.code !== 'insufficient_gas') throw failure;
    throw tooMuchGas(await budgetNeeded(client, transactionKind, sender, limited()), gasMax);
  }
  const { bcs: simulatedBytes, effects, events, balanceChanges } = simulated.Transaction;
  const gasBudget = budgetFor(effects.gasUsed);
  if (gasBudget > gasMax) throw tooMuchGas(gasBudget, gasMax);
  const bytes = withBudget(simulatedBytes, transactionKind, { sender, payer, payment: [coin] }, gasBudget);
  const own = new Set([sender, payer]);
  requireOwnUntouched(effects, own, new Set([coin.coinId, ...caps]));
  for (const { address, coinType, amount } of balanceChanges) {
    const isGas = address === payer && sui.test(coinType) && -BigInt(amount) <= gasMax;
    if (own.has(address) && !isGas) throw refusal("it moves the agent's own coins");
  }
  // This is not a security check, because the execution may differ. It avoids sending an action that already fails
  // here.
  const beyond = flowsBeyond(bounds, walletFlows(events, packages.wallet.versionIds, walletId));
  if (beyond) throw refusal(beyond);
  return { bytes, digest: TransactionDataBuilder.getDigestFromBytes(bytes), gasBudget };
}

/**
 * Simulates what a transaction would do to the wallet. The simulation has no gas coin, so its transaction can be
 * neither signed nor sent.
 * @throws RunFailure as `prepare` does
 */
export async function rehearse(
  { client, settings }: Node,
  { transactionKind, stepOfCall }: CheckedTransaction,
  {
    sender,
    walletId,
    packages,
    bounds,
    gasMax,
    signal,
  }: Pick<PrepareOptions, 'sender' | 'walletId' | 'packages' | 'bounds' | 'gasMax' | 'signal'>,
): Promise<{ gasBudget: bigint; flows: WalletFlows }> {
  const known = { ...settings, originals: packages.originals, stepOfCall };
  const transaction = Transaction.fromKind(transactionKind);
  transaction.setSender(sender);
  const simulated = await awaitSimulation(
    client.simulateTransaction({
      transaction,
      doGasSelection: false,
      include: { effects: true, events: true },
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    }),
    known,
  );
  if (simulated.$kind === 'FailedTransaction') throw toFailure(simulated.FailedTransaction.status, known);
  const { effects, events } = simulated.Transaction;
  const gasBudget = budgetFor(effects.gasUsed);
  if (gasBudget > gasMax) throw tooMuchGas(gasBudget, gasMax);
  const flows = walletFlows(events, packages.wallet.versionIds, walletId);
  const beyond = flowsBeyond(bounds, flows);
  if (beyond) throw refusal(beyond);
  return { gasBudget, flows };
}

/**
 * Estimates the gas budget, in MIST, that an action needs without a limit, for the detail of a refusal. Returns
 * `undefined` if the node does not answer or the simulation fails.
 */
async function budgetNeeded(
  client: Node['client'],
  transactionKind: string,
  sender: string,
  signal: AbortSignal,
): Promise<bigint | undefined> {
  const transaction = Transaction.fromKind(transactionKind);
  transaction.setSender(sender);
  const simulated = await client
    .simulateTransaction({ transaction, doGasSelection: false, include: { effects: true }, signal })
    .catch(() => undefined);
  return simulated?.$kind === 'Transaction' ? budgetFor(simulated.Transaction.effects.gasUsed) : undefined;
}

/**
 * Refuses a transaction that uses objects of the agent beyond the allowed ones: the agent also owns caps of other
 * wallets.
 */
function requireOwnUntouched(
  { changedObjects }: SuiClientTypes.TransactionEffects,
  own: ReadonlySet<string>,
  allowed: ReadonlySet<string>,
): void {
  for (const { objectId, inputOwner } of changedObjects) {
    const owned = inputOwner?.$kind === 'AddressOwner' && own.has(inputOwner.AddressOwner);
    if (owned && !allowed.has(objectId)) throw refusal(`it uses ${objectId}, which is the agent's own`);
  }
}

const sui = /^0x0*2::sui::SUI$/;

/** Returns the failure for the chain's status of a failed transaction. */
export function toFailure({ error }: SuiClientTypes.ExecutionStatus, known: Known): RunFailure {
  return error
    ? failureBy(error, known)
    : new RunFailure('execution_failed', 'The chain refused the transaction without a reason.');
}

/** Packages that explain aborts, and the name of the step of each call by its position, if there are several steps. */
type Known = KnownPackages & { stepOfCall?: readonly string[] };

function failureBy(error: SuiClientTypes.ExecutionError, known: Known): RunFailure {
  const { code, detail } = explainExecutionError(error, known);
  const step = error.command === undefined ? undefined : known.stepOfCall?.[error.command];
  return new RunFailure(code, step === undefined ? detail : `${step}: ${detail}`);
}

/** Status codes of a node that concern the transaction and not the node. */
const refusals = new Set(['INVALID_ARGUMENT', 'FAILED_PRECONDITION', 'NOT_FOUND', 'ABORTED', 'OUT_OF_RANGE']);

async function awaitSimulation<T>(answer: Promise<T>, known: Known): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof SimulationError && error.executionError) {
      throw failureBy(error.executionError, known);
    }
    const cause = error instanceof RpcError ? error : (error as { cause?: unknown }).cause;
    const code = cause instanceof RpcError ? cause.code : undefined;
    const reason = getErrorMessage(error).slice(0, 300);
    if (code !== undefined && !refusals.has(code)) {
      throw new RunFailure(
        'node_unavailable',
        `The network's node did not answer (${code}). Send the request again.`,
      );
    }
    if (/gas/i.test(reason)) {
      throw new RunFailure(
        'agent_out_of_gas',
        `The operator's key has no coin to pay the gas with: ${reason}`,
      );
    }
    throw new RunFailure('not_executable', `The chain does not accept the transaction: ${reason}`);
  }
}

/** Part of every gas budget that does not depend on the transaction, in MIST. No run can have a smaller budget. */
export const gasBase = 2_000_000n;

/** Gas that the chain charges, in MIST. */
type GasUsed = Pick<SuiClientTypes.GasCostSummary, 'computationCost' | 'storageCost' | 'storageRebate'>;

/** Addresses that sign a transaction and pay its gas, in the long form. They may be the same. */
interface GasParties {
  sender: string;
  payer: string;
}

/**
 * Returns the gas budget, in MIST, for the gas that a simulation used: a quarter more, before the rebate, plus
 * `gasBase`. The execution may use more than the simulation, for example if a shared object grew. The chain stops it at
 * the budget.
 */
export function budgetFor({ computationCost, storageCost }: GasUsed): bigint {
  const used = BigInt(computationCost) + BigInt(storageCost);
  return (used * 5n + 3n) / 4n + gasBase;
}

/** Returns the gas that a transaction cost its payer, in MIST. It is 0 if the rebate is larger than the costs. */
export function computeCharged({ computationCost, storageCost, storageRebate }: GasUsed): bigint {
  const charged = BigInt(computationCost) + BigInt(storageCost) - BigInt(storageRebate);
  return charged > 0n ? charged : 0n;
}

/** @param needed undefined where it is not known */
function tooMuchGas(needed: bigint | undefined, gasMax: bigint): RunFailure {
  const needs = needed === undefined ? 'more gas' : `a gas budget of ${needed} MIST, more`;
  return new RunFailure(
    'insufficient_gas',
    `The action needs ${needs} than the ${gasMax} MIST that one run may cost. Make it smaller.`,
  );
}

/**
 * Returns the gas cost of a transaction with a verdict, and its gas coin afterwards.
 * @param gasUsed from the effects of the transaction, like `gasObject`
 */
export function gasPaid({
  gasUsed,
  gasObject,
}: Pick<SuiClientTypes.TransactionEffects, 'gasUsed' | 'gasObject'>): GasPaid {
  const paid = BigInt(gasUsed.computationCost) + BigInt(gasUsed.storageCost) - BigInt(gasUsed.storageRebate);
  const { objectId, outputVersion, outputDigest } = gasObject ?? {};
  const known = objectId !== undefined && outputVersion && outputDigest;
  return {
    charged: computeCharged(gasUsed),
    coin: known
      ? {
          coinId: normalizeAddress(objectId) ?? objectId,
          version: Number(outputVersion),
          digest: outputDigest,
          paid,
        }
      : null,
  };
}

/** A coin as a transaction names it. */
export const referenceTo = ({ coinId, version, digest }: GasCoin) => ({
  objectId: coinId,
  version: String(version),
  digest,
});

/**
 * Returns the transaction to sign, based on the one that a node completed: the checked kind with the given coins, the
 * node's price, the given budget and no expiration. A transaction that expires might never get a verdict.
 * @param bytes BCS of the node's TransactionData
 * @param transactionKind base64 of the BCS of the checked kind
 * @throws RunFailure `unexpected_transaction` if the node changed anything else
 */
export function withBudget(
  bytes: Uint8Array,
  transactionKind: string,
  { sender, payer, payment }: GasParties & { payment: readonly GasCoin[] },
  budget: bigint,
): Uint8Array {
  const data = bcs.TransactionData.parse(bytes).V1;
  if (!data || bcs.TransactionKind.serialize(data.kind).toBase64() !== transactionKind) {
    throw refusal('it changed while gas was added');
  }
  const { owner, payment: named, price } = data.gasData;
  if (normalizeAddress(data.sender) !== sender || normalizeAddress(owner) !== payer) {
    throw refusal('another address signs or pays');
  }
  const wanted = payment.map(referenceTo);
  const coins = bcs.vector(bcs.SuiObjectRef);
  if (coins.serialize(named).toBase64() !== coins.serialize(wanted).toBase64()) {
    throw refusal('other coins pay its gas');
  }
  const V1 = {
    kind: data.kind,
    sender,
    gasData: { payment: wanted, owner: payer, price, budget: String(budget) },
    expiration: { None: true as const },
  };
  return bcs.TransactionData.serialize({ V1 }).toBytes();
}

/** Amounts that left a wallet and that came into it, by coin type in base units, summed over a transaction. */
export interface WalletFlows {
  paid: Map<string, bigint>;
  received: Map<string, bigint>;
  /** Ids of other wallets that existed before and that an event names. */
  others: string[];
  /** Names of the events that changed the wallet's owner or the rights to take from it. Only its owner does that. */
  rights: string[];
}

const rightsEvents: ReadonlySet<WalletEventName> = new Set([
  'wallet::OwnerChanged',
  'wallet::WalletPauseChanged',
  'wallet::ServiceGranted',
  'wallet::ServicePullGranted',
  'wallet::ServiceCoinRevoked',
  'wallet::ServiceRevoked',
  'wallet::AssetReclaimed',
  'delegate::Initialized',
  'delegate::Added',
  'delegate::Removed',
  'delegate::ServiceAllowanceChanged',
  'delegate::CoinAllowanceChanged',
  'delegate::ExpiryChanged',
  'policy::PolicyInitialized',
  'policy::AuthRuleChanged',
  'policy::CaveatRuleChanged',
  'policy::PolicyRevoked',
  'policy::SpendIntoChanged',
  'cap_auth::DelegateCapMinted',
  'cap_auth::DelegateCapRevoked',
  'sub_delegate::ScopedCapRevoked',
]);

/**
 * Reads from a transaction's events what it does to a wallet. The wallet package itself emits them, no matter what
 * called it. `packageIds` are all versions of the package: an event has the id of the version that first defined it.
 */
export function walletFlows(
  events: readonly Pick<SuiClientTypes.Event, 'eventType' | 'bcs'>[],
  packageIds: ReadonlySet<string>,
  walletId: string,
): WalletFlows {
  const flows: WalletFlows = { paid: new Map(), received: new Map(), others: [], rights: [] };
  const created = new Set<string>();
  for (const { eventType, bcs } of events) {
    const [packageId, ...path] = eventType.split('::');
    const name = path.join('::');
    if (!packageIds.has(packageId ?? '') || !walletEvents.isName(name)) continue;
    const fields: { walletId?: string; parent?: string | null } = walletEvents.decode(name, bcs);
    const { walletId: named = walletId } = fields;
    if (named !== walletId) {
      if (name === 'wallet::WalletCreated') created.add(named);
      // An adaptor can cause both without an existing wallet. If they counted, any publisher could get its users'
      // wallets frozen.
      const harmless = created.has(named) || name === 'cap_auth::DelegateCapBurned';
      if (!harmless) flows.others.push(named);
      continue;
    }
    const root = name === 'sub_delegate::ScopedCapMinted' && fields.parent === null;
    if (root || rightsEvents.has(name)) flows.rights.push(name);
    if (name === 'wallet::CoinWithdrawn') add(flows.paid, walletEvents.decode(name, bcs));
    if (name === 'wallet::CoinDeposited') add(flows.received, walletEvents.decode(name, bcs));
  }
  return flows;
}

function add(sums: Map<string, bigint>, { coin, amount }: { coin: string; amount: bigint | string }): void {
  sums.set(coin, (sums.get(coin) ?? 0n) + BigInt(amount));
}

/**
 * Describes how a transaction exceeded its bounds, according to its events. Returns `undefined` if it kept to them.
 * @param bounds of all of its steps
 */
export function flowsBeyond(
  { takes, brings }: RunBounds,
  { paid, received, others, rights }: WalletFlows,
): string | undefined {
  if (others.length > 0) return `it touches the wallet ${others[0]}`;
  if (rights.length > 0) return `it changes who may take what: ${rights[0]}`;
  const most = new Map(takes.map(({ coinType, amount }) => [coinType, BigInt(amount)]));
  for (const [coinType, amount] of paid) {
    const max = most.get(coinType) ?? 0n;
    if (amount > max) return `it takes ${amount - max} more of ${coinType}`;
  }
  for (const { coinType, amount } of brings) {
    if ((received.get(coinType) ?? 0n) < BigInt(amount))
      return `it brings less than ${amount} of ${coinType}`;
  }
  return undefined;
}
