import type { MoveObject, Owner, PackageObject, StoredObject } from '../state/objects.ts';
import type { FundsWrite, ReadFunds } from '../vm/runtime/funds.ts';
import type { TransactionFacts } from '../vm/runtime/transaction-context.ts';

/**
 * The border between the ledger (which checks signatures, versions and gas coins before, and gives versions
 * and digests after) and the execution of one programmable transaction in the Move VM.
 */
export interface ExecutionInput extends TransactionFacts {
  inputs: ExecutionArgument[];
  /** Commands as `bcs.ProgrammableTransaction` of `@mysten/sui/bcs` parses them. */
  commands: Command[];
  /** The smashed gas coin (all payment coins joined into the first), or none for a simulation without gas. */
  gasCoin: MoveObject | undefined;
  /** Instead of a gas coin: one is made of an owner's funds, and what is left in it goes back to them. */
  gasFunds?: GasFunds;
  /**
   * A simulation without checks, as full nodes run it: any function but `init` may be called, returned references are
   * read, bytes stand for a value of any type, and values may be left over.
   */
  unchecked?: boolean;
  /** Maximum abstract work before the transaction runs out of gas. */
  maxComputationUnits: bigint;
  /** Maximum number of bytes of `commandOutputs`; 0: none are requested. */
  maxOutputBytes: number;
  /** Current live version of any object, for dynamic fields and receiving; packages by storage id. */
  readObject(id: string): StoredObject | undefined;
  /** What addresses and objects have in funds. Default: nothing. */
  readFunds?: ReadFunds;
}

export interface GasFunds {
  owner: string;
  /** MIST that the transaction can spend. */
  amount: bigint;
}

export type ExecutionArgument =
  | { kind: 'pure'; bytes: Uint8Array }
  | { kind: 'object'; object: MoveObject /** For shared inputs: declared mutable. */; mutable: boolean }
  | { kind: 'receiving'; object: MoveObject }
  /** The right to withdraw `amount` of the owner's funds; they were found to be there. */
  | { kind: 'withdrawal'; owner: string; coinType: string; amount: bigint };

export type Argument =
  | { $kind: 'GasCoin' }
  | { $kind: 'Input'; Input: number }
  | { $kind: 'Result'; Result: number }
  | { $kind: 'NestedResult'; NestedResult: [number, number] };

export type Command =
  | {
      $kind: 'MoveCall';
      MoveCall: {
        package: string;
        module: string;
        function: string;
        typeArguments: string[];
        arguments: Argument[];
      };
    }
  | { $kind: 'TransferObjects'; TransferObjects: { objects: Argument[]; address: Argument } }
  | { $kind: 'SplitCoins'; SplitCoins: { coin: Argument; amounts: Argument[] } }
  | { $kind: 'MergeCoins'; MergeCoins: { destination: Argument; sources: Argument[] } }
  | { $kind: 'MakeMoveVec'; MakeMoveVec: { type: string | null; elements: Argument[] } }
  /** `modules` base64. */
  | { $kind: 'Publish'; Publish: { modules: string[]; dependencies: string[] } }
  | {
      $kind: 'Upgrade';
      Upgrade: { modules: string[]; dependencies: string[]; package: string; ticket: Argument };
    };

/** All arguments of a command, in the order by which the chain numbers them. */
export function argumentsOf(command: Command): Argument[] {
  switch (command.$kind) {
    case 'MoveCall':
      return command.MoveCall.arguments;
    case 'TransferObjects':
      return [...command.TransferObjects.objects, command.TransferObjects.address];
    case 'SplitCoins':
      return [command.SplitCoins.coin, ...command.SplitCoins.amounts];
    case 'MergeCoins':
      return [command.MergeCoins.destination, ...command.MergeCoins.sources];
    case 'MakeMoveVec':
      return command.MakeMoveVec.elements;
    case 'Publish':
      return [];
    case 'Upgrade':
      return [command.Upgrade.ticket];
  }
}

export interface ExecutionOutcome {
  /** Absent when the transaction succeeded. A failed one has no writes but the gas coin's. */
  failure: ExecutionFailure | undefined;
  /** Objects created, mutated, wrapped or unwrapped, in no particular order; versions are the ledger's to give. */
  writes: ObjectWrite[];
  packages: Omit<PackageObject, 'previousTransaction'>[];
  /** Objects of the store that it loaded without naming them, by id; also those that it then changed. */
  loaded: readonly MoveObject[];
  events: EmittedEvent[];
  /** Each owner and type once; without what `gasFunds` gave and got back. */
  funds: FundsWrite[];
  /** MIST left in the coin that was made of `gasFunds`; absent when it was given away. */
  gasLeft?: bigint;
  /** Where the gas coin went, if that is another place to charge: an object of its own, or somebody's funds. */
  gasMoved?: { kind: 'object'; id: string } | { kind: 'funds'; owner: string };
  computationUnits: bigint;
  /** What each command returned and changed; absent above `maxOutputBytes`. */
  commandOutputs: CommandOutput[] | undefined;
}

export type ObjectWrite =
  | {
      change: 'created' | 'mutated' | 'unwrapped';
      id: string;
      type: string;
      contents: Uint8Array;
      hasPublicTransfer: boolean;
      /** `initialSharedVersion` of a newly shared object is 0n here: the ledger sets it. */
      owner: Owner;
    }
  | { change: 'deleted' | 'wrapped' | 'unwrappedThenDeleted'; id: string };

export interface EmittedEvent {
  /** Storage id and module of the top-level call that was running. */
  packageId: string;
  module: string;
  sender: string;
  /** Canonical, with defining ids. */
  type: string;
  contents: Uint8Array;
}

export interface CommandOutput {
  returnValues: { type: string; bytes: Uint8Array }[];
  mutatedByRef: { argument: Argument; type: string; bytes: Uint8Array }[];
}

/** Why a transaction failed, in the chain's own words (`ExecutionFailureStatus`). */
export interface ExecutionFailure {
  /** Index of the failing command; absent when none was running. */
  command: number | undefined;
  reason:
    | { kind: 'MoveAbort'; location: MoveLocation; code: bigint }
    | { kind: 'MovePrimitiveRuntimeError'; location: MoveLocation | undefined; message: string }
    | { kind: 'InsufficientGas' }
    | { kind: 'FunctionNotFound'; message: string }
    | { kind: 'CommandArgumentError'; argument: number; error: string }
    | { kind: 'TypeArgumentError'; argument: number; error: string }
    | { kind: 'VMVerificationOrDeserializationError'; message: string }
    | { kind: 'VMInvariantViolation'; message: string }
    | { kind: 'SuiMoveVerificationError'; message: string }
    | { kind: 'PublishErrorNonZeroAddress' }
    | { kind: 'PublishUpgradeMissingDependency' }
    | { kind: 'PublishUpgradeDependencyDowngrade' }
    | { kind: 'PackageUpgradeError'; error: UpgradeError; message: string }
    | { kind: 'UnusedValueWithoutDrop'; result: number; secondary: number }
    | { kind: 'InvalidPublicFunctionReturnType'; index: number }
    | { kind: 'NonEntryFunctionInvoked' }
    | { kind: 'InsufficientCoinBalance' }
    | { kind: 'CoinBalanceOverflow' }
    | { kind: 'SharedObjectOperationNotAllowed' }
    /** Sizes in bytes. */
    | { kind: 'MoveObjectTooBig'; size: number; maxSize: number }
    | { kind: 'MovePackageTooBig'; size: number; maxSize: number }
    | { kind: 'WrittenObjectsTooLarge'; size: number; maxSize: number }
    | { kind: 'EffectsTooLarge'; size: number; maxSize: number }
    | { kind: 'ArityMismatch'; message: string }
    | { kind: 'InvalidLinkage'; message: string }
    | { kind: 'Unsupported'; message: string };
}

/** Why an upgrade was refused, in the chain's words. */
export type UpgradeError =
  | { kind: 'IncompatibleUpgrade' }
  /** `digest`: of the modules and dependencies that were given. */
  | { kind: 'DigestDoesNotMatch'; digest: Uint8Array }
  | { kind: 'UnknownUpgradePolicy'; policy: number }
  | { kind: 'PackageIDDoesNotMatch'; packageId: string; ticketId: string };

export interface MoveLocation {
  packageId: string;
  module: string;
  functionIndex: number;
  functionName: string | undefined;
  /** Program counter of the failing instruction. */
  instruction: number;
}
