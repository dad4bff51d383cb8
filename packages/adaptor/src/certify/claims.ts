/**
 * The claims of a certificate. All of it is plain JSON, so that its canonical form can be hashed and compared.
 *
 * Spellings: addresses have `0x` and 64 lower-case hex digits, and packages are named by their original ids, as bytecode
 * names them. Types are in Move's syntax with `T0`, `T1` for the function's type parameters. Parameters count from 0, the
 * transaction context included.
 */

import type { PackageVersion } from './code/program.ts';
import type { NotReadReason } from './flow/site.ts';

export type { NotReadReason, PackageVersion };

/**
 * `cannot`: no execution of this code that succeeds does it, and for `gate`: nothing of the kind decides whether it
 * succeeds. An execution that aborts changes nothing, gas aside. `always`: each execution that succeeds and that moves
 * this money does it, with all of it. `may`: the code has a path that looks like it. `unread`: some code on the way was not read,
 * so nothing follows. `cannot` and `always` are only said when all code was read within the bounds.
 */
export type Verdict = 'cannot' | 'always' | 'may' | 'unread';

/** The position of a function in `Certificate.functions`, and the index of an instruction in its code. */
export type Site = [function: number, offset: number];

/** Calls from the certified function (first) down to the instruction that has the effect (last). */
export type CallPath = Site[];

/**
 * A place in stored state: the field of the innermost struct that is not of the framework, then what is below it.
 * `0x…::jar::Jar.owner`, `0x…::vault::Vault.shares[address]` for values of a table or other dynamic fields by key type,
 * `0x…::vault::Vault.queue[]` for items of a vector. `0x…::vault::Vault` alone is the whole value. A path that ends in
 * `.*` stands for all places below it.
 */
export type StatePath = string;

/** The source of a value that decides something. */
export type Origin =
  | { kind: 'argument'; parameter: number }
  | { kind: 'state'; path: StatePath }
  /** A number in decimal, an address, `true`, `false`, or bytes in hex with `0x`. */
  | { kind: 'constant'; value: string }
  | { kind: 'sender' }
  /** Time of the clock, or of the epoch. */
  | { kind: 'time' }
  /** Another value of the transaction: sponsor, gas price, epoch number, digest. */
  | { kind: 'transaction' }
  /** The address of the object that is passed as a parameter. */
  | { kind: 'objectId'; parameter: number }
  /** A new id, a random number, a hash: a value that the caller can neither choose nor predict. */
  | { kind: 'fresh' }
  /** A type argument, or its name. */
  | { kind: 'type' }
  | { kind: 'unread' };

/** The source of money or of an object. `wallet`, `argument` are the caller's; the others belong to the protocol. */
export type Source =
  /** The wallet that is passed as a parameter. */
  | { kind: 'wallet'; parameter: number }
  /** A coin or an object passed by value, or a coin or balance passed by a mutable reference. */
  | { kind: 'argument'; parameter: number }
  /** Stored in an object that is passed by reference and is not a wallet. */
  | { kind: 'state'; path: StatePath }
  /** Made in the call: minted coins, new objects. */
  | { kind: 'made' }
  /** Sent to an object before, and received by it in the call. */
  | { kind: 'received' }
  /** Withdrawn from the balance of an address. */
  | { kind: 'funds' }
  | { kind: 'unread' };

/** The place where money or an object ends. */
export type Sink =
  /** Stored in the wallet that is passed as a parameter. */
  | { kind: 'wallet'; parameter: number }
  /** Left in, or put into, a coin or balance that is passed by a mutable reference. */
  | { kind: 'argument'; parameter: number }
  /** Sent to the transaction's sender. */
  | { kind: 'sender' }
  /** Sent to an address that the caller passes. */
  | { kind: 'argumentAddress'; parameter: number }
  | { kind: 'constantAddress'; address: string }
  /** Sent to an address that is stored on chain. */
  | { kind: 'storedAddress'; path: StatePath }
  /** Sent to the address of an object that is passed as a parameter. */
  | { kind: 'objectAddress'; parameter: number }
  /** Sent to an address that is computed from these, or comes from elsewhere. */
  | { kind: 'computedAddress'; from: Origin[] }
  /** Stored in an object that is passed by reference and is not a wallet. */
  | { kind: 'kept'; path: StatePath }
  /** Returned to the transaction, whose author decides. `index` is the position of the result. */
  | { kind: 'returned'; index: number }
  | { kind: 'burned' }
  /** The object is taken apart. What it held is among the other claims. */
  | { kind: 'destroyed'; type: string }
  /** Made a shared object, or part of one. */
  | { kind: 'shared'; type: string }
  | { kind: 'frozen'; type: string }
  /** Handed to code that was not read. */
  | { kind: 'unread' };

/** A bound on an amount. `equal`: exactly the value. `all`: all that is there. `unbounded`: computed from these. */
export type Bound = { kind: 'equal'; to: Origin } | { kind: 'all' } | { kind: 'unbounded'; from: Origin[] };

/** A requirement on the caller of a function. */
export type Authority =
  /**
   * The caller holds an object of this type, which only `init` and holders of such objects can make, and which is not
   * shared.
   */
  | { kind: 'capability'; type: string }
  /** The sender equals the stored address, on every path. */
  | { kind: 'sender'; path: StatePath }
  /** The sender equals the address in the code, on every path. */
  | { kind: 'constantSender'; address: string }
  /** The code compares or looks up the sender in these fields. It may not do so on every path. */
  | { kind: 'checksSender'; paths: StatePath[] };

/** A callable function that may change a stored field of an existing object. */
export interface Writer {
  /** Position in `Certificate.functions`. */
  function: number;
  /** All that the caller needs, by position in `Certificate.authorities`. Empty: anyone may call it. */
  needs: number[];
  evidence: CallPath;
}

/** The functions that may change a stored field. */
export interface Writers {
  list: Writer[];
  /** `cannot`: no other function can. `unread`: some code that could was not read. */
  others: 'cannot' | 'unread';
}

/** Money or an object leaves the caller's wallet or an argument of the caller. */
export interface TakesClaim {
  kind: 'takes';
  verdict: 'may' | 'cannot' | 'unread';
  source: Extract<Source, { kind: 'wallet' | 'argument' }>;
  /** Type of the coin or the object; `?` if it is unknown. Absent for `cannot` and `unread`, which hold for all. */
  type?: string;
  /** One for each instruction that takes. Several are taken in addition to each other. */
  bounds: Bound[];
  /** True if an instruction that takes may run more than once in a call. */
  repeated: boolean;
  evidence: CallPath[];
}

/**
 * Money or an object ends somewhere. The pairs of source and sink are complete if the rest of this kind is `cannot`.
 * `always`: all that is taken from the source has this sink, on every path. `destroyed` does not count as another sink.
 */
export interface GoesToClaim {
  kind: 'goesTo';
  verdict: 'always' | 'may';
  source: Source;
  sink: Sink;
  type: string;
  /** Values of branches that decide whether this happens, without checks that abort. */
  decidedBy: Origin[];
  evidence: CallPath[];
}

/**
 * Money or an object comes to the caller: into the wallet, to the sender, or as a result. These flows are also among the
 * `goesTo` claims, with evidence there.
 */
export interface ComesBackClaim {
  kind: 'comesBack';
  verdict: 'may';
  sink: Extract<Sink, { kind: 'wallet' | 'argument' | 'sender' | 'returned' }>;
  type: string;
  sources: Source[];
}

/** A stored field that is read or written by executions that succeed. */
export interface TouchesClaim {
  kind: 'touches';
  verdict: 'may';
  access: 'reads' | 'writes';
  path: StatePath;
  evidence: CallPath;
}

/**
 * A value that decides whether the call aborts at an explicit abort. Not covered are errors of arithmetic and of natives, and
 * those of the framework's balances, supplies and dynamic fields, which lack what is taken or have what is added.
 */
export interface GateClaim {
  kind: 'gate';
  verdict: 'may';
  on: Origin;
  /** Position in `Certificate.writers`. Present for `state`, except for fields of the caller's wallet. */
  writers?: number;
  evidence: CallPath;
}

/**
 * A stored field that reaches an amount or a recipient of money, such as a fee or a treasury, or that decides by a branch
 * whether an amount is taken or money is sent.
 */
export interface SteersClaim {
  kind: 'steers';
  verdict: 'may';
  path: StatePath;
  reaches: 'amount' | 'recipient';
  /** Position in `Certificate.writers`. Present except for fields of the caller's wallet. */
  writers?: number;
  evidence: CallPath;
}

/** A check whose result is thrown away: a call of a function without effects that returns a bool. */
export interface DroppedCheckClaim {
  kind: 'droppedCheck';
  verdict: 'may';
  /** `0x<original id>::module::function` of the check. */
  check: string;
  evidence: CallPath;
}

/** A callable function of the package that gives away a value of a witness type, with which others can act as the service. */
export interface WitnessLeakClaim {
  kind: 'witnessLeak';
  verdict: 'may';
  witness: string;
  /** `0x<original id>::module::function`. */
  function: string;
}

/** The rights to change the package, as the caller of the analysis read them from the chain. */
export interface UpgradeFacts {
  /** `immutable`: there is no cap. `unknown`: it was not found. */
  policy: 'compatible' | 'additive' | 'dependency_only' | 'immutable' | 'unknown';
  /** The owner of the UpgradeCap, as far as it is known. */
  holder?: { kind: 'address' | 'object' | 'shared' | 'wrapped'; id: string };
  /** Number of versions before this one. They stay callable. */
  olderVersions: number;
}

/**
 * The package's future and past. `versionGates` are stored fields that must equal a constant of the code on every path
 * that does not abort, so that a change of the field disables this version.
 */
export interface UpgradeClaim {
  kind: 'upgrade';
  verdict: 'may' | 'cannot' | 'unread';
  facts?: UpgradeFacts;
  versionGates: StatePath[];
}

/** Code that was not read, or not far enough. Its effects are unknown. */
export interface NotReadClaim {
  kind: 'notRead';
  verdict: 'unread';
  reason: NotReadReason;
  /** The function or package, or the name of the bound. */
  what: string;
  evidence: CallPath;
}

/**
 * Closes a kind of claim, once for each kind but `upgrade` and `notRead`. `cannot`: there is nothing of this kind but
 * the claims in the list. `unread`: code that was not read may do more.
 */
export interface RestClaim {
  kind: 'takes' | 'goesTo' | 'comesBack' | 'touches' | 'gate' | 'steers' | 'droppedCheck' | 'witnessLeak';
  verdict: 'cannot' | 'unread';
  rest: true;
}

export type Claim =
  | TakesClaim
  | GoesToClaim
  | ComesBackClaim
  | TouchesClaim
  | GateClaim
  | SteersClaim
  | DroppedCheckClaim
  | WitnessLeakClaim
  | UpgradeClaim
  | NotReadClaim
  | RestClaim;

/** The claims of one function of one package version. The same input gives the same certificate. */
export interface Certificate {
  /** Version of the analysis. Certificates of different versions cannot be compared. */
  analysis: number;
  package: PackageVersion;
  module: string;
  function: string;
  /** Types of the parameters in Move's syntax. */
  parameters: string[];
  /** Packages whose code was read, sorted by original id. */
  closure: PackageVersion[];
  /** Sorted by kind in the order of `RestClaim`, then by their JSON. The rest of a kind comes after its claims. */
  claims: Claim[];
  /** The functions that call paths lead through, and writers: `0x<original id>::module::function`. */
  functions: string[];
  /** The writers of the fields that decide something. Fields with the same writers share them. */
  writers: Writers[];
  /** The requirements on writers. */
  authorities: Authority[];
}
