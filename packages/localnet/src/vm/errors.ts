/**
 * Why Move code stopped. `abort` carries the code's own number; `arithmetic` and `vector` are the chain's
 * MovePrimitiveRuntimeError; `verification` is bytecode that breaks a rule of Move or lies about itself,
 * `suiVerification` one that breaks a rule which Sui adds; `invariant` is a state that verified bytecode cannot
 * reach; `unsupported` names a native that this network does not have.
 */
type VmErrorKind =
  | 'abort'
  | 'arithmetic'
  | 'vector'
  | 'primitive'
  | 'gas'
  | 'limit'
  | 'verification'
  | 'suiVerification'
  | 'invariant'
  | 'functionNotFound'
  | 'typeNotFound'
  | 'constraint'
  | 'unsupported';

/** Where it stopped: the storage id of the package, and the program counter in the function. */
interface VmLocation {
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

/** Bytecode that is refused. */
export class VerificationError extends VmError {
  /** The Move VM's name for the reason, which begins the message; the rules that Sui adds have none. */
  readonly status: string | undefined;
  readonly #detail: string;

  constructor(status: string | undefined, detail: string) {
    super(
      status === undefined ? 'suiVerification' : 'verification',
      status === undefined ? detail : `${status}: ${detail}`,
    );
    this.status = status;
    this.#detail = detail;
  }

  /** The same with the place of what is wrong. */
  at(place: string): VerificationError {
    return new VerificationError(this.status, `${place}: ${this.#detail}`);
  }
}

/** Bytecode that breaks a rule of the format or of Move. `status`: the Move VM's major status, as `ZERO_SIZED_STRUCT`. */
export function verificationError(status: string, detail: string): VerificationError {
  return new VerificationError(status, detail);
}

/** Bytecode that breaks a rule of Sui's own verifier. */
export function suiVerificationError(detail: string): VerificationError {
  return new VerificationError(undefined, detail);
}

/** A state that verified bytecode cannot reach. */
export function brokenInvariant(message: string): VmError {
  return new VmError('invariant', message);
}

/** An abort raised by a native, with the code that the framework documents for it. */
export function abortError(code: number, message: string): VmError {
  return new VmError('abort', message, BigInt(code));
}

/** The element of a table that bytecode points into. */
export function entry<T>(table: readonly T[], index: number, what: string): T {
  const found = table[index];
  if (found === undefined) throw verificationError('INDEX_OUT_OF_BOUNDS', `${what} ${index} does not exist`);
  return found;
}
