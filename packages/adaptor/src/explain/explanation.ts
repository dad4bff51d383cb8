/**
 * The explanation of a transaction for its signers. All of it is plain JSON. Addresses have `0x` and 64 lower-case hex digits, types
 * are in the chain's spelling, amounts are in base units and in decimal, and commands count from 0.
 */

/** An owner of money: an address, or an object such as a wallet. */
export type Holder = { kind: 'address'; address: string } | { kind: 'object'; id: string };

/**
 * `always`: if the transaction succeeds, it does this. `may`: its code has a path that looks like it. `unread`: code that was not
 * read gets it, so it may do this or anything else with it.
 */
export type Likelihood = 'always' | 'may' | 'unread';

export type Destination =
  | { kind: 'address'; address: string }
  /** An object that the transaction names, which holds it then. */
  | { kind: 'object'; id: string }
  /** An address that is stored on chain, in the field. */
  | { kind: 'storedAddress'; path: string }
  /** An address that is calculated, or comes out of a call. */
  | { kind: 'computedAddress' }
  /** Stored in this field of an object that the call changes. */
  | { kind: 'kept'; path: string }
  | { kind: 'shared'; type: string }
  | { kind: 'frozen'; type: string }
  | { kind: 'burned' }
  /** The object is taken apart. Money in it is among the other claims. */
  | { kind: 'destroyed' }
  | { kind: 'unread' };

/** A destination, with the commands that lead to it. */
export interface Route {
  to: Destination;
  /** Type of the object that the money is put into, and that goes there. Absent for money on its own. */
  within?: string;
  likelihood: Likelihood;
  commands: number[];
}

/** Money that leaves a holder. No more of this type leaves it, in all commands together. */
export interface LeavesClaim {
  holder: Holder;
  /** Type of the coin, or of another value in an object. `?` if it is unknown. */
  type: string;
  /** Null: no bound is known but all that the holder has. */
  atMost: string | null;
  routes: Route[];
}

/** The origin of money or an object that arrives. */
export type Provenance =
  | Holder
  /** Stored in this object, which is not a wallet. */
  | { kind: 'protocol'; id: string }
  /** Made in the transaction. */
  | { kind: 'made' }
  | { kind: 'unread' };

/** Money or an object that comes to a signer, to a wallet, or to an object of a signer. */
export interface ArrivesClaim {
  holder: Holder;
  type: string;
  /** The least amount of it if the transaction succeeds. It is 0 if no command fixes an amount. */
  atLeast: string;
  from: Provenance[];
  commands: number[];
}

/** An object of a signer, or one that an object received, that changes its owner or ends. */
export interface ObjectClaim {
  id: string;
  type: string;
  holder: Holder;
  routes: Route[];
}

/**
 * Stored fields that calls may write in a wallet, or in an object of a signer. A right that others can
 * use later, such as a grant, is in such a field. Beside claims of code that was not read, it is incomplete.
 */
export interface ChangesClaim {
  id: string;
  type: string;
  /** Names of certificates, such as `0x<original id>::wallet::Wallet.grants`: the first ones in alphabetical order. */
  fields: string[];
  /** Number of fields that are not in `fields`. */
  otherFields: number;
  commands: number[];
}

/**
 * An object that the transaction names at another version than the node has. `older`, `content` (another digest of the same
 * version) and `shared` (another version at which it was shared): the network refuses the transaction. `newer`: the node is
 * behind, and the state that was read is not the one in which the transaction runs.
 */
export interface VersionClaim {
  id: string;
  named: string;
  found: string;
  kind: 'older' | 'newer' | 'content' | 'shared';
}

/** An object that was sent to another object, and that the transaction names to receive it there. */
export interface ReceivesClaim {
  id: string;
  type: string;
  /** Object that it was sent to. */
  from: string;
  /** Empty: it stays there. */
  routes: Route[];
}

/** Changes that upgrades may make: to all code, additions alone, or other versions of dependencies alone. */
export type UpgradePolicy = 'compatible' | 'additive' | 'dependencies';

/** A package that the transaction publishes. */
export interface PublishClaim {
  command: number;
  /** Names of its modules; `?` for one that is not valid bytecode. */
  modules: string[];
  /** Changes that the holder of the UpgradeCap may make. */
  policy: UpgradePolicy;
  /** Routes of the UpgradeCap. Empty: they are not known. `destroyed`: no upgrade is possible. */
  cap: Route[];
}

/** A version that the transaction adds to a package. */
export interface UpgradeClaim {
  command: number;
  /** Version of the package that is upgraded. */
  package: string;
  modules: string[];
  /** Changes that its ticket allows. Null: another package made the ticket, or its policy is not known. */
  policy: UpgradePolicy | null;
  /** The UpgradeCap that the ticket is from. Null: it is not known, or made in the transaction. */
  cap: { id: string; holder: Holder | null } | null;
}

/** The budget for gas, which the payer pays in SUI beside all that leaves. */
interface GasClaim {
  payer: string;
  /** Null if the transaction does not set it yet. */
  atMost: string | null;
}

/** A right to upgrade a package. `none`: the publication left none. `unread`: it was not read. */
export type UpgradeRight =
  | { kind: 'address'; address: string }
  | { kind: 'none'; reason: string }
  | { kind: 'unread'; reason: string };

/**
 * A package that the transaction calls. Its code cannot change after the signature, because calls name a version. A new version can
 * change the objects that both use.
 */
export interface PackageClaim {
  id: string;
  originalId: string;
  version: string;
  upgrade: UpgradeRight;
}

/** A sentence about a call that someone else can influence, from the certificate of its function. */
export interface CallClaim {
  command: number;
  kind: 'steers' | 'droppedCheck';
  text: string;
}

/** A part of the transaction that could not be read. */
export interface NotReadClaim {
  /** Absent for an input. */
  command?: number;
  /** A function, or the id of an object. */
  what: string;
  reason: string;
}

/** A statement in words, with the claim that it is about. */
export interface ExplanationSentence {
  kind:
    | 'versions'
    | 'leaves'
    | 'objects'
    | 'changes'
    | 'receives'
    | 'publishes'
    | 'upgrades'
    | 'arrives'
    | 'rest'
    | 'gas'
    | 'packages'
    | 'calls'
    | 'notRead';
  /** `cannot`: it excludes something. `always`, `may`, `unread`: see `Likelihood`. */
  verdict: 'cannot' | Likelihood;
  text: string;
}

export interface Explanation {
  /** Version of the analysis of certificates. */
  analysis: number;
  sender: string;
  versions: VersionClaim[];
  leaves: LeavesClaim[];
  arrives: ArrivesClaim[];
  objects: ObjectClaim[];
  changes: ChangesClaim[];
  receives: ReceivesClaim[];
  publishes: PublishClaim[];
  upgrades: UpgradeClaim[];
  gas: GasClaim;
  /**
   * `cannot`: nothing leaves a signer or a wallet but what is listed. `unread`: an input was not read, and more may leave.
   */
  rest: 'cannot' | 'unread';
  packages: PackageClaim[];
  calls: CallClaim[];
  notRead: NotReadClaim[];
  sentences: ExplanationSentence[];
}
