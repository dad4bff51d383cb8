import { randomInt } from 'node:crypto';
import { bcs } from '@mysten/sui/bcs';
import { normalizeSuiAddress } from '@mysten/sui/utils';
import { argumentsOf } from '../execution/types.ts';
import { messageOf } from '../internal/errors.ts';
import type { Store } from '../state/store.ts';
import type { PackageCache } from '../vm/loader/package.ts';
import { reservationOf, reservedBy } from './coin-reservations.ts';
import { commandInput } from './command-bcs.ts';
import { digestOf, zeroDigest } from './digests.ts';
import type { ReadFunds } from './funds.ts';
import { computeBudget, storagePrice } from './gas.ts';
import { gasCandidates, insufficientPayment, insufficientSui } from './gas-selection.ts';
import { loadObjects, type MoveRecord, paymentOf, type ReadLive } from './input-objects.ts';
import { canonicalType, clockId, coinBalance, suiCoinType, suiType, withU64 } from './move-types.ts';
import { recordObject } from './object-bcs.ts';
import { limits, onlyEpoch, referenceGasPrice } from './protocol.ts';
import { executedTransaction, settledColumns, signaturesColumn } from './records.ts';
import { refused } from './refusals.ts';
import { resolveInputs, resolvePayment } from './resolve.ts';
import { type Execute, type Run, runTransaction } from './run.ts';
import { checkForm, decodeTransaction } from './transaction-checks.ts';
import type {
  ObjectReference,
  SimulatedTransaction,
  SimulateOptions,
  TransactionExpiration,
  UnresolvedTransaction,
} from './types.ts';

interface Simulator {
  store: Store;
  packages: PackageCache;
  execute: Execute;
  /** Base58. */
  chainId: string;
  /** When the epoch began. */
  startedMs: number;
  /** What the clock shows: it is set by checkpoints only, and may stand still between them. */
  nowMs: number;
}

interface Attempt extends Run {
  transactionBcs: Uint8Array;
  digest: string;
  /** MIST in the whole payment. */
  payment: bigint;
}

interface GasData {
  budget: bigint;
  payment: ObjectReference[];
  /** No coins: the owner's funds pay. */
  byFunds?: boolean;
  /** Whether it ends with the next epoch, unless the draft says otherwise. Default: `byFunds`. */
  expires?: boolean | undefined;
}

/** See `Ledger.simulate`. */
export function simulateTransaction(
  draft: UnresolvedTransaction,
  options: SimulateOptions,
  simulator: Simulator,
): SimulatedTransaction {
  const simulation = new Simulation(draft, options, simulator);
  const given = simulation.payment;
  const wanted = options.selectGas === true && (options.checks ?? true);
  if (!wanted) {
    const byFunds =
      given.length === 0 && draft.expiration?.$kind === 'ValidDuring' && simulation.canPayByFunds;
    return simulation.answer({ budget: draft.gas.budget ?? simulation.offered, payment: given, byFunds });
  }
  if (given.length > 0 && draft.gas.budget !== undefined) {
    return simulation.answer({ budget: draft.gas.budget, payment: given });
  }
  return simulation.answer(given.length > 0 ? simulation.estimate(given) : simulation.selectGas());
}

class Simulation {
  /** The coins that the draft names. */
  readonly payment: ObjectReference[];
  readonly #draft: UnresolvedTransaction;
  readonly #checks: boolean;
  readonly #maxOutputBytes: number;
  readonly #simulator: Simulator;
  readonly #read: ReadLive;
  readonly #kind: Uint8Array;
  readonly #owner: string;
  readonly #price: bigint;
  /** Of a transaction that no coin makes unique. */
  readonly #validNow: TransactionExpiration;

  constructor(draft: UnresolvedTransaction, options: SimulateOptions, simulator: Simulator) {
    this.#draft = draft;
    this.#checks = options.checks ?? true;
    this.#maxOutputBytes = options.maxOutputBytes ?? 0;
    this.#simulator = simulator;
    this.#read = (id) => atTime(simulator.store.objects.live(id), simulator.nowMs);
    this.#owner = normalizeSuiAddress(draft.gas.owner ?? draft.sender);
    this.#price = draft.gas.price ?? referenceGasPrice;
    this.#validNow = validNow(simulator.chainId);
    this.payment = resolvePayment(draft.gas.payment ?? [], this.#read);
    const inputs = resolveInputs(draft.inputs, draft.commands, this.#read, simulator.packages);
    const commands = draft.commands.map(commandInput);
    this.#kind = encoded(() => bcs.ProgrammableTransaction.serialize({ inputs, commands }).toBytes());
  }

  /** Whether the owner's funds could pay what the draft offers for gas, which nothing else may use then. */
  get canPayByFunds(): boolean {
    const { budget } = this.#draft.gas;
    return this.#checks && !this.#usesGasCoin && budget !== undefined && this.#fundsPay(budget);
  }

  /** MIST in the coins that the draft names, up to the largest budget; the largest budget if it names none. */
  get offered(): bigint {
    if (this.payment.length === 0) return limits.maxGasBudget;
    const sum = this.payment.reduce((mist, coin) => mist + this.#readValue(coin), 0n);
    return sum < limits.maxGasBudget ? sum : limits.maxGasBudget;
  }

  #readValue(coin: ObjectReference): bigint {
    const record = this.#read(coin.objectId);
    const isCoin = record?.kind === 'move' && record.type === suiCoinType;
    return reservedBy(coin)?.amount ?? (isCoin ? coinBalance(record.contents) : 0n);
  }

  /** The budget that a trial run with these coins shows to be needed. @throws LedgerError if they have less */
  estimate(payment: ObjectReference[]): GasData {
    const trial = this.#trial(payment);
    const budget = this.#budgetAfter(trial);
    if (trial.payment < budget) throw insufficientPayment(trial.payment, budget);
    return { budget, payment };
  }

  /** Budget and payment: every coin of the owner, as a node selects, unless funds pay. */
  selectGas(): GasData {
    const candidates = gasCandidates(this.#simulator.store, this.#owner, this.#draft);
    if (this.#freeFunds > 0n && this.#usesGasCoin) return this.#withReservation(candidates);
    if (this.#freeFunds > 0n && !this.#usesGasCoin) {
      const budget = this.#budgetAfter(this.#trial([]));
      if (this.#fundsPay(budget)) return { budget, payment: [], byFunds: true };
    }
    return this.#payWith(candidates.map(referenceTo));
  }

  /**
   * All that the owner has, funds first, so that commands can take from the gas coin what is in neither alone.
   * @throws LedgerError for a sponsor, as a node selects a reservation here too, and none may be a sponsor's
   */
  #withReservation(candidates: MoveRecord[]): GasData {
    const reservation = reservationOf(this.#owner, this.#freeFunds, this.#simulator.chainId);
    const coins = candidates.slice(0, limits.maxGasPaymentObjects - 1);
    return { ...this.#payWith([reservation, ...coins.map(referenceTo)]), expires: true };
  }

  #payWith(payment: ObjectReference[]): GasData {
    const trial = this.#trial(payment);
    const budget = this.#budgetAfter(trial);
    if (payment.length === 0 || trial.payment < budget) throw insufficientSui(this.#owner, budget);
    return { budget, payment };
  }

  answer(gas: GasData): SimulatedTransaction {
    const { transactionBcs, digest, outcome, settlement } = this.#attempt(
      gas,
      this.#checks ? gas.budget : 0n,
      this.#checks,
    );
    return {
      transaction: executedTransaction({
        ...settledColumns(settlement),
        digest,
        bcs: transactionBcs,
        signatures: signaturesColumn([]),
        checkpoint: 0,
        transactionIndex: 0,
      }),
      writtenObjects: settlement.changes.flatMap(({ next }) => next ?? []),
      commandOutputs: outcome.commandOutputs,
      suggestedGasPrice: referenceGasPrice,
    };
  }

  #funds(owner: string, coinType: string): bigint {
    return this.#simulator.store.balances.get(owner, coinType).funds;
  }

  get #usesGasCoin(): boolean {
    return this.#draft.commands.flatMap(argumentsOf).some(({ $kind }) => $kind === 'GasCoin');
  }

  #fundsPay(budget: bigint): boolean {
    return this.#freeFunds >= budget;
  }

  /** MIST of the owner's funds beside what the draft withdraws itself. */
  get #freeFunds(): bigint {
    const sender = normalizeSuiAddress(this.#draft.sender);
    const withdrawn = this.#draft.inputs.reduce((sum, input) => {
      if (input.kind !== 'withdrawal' || canonicalType(input.coinType) !== suiType) return sum;
      return (input.from === 'sponsor' ? this.#owner : sender) === this.#owner ? sum + input.amount : sum;
    }, 0n);
    return this.#funds(this.#owner, suiType) - withdrawn;
  }

  #trial(payment: ObjectReference[]): Attempt {
    return this.#attempt({ budget: limits.maxGasBudget, payment }, 0n, false);
  }

  #budgetAfter(trial: Attempt): bigint {
    return this.#draft.gas.budget ?? computeBudget(trial.settlement.gas, this.#price);
  }

  #attempt(gas: GasData, reserved: bigint, funds: boolean): Attempt {
    const { chainId, execute, startedMs } = this.#simulator;
    const transactionBcs = this.#encode(gas);
    const digest = digestOf('TransactionData', transactionBcs);
    const transaction = checkForm(decodeTransaction(transactionBcs), chainId, false);
    const mock = gas.payment.length === 0 && !gas.byFunds ? mockGas(this.#owner) : undefined;
    const readFunds: ReadFunds = (owner, coinType) => this.#funds(owner, coinType);
    const { objects: stored } = this.#simulator.store;
    const demand = { funds: funds && mock === undefined };
    const objects = loadObjects(
      transaction,
      this.#read,
      readFunds,
      this.#checks
        ? { ...demand, ownership: true }
        : { ...demand, ownership: false, readVersion: (id, version) => stored.at(id, version) },
    );
    const run = runTransaction(
      {
        transactionDigest: digest,
        transaction,
        objects,
        reserved,
        read: this.#read,
        funds: readFunds,
        ...(mock && { mockGas: mock }),
        epochTimestampMs: startedMs,
        unchecked: !this.#checks,
        maxOutputBytes: this.#maxOutputBytes,
      },
      execute,
    );
    return { ...run, transactionBcs, digest, payment: paymentOf(objects.gas) };
  }

  #encode({ budget, payment, byFunds, expires = byFunds }: GasData): Uint8Array {
    const { sender, expiration } = this.#draft;
    const open = expires ? this.#validNow : noExpiration;
    const data = {
      kind: { ProgrammableTransaction: bcs.ProgrammableTransaction.parse(this.#kind) },
      sender,
      gasData: { payment, owner: this.#owner, price: this.#price, budget },
      expiration: expiration === undefined || expiration.$kind === 'None' ? open : expiration,
    };
    return encoded(() => bcs.TransactionData.serialize({ V1: data }).toBytes());
  }
}

/** A draft may hold anything: numbers out of range, addresses that are none, types that do not parse. */
function encoded(encode: () => Uint8Array): Uint8Array {
  try {
    return encode();
  } catch (error) {
    throw refused('InvalidTransactionData', `The draft is not a transaction: ${messageOf(error)}`);
  }
}

const noExpiration: TransactionExpiration = { $kind: 'None', None: true };

function validNow(chain: string): TransactionExpiration {
  const epochs = { minEpoch: String(onlyEpoch), maxEpoch: String(onlyEpoch + 1n) };
  const nonce = randomInt(2 ** 32);
  return {
    $kind: 'ValidDuring',
    ValidDuring: { ...epochs, minTimestamp: null, maxTimestamp: null, chain, nonce },
  };
}

/** The clock as it would be set for the next checkpoint; anything else as it is. */
function atTime(record: ReturnType<ReadLive>, nowMs: number): ReturnType<ReadLive> {
  if (record?.kind !== 'move' || record.id !== clockId) return record;
  const shown = BigInt(nowMs);
  return coinBalance(record.contents) >= shown
    ? record
    : { ...record, contents: withU64(record.contents, shown) };
}

/** A coin of a thousand million SUI under an id that no transaction can make. */
function mockGas(owner: string): MoveRecord {
  const id = `0x${'f'.repeat(64)}`;
  const contents = withU64(Buffer.concat([Buffer.alloc(32, 0xff), Buffer.alloc(8)]), 10n ** 18n);
  const record = recordObject(
    {
      kind: 'move',
      id,
      version: 1n,
      type: suiCoinType,
      contents,
      hasPublicTransfer: true,
      owner: { kind: 'address', address: owner },
      previousTransaction: zeroDigest,
    },
    storagePrice,
  );
  if (record.kind !== 'move') throw new Error('a coin is a Move object');
  return record;
}

function referenceTo({ id, version, digest }: MoveRecord): ObjectReference {
  return { objectId: id, version, digest };
}
