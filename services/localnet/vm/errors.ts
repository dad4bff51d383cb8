/**
 * Why Move code stopped. `abort` carries the code's own number; `arithmetic` and `vector` are the chain's
 * MovePrimitiveRuntimeError; `verification` is bytecode that breaks a rule or lies about itself; `unsupported`
 * names a native that this network does not have.
 */
export type VmErrorKind =
  | 'abort'
  | 'arithmetic'
  | 'vector'
  | 'primitive'
  | 'gas'
  | 'limit'
  | 'verification'
  | 'functionNotFound'
  | 'typeNotFound'
  | 'constraint'
  | 'unsupported';

/** Where it stopped: the storage id of the package, and the program counter in the function. */
export interface VmLocation {
  packageId: string;
  module: string;
  functionIndex: number;
  functionName: string;
  instruction: number;
}

export class VmError extends Error {
  readonly kind: VmErrorKind;
  /** The abort code, or the sub-status of a vector error; otherwise 0n. */
  readonly code: bigint;
  /** Set once by the interpreter, at the innermost frame. */
  location: VmLocation | undefined;

  constructor(kind: VmErrorKind, message: string, code = 0n) {
    super(message);
    this.name = 'VmError';
    this.kind = kind;
    this.code = code;
  }
}

/** Bytecode that breaks a rule of the bytecode format or of the verifier. */
export function verificationError(message: string): VmError {
  return new VmError('verification', message);
}

/** An abort raised by a native, with the code that the framework documents for it. */
export function abortError(code: number, message: string): VmError {
  return new VmError('abort', message, BigInt(code));
}

/** The element of a table that bytecode points into; an index out of its bounds is a lie of the bytecode. */
export function entry<T>(table: readonly T[], index: number, what: string): T {
  const found = table[index];
  if (found === undefined) throw verificationError(`${what} ${index} does not exist`);
  return found;
}
