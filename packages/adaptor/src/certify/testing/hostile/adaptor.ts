import type { CodeJson } from '@adaptor-marketplace/move-bytecode';
import type { ClaimPattern } from './pattern.ts';

/** The two forms of an adaptor: with the planted behaviour, and the same program without it. */
export type Variant = 'hostile' | 'honest';

/** A small adaptor with one planted behaviour, and its honest twin. */
export interface HostileAdaptor {
  /** Also the name of its module. */
  name: string;
  /** The planted behaviour, in a sentence. */
  plant: string;
  /** The function whose certificate shows the plant. */
  op: string;
  /** Writes the Move source of its modules, by their names. That of the op is `module`; others start with its name. */
  write(module: string, variant: Variant): Record<string, string>;
  /** Changes the compiled code of the op, but not of the twin's, to what no compiler emits. */
  rewrite?(code: CodeJson['code']): void;
  /** The claim that shows the plant. */
  claim: (names: Names) => ClaimPattern;
  /**
   * `present`: the certificate has the claim, and that of the twin has not. `absent`: the plant is that something is
   * missing, so the twin has the claim and the certificate has not.
   */
  shownBy: 'present' | 'absent';
  /** The function with the planted instruction, which the evidence of the claim reaches. Absent if there is none. */
  at?: (names: Names) => string;
}

/** Full names, as claims have them: `0x…::module` of the adaptor, and the addresses of packages. */
export interface Names {
  self: string;
  hostile: string;
  accomplice: string;
  wallet: string;
}
