import type { Ability } from './code/move-type.ts';
import type { IntentMode } from './flow/summary.ts';

/** The role of a function's argument: the roles of a call spec, and `ctx`, which callers never provide. */
export type ParamRole = 'wallet' | 'amount' | 'minOut' | 'object' | 'clock' | 'pure' | 'ctx';

/**
 * The confidence of a guess. `high`: the type decides it, or the bytecode passes the very value on to where it is used
 * so. `medium`: the value that the bytecode passes on is computed from it. `low`: only the position suggests it.
 */
export type Confidence = 'high' | 'medium' | 'low';

/** A parameter of an introspected function. */
export interface IntrospectedParam {
  /**
   * Type in Move's syntax with full addresses: `&mut 0x…::wallet::Wallet`, `u64`, `T0` for the first type parameter.
   */
  typeStr: string;
  /** The type without its reference. */
  type: string;
  reference: 'none' | 'immutable' | 'mutable';
  role: ParamRole;
  confidence: Confidence;
  /** A word for the meaning of a pure value: the name of the field that the bytecode puts it into. */
  name?: string;
  /** Type of the coin that an `amount` or a `minOut` counts, if it is known (`T0` or a Move type). */
  coin?: string;
  /** Id of an object that has the same address on every network, such as the system state. */
  objectId?: string;
}

/** A type parameter of an introspected function. */
export interface IntrospectedTypeParam {
  /** Abilities that a type argument must have. */
  constraints: Ability[];
  /**
   * `coinIn`: the only coin that the op takes out of the wallet; `coinOut`: the only other one that it brings in. The
   * data flow decides. Absent for others, also if several coins go the same way.
   */
  role?: 'coinIn' | 'coinOut';
}

/** The reason why a transaction cannot make the call by itself. */
export interface NotExecutableReason {
  code:
    | 'not_callable'
    | 'needs_public'
    | 'takes_random'
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

/** An introspected function of a package. */
export interface IntrospectedOp {
  module: string;
  /** Function name. */
  entry: string;
  /** `0x<requested package>::module::function`. */
  fqn: string;
  visibility: 'public' | 'friend' | 'private';
  isEntry: boolean;
  touchesWallet: boolean;
  /** True if a call with only fixed objects and plain values is a whole transaction. */
  executable: boolean;
  /** Present exactly if `executable` is false. */
  reason?: NotExecutableReason;
  /** Number of parameters, including the transaction context. */
  paramCount: number;
  typeParamCount: number;
  params: IntrospectedParam[];
  typeParams: IntrospectedTypeParam[];
  /** Present if the op takes money through an intent, and always in the same mode. */
  intentMode?: IntentMode;
  /** Types of the coins that leave the wallet (`T0` or a Move type), without repetition. */
  coinsIn: string[];
  /** Types of the coins that come into the wallet. */
  coinsOut: string[];
  /** True if the op opens, stores or takes back an asset that the wallet holds for the service. */
  movesAsset: boolean;
  /**
   * Types of the witnesses that act in the wallet, without repetition. Absent if one is not known, such as that of a
   * type parameter.
   */
  services?: string[];
}

/**
 * The reason why a grant to a service with this witness is a risk, or impossible. `witness_returned`: others can take a
 * value of it out of the package. `witness_has_more_than_drop`: a value can be copied or stored. `witness_not_usable`:
 * the contracts refuse it. `witness_unchecked`: the bytecode was not read, so any of these may apply.
 */
export interface WitnessWarning {
  code: 'witness_returned' | 'witness_has_more_than_drop' | 'witness_not_usable' | 'witness_unchecked';
  /** Sentences that name the problem, and what the publisher must do. */
  detail: string;
}

/** A struct that names a service, and the risks of granting to it. */
export interface IntrospectedWitness {
  module: string;
  name: string;
  /** Canonical type with the id of the package version that first defined it. */
  serviceType: string;
  warnings: WitnessWarning[];
}

/** Two functions of one transaction: a transaction that calls `begin` must call `finish`. */
export interface HotPotato {
  /** Type of the hot potato in Move's syntax, with the type parameters of `begin`. */
  type: string;
  /** `module::function` that returns it. */
  begin: string;
  /** `module::function` that takes it by value. */
  finish: string;
}

/** A package's interface, from its bytecode. */
export interface Introspection {
  witnesses: IntrospectedWitness[];
  /** In the order of the modules' names, then of each module's definitions. */
  ops: IntrospectedOp[];
  /** Values that can be neither stored nor dropped, with the functions that make and take each. */
  hotPotatoes: HotPotato[];
  modules: string[];
}
