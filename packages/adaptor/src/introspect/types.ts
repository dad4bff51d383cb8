import type { Ability } from './code/move-type.ts';
import type { IntentMode } from './flow/summary.ts';

/** What an argument of a function is for; the roles of a call spec, and `ctx`, which no caller gives. */
export type ParamRole = 'wallet' | 'amount' | 'minOut' | 'object' | 'clock' | 'pure' | 'ctx';

/**
 * How much stands behind a guess. `high`: the type settles it, or the bytecode hands the very value on to where it is
 * used so. `medium`: what is handed on is computed from it. `low`: the position alone.
 */
export type Confidence = 'high' | 'medium' | 'low';

export interface IntrospectedParam {
  /** As Move writes it, addresses in full: `&mut 0x…::wallet::Wallet`, `u64`, `T0` for the first type parameter. */
  typeStr: string;
  /** The type without its reference. */
  type: string;
  reference: 'none' | 'immutable' | 'mutable';
  role: ParamRole;
  confidence: Confidence;
  /** Of pure values: a word for what they mean, where the bytecode puts them into a field of that name. */
  name?: string;
  /** Of `amount` and `minOut`: the type of the coin that it counts, where known (`T0` or a Move type). */
  coin?: string;
  /** Of objects that have one fixed address on every network, such as the system state. */
  objectId?: string;
}

export interface IntrospectedTypeParam {
  /** Abilities that a type must have to stand here. */
  constraints: Ability[];
  /**
   * `coinIn`: the only coin that the op takes out of the wallet; `coinOut`: the only other one that it brings in. By
   * the data flow. Absent for others, also where several coins go the same way.
   */
  role?: 'coinIn' | 'coinOut';
}

/** Why a transaction cannot make the call by itself. */
export interface NotExecutable {
  code:
    | 'not_callable'
    | 'needs_public'
    | 'returns_value'
    | 'returns_hot_potato'
    | 'returns_reference'
    | 'takes_hot_potato'
    | 'takes_value'
    | 'takes_owned_object'
    | 'takes_generic_value'
    | 'takes_mutable_clock';
  /** A sentence that names the argument. */
  detail: string;
}

export interface IntrospectedOp {
  module: string;
  /** Function name. */
  entry: string;
  /** `0x<package asked for>::module::function`. */
  fqn: string;
  visibility: 'public' | 'friend' | 'private';
  isEntry: boolean;
  touchesWallet: boolean;
  /** Whether a call with fixed objects and plain values alone is a whole transaction. */
  executable: boolean;
  /** Present exactly where `executable` is false. */
  reason?: NotExecutable;
  /** Parameters, the transaction context among them. */
  paramCount: number;
  typeParamCount: number;
  params: IntrospectedParam[];
  typeParams: IntrospectedTypeParam[];
  /** Where the op takes money through an intent, and always in the same mode. */
  intentMode?: IntentMode;
  /** Types of the coins that leave the wallet (`T0` or a Move type), without repetition. */
  coinsIn: string[];
  /** Types of the coins that come into the wallet. */
  coinsOut: string[];
  /** Whether the op opens, keeps or takes back an asset that the wallet holds for the service. */
  movesAsset: boolean;
}

/**
 * Why granting to a service by this witness is a risk, or impossible. `witness_returned`: others can take a value of it
 * out of the package. `witness_has_more_than_drop`: a value can be copied or stored. `witness_not_usable`: the
 * contracts refuse it. `witness_unchecked`: the bytecode was not read, so any of these may apply.
 */
export interface WitnessWarning {
  code: 'witness_returned' | 'witness_has_more_than_drop' | 'witness_not_usable' | 'witness_unchecked';
  /** What it is, and what the publisher has to do. */
  detail: string;
}

export interface IntrospectedWitness {
  module: string;
  name: string;
  /** With the id of the package version that first defined it. */
  serviceType: string;
  warnings: WitnessWarning[];
}

/** Two functions that belong together: a transaction that calls the one must call the other. */
export interface HotPotato {
  /** As Move writes it, with the type parameters of `begin`. */
  type: string;
  /** `module::function` that returns it. */
  begin: string;
  /** `module::function` that takes it by value. */
  finish: string;
}

/** What a package offers, read off its bytecode. */
export interface Introspection {
  witnesses: IntrospectedWitness[];
  /** In the order of the modules' names, and of each module's definitions. */
  ops: IntrospectedOp[];
  /** Values that can be neither kept nor dropped, with what makes and what takes each. */
  hotPotatoes: HotPotato[];
  modules: string[];
}
