import type { FrameworkModules } from '@adaptor-marketplace/move-toolchain';
import type { bcs } from '@mysten/sui/bcs';
import type { Command, CommandOutput } from '../execution/types.ts';
import type { ObjectRecord } from '../state/objects.ts';

export type { FrameworkModules, ObjectRecord };

/**
 * What the ledger answers. Ids and addresses are `0x` + 64 lower-case hex digits, digests base58, times
 * milliseconds since the epoch, amounts MIST unless a coin type says otherwise.
 */

export type TransactionData = ReturnType<typeof bcs.TransactionData.parse>;
export type TransactionEffects = ReturnType<typeof bcs.TransactionEffects.parse>;
export type TransactionEffectsV2 = NonNullable<TransactionEffects['V2']>;
export type TransactionExpiration = ReturnType<typeof bcs.TransactionExpiration.parse>;

export interface ObjectReference {
  objectId: string;
  version: bigint;
  digest: string;
}

export interface EventRecord {
  /** Position among the events of its transaction, from 0. */
  index: number;
  /** Storage id and module of the top-level call. */
  packageId: string;
  module: string;
  sender: string;
  /** Canonical, with defining ids. */
  type: string;
  contents: Uint8Array;
}

/** Net change of one owner's balance of one coin type, gas included; zero changes are left out. */
export interface BalanceChange {
  address: string;
  coinType: string;
  amount: bigint;
}

/** An object that a transaction changed, read as an input, or loaded without naming it. */
export interface TouchedObject {
  id: string;
  /** Canonical Move type, or `package`. */
  type: string;
  change:
    | 'created'
    | 'mutated'
    | 'unwrapped'
    | 'deleted'
    | 'wrapped'
    | 'unwrappedThenDeleted'
    | 'read'
    | 'loaded';
  /** Absent where the object did not exist (as such) before. */
  inputVersion: bigint | undefined;
  /** Absent where it does not exist (as such) afterwards; the input version for `read` and `loaded`. */
  outputVersion: bigint | undefined;
}

/** An executed transaction; its place is absent until a checkpoint includes it. */
export interface ExecutedTransaction {
  digest: string;
  /** BCS of `TransactionData`. */
  bcs: Uint8Array;
  /** `bcs`, parsed when first read. */
  data: TransactionData;
  /** Serialized user signatures (flag, signature, public key); none for system transactions. */
  signatures: Uint8Array[];
  effectsBcs: Uint8Array;
  effectsDigest: string;
  /** `effectsBcs`, parsed when first read. */
  effects: TransactionEffectsV2;
  /** BCS of `TransactionEvents`; absent when there are none. */
  eventsBcs: Uint8Array | undefined;
  eventsDigest: string | undefined;
  /** `eventsBcs`, parsed when first read. */
  events: EventRecord[];
  /** Why it failed, in words; absent when it succeeded. The status itself stands in `effects`. */
  failureDescription: string | undefined;
  balanceChanges: BalanceChange[];
  objects: TouchedObject[];
  checkpoint: bigint | undefined;
  /** Position in its checkpoint, from 0. */
  transactionIndex: number | undefined;
  /** The checkpoint's timestamp. */
  timestampMs: number | undefined;
}

/** A transaction that a checkpoint includes. */
export interface TransactionRecord extends ExecutedTransaction {
  checkpoint: bigint;
  transactionIndex: number;
  timestampMs: number;
}

export interface GasCostSummary {
  computationCost: bigint;
  storageCost: bigint;
  storageRebate: bigint;
  nonRefundableStorageFee: bigint;
}

export interface CheckpointRecord {
  sequence: bigint;
  digest: string;
  previousDigest: string | undefined;
  contentDigest: string;
  timestampMs: number;
  epoch: bigint;
  /** Transactions since genesis, this checkpoint's included. */
  networkTotalTransactions: bigint;
  epochRollingGasCostSummary: GasCostSummary;
  /** In execution order. */
  transactionDigests: string[];
  /** BCS of `CheckpointSummary` and `CheckpointContents`. */
  summaryBcs: Uint8Array;
  contentsBcs: Uint8Array;
}

/**
 * A place in the ledger: transaction `transactionIndex` of `checkpoint`. An index past the checkpoint's last
 * one names the place after it.
 */
export interface LedgerPosition {
  checkpoint: bigint;
  transactionIndex: number;
}

/**
 * What transactions are indexed by. Names may be cut short at `::` where the chain's filters allow it:
 * `moveCall` `package[::module[::function]]`, `emitModule` `package[::module]`,
 * `eventType` `address[::module[::Name[<T>]]]` (a bare generic name stands for every instantiation).
 */
export type LedgerKey =
  | { kind: 'sender'; address: string }
  | { kind: 'affectedAddress'; address: string }
  | { kind: 'affectedObject'; objectId: string }
  | { kind: 'moveCall'; function: string }
  | { kind: 'emitModule'; module: string }
  | { kind: 'eventType'; eventType: string }
  | { kind: 'packageWrite' }
  /** Any transaction with at least one event. */
  | { kind: 'anyEvent' };

export interface LedgerScan {
  /** Inclusive. */
  from: LedgerPosition;
  /** Exclusive. */
  to: LedgerPosition;
  ordering: 'ascending' | 'descending';
  limit: number;
  /** Only transactions with at least one of these keys. Absent: all. */
  anyOf?: LedgerKey[];
}

/** One page of a listing; `next` is opaque and absent on the last page. */
export interface Page<Item> {
  items: Item[];
  next: string | undefined;
}

export interface PageRequest {
  limit: number;
  /** `next` of the page before. A foreign or damaged one is refused (INVALID_ARGUMENT). */
  after?: string;
}

export interface Balance {
  coinType: string;
  /** In coins, and in funds without a coin. */
  coins: bigint;
  funds: bigint;
}

export interface PackageVersion {
  packageId: string;
  version: bigint;
}

export interface DynamicFieldRecord {
  kind: 'field' | 'object';
  parent: string;
  /** The `Field` object itself. */
  field: ObjectRecord;
  /** Type and BCS of the name (for object fields without the `Wrapper`). */
  nameType: string;
  name: Uint8Array;
  /** Type of the value, or of the child object. */
  valueType: string;
  /** BCS of the value; for object fields the child's id. */
  value: Uint8Array;
  /** Object fields only. */
  child: ObjectRecord | undefined;
}

export interface EpochRecord {
  epoch: bigint;
  protocolVersion: bigint;
  referenceGasPrice: bigint;
  startMs: number;
  firstCheckpoint: bigint;
}

export interface ProtocolConfig {
  protocolVersion: bigint;
  featureFlags: Record<string, boolean>;
  attributes: Record<string, string>;
}

/** A transaction as a client's draft names it: inputs by id alone, gas left open. */
export interface UnresolvedTransaction {
  sender: string;
  inputs: UnresolvedInput[];
  commands: Command[];
  gas: {
    /** Default: the sender. */
    owner?: string;
    /** Default: the reference gas price. */
    price?: bigint;
    /** Default: estimated when `selectGas` is set, else all of the payment, up to the chain's limit. */
    budget?: bigint;
    /**
     * Absent or empty: selected among the owner's SUI coins when `selectGas` is set, else a made coin of the owner pays.
     * The version and the digest of a coin that has none are those of the live one.
     */
    payment?: UnresolvedCoin[];
  };
  /** Default: none. */
  expiration?: TransactionExpiration;
}

export type UnresolvedCoin = Pick<ObjectReference, 'objectId'> & Partial<ObjectReference>;

export type UnresolvedInput =
  | { kind: 'pure'; bytes: Uint8Array }
  | { kind: 'withdrawal'; coinType: string; amount: bigint; from: 'sender' | 'sponsor' }
  | {
      kind: 'object';
      objectId: string;
      /** How it is used. Absent: decided by its owner and by the called functions' signatures. */
      usage?: 'owned' | 'shared' | 'receiving';
      /** Exact version (of a shared object, its initial shared version). Absent: the live one. */
      version?: bigint;
      digest?: string;
      /** Shared objects. Absent: whether a called function takes it by mutable reference or by value. */
      mutable?: boolean;
    };

export interface SimulateOptions {
  /** `false`: no ownership, gas or budget checks, and `unchecked` in `ExecutionInput`. Default `true`. */
  checks?: boolean;
  /** Choose payment and budget and answer them. Ignored without checks. */
  selectGas?: boolean;
  /** Maximum number of bytes of command outputs. Default: 0, none are made. */
  maxOutputBytes?: number;
}

export interface SimulatedTransaction {
  /** `bcs` and `data` are the resolved transaction; no signatures and no place in the ledger. */
  transaction: ExecutedTransaction;
  /** Versions written by the simulation, which the store does not have. */
  writtenObjects: ObjectRecord[];
  /** Absent when they are above `maxOutputBytes`. */
  commandOutputs: CommandOutput[] | undefined;
  suggestedGasPrice: bigint;
}

/** gRPC status words that a refusal maps to. */
export type LedgerErrorCode = 'INVALID_ARGUMENT' | 'NOT_FOUND' | 'UNIMPLEMENTED';

/**
 * A refusal: the transaction or the read did not happen, and nothing was charged. `reason` is the chain's own
 * name for it (variants of `UserInputError` and `SuiError`), for tests and logs.
 */
export class LedgerError extends Error {
  readonly code: LedgerErrorCode;
  readonly reason: string;

  constructor(code: LedgerErrorCode, reason: string, message: string) {
    super(message);
    this.name = 'LedgerError';
    this.code = code;
    this.reason = reason;
  }
}
