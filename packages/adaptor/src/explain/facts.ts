import type { Certificate } from '../certify/index.ts';
import type { UpgradeRight } from './explanation.ts';

/** An object as the chain has it. */
export interface ObjectFact {
  id: string;
  /** In the chain's spelling. */
  type: string;
  owner:
    | { kind: 'address'; address: string }
    | { kind: 'object'; id: string }
    /** `initialVersion`: the version at which it was shared. Absent if it was not read. */
    | { kind: 'shared'; initialVersion?: string | undefined }
    | { kind: 'immutable' };
  /** Absent if it was not read. */
  version?: string | undefined;
  /** Absent if it was not read. */
  digest?: string | undefined;
  /** Base units in a coin. */
  balance?: bigint | undefined;
}

/** The certificate of a called function, or the reason why it has none. */
export type FunctionFact =
  | {
      certificate: Certificate;
      /** Ids that the chain spells a type with, by `0x<original id>::module::Name`, where they are not the original ids. */
      typeOrigins: ReadonlyMap<string, string>;
    }
  | { reason: string };

/** The parts of the chain that an explanation depends on. */
export interface ExplainFacts {
  /** Objects by id. One that is missing is not on the chain. */
  objects: ReadonlyMap<string, ObjectFact>;
  /** Functions by `functionKey`. */
  functions: ReadonlyMap<string, FunctionFact>;
  /** Rights by the id of a called package. One that is missing was not read. */
  upgrades: ReadonlyMap<string, UpgradeRight>;
}
