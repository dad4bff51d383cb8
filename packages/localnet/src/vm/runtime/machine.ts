import { brokenInvariant, VmError } from '../errors.ts';
import type { Meter } from '../meter.ts';
import type { Type } from '../types.ts';
import { ByteVector, type Ref, StructValue, type Value, VariantValue, VectorValue } from '../values.ts';
import type { Session } from './session.ts';

/** A compiled instruction: operands and types are already resolved. */
export type Step = (machine: Machine, frame: Frame) => void;

/** A function that Move code declares as `native`. Returns its return values in order. */
export type Native = (machine: Machine, args: Value[], typeArgs: readonly Type[]) => Value[];

/** A linked function, as the machine runs it. */
export interface Callee {
  /** Compiled on first use; not read for a native. */
  readonly code: Step[];
  /** Undefined for a native that this network does not support. */
  readonly native: Native | undefined;
  /** Resolves the function handles of the code. */
  readonly linked: { callee(handle: number): Callee };
  readonly fn: {
    readonly name: string;
    readonly index: number;
    readonly isNative: boolean;
    /** Parameters first, then what the body declares. */
    readonly locals: readonly Type[];
    readonly parameters: readonly Type[];
    readonly returns: readonly Type[];
    readonly module: {
      readonly address: string;
      readonly name: string;
      readonly package: { readonly id: string };
    };
  };
}

/** The chain's bounds on nested calls and on values waiting on the operand stack. */
const MAX_CALL_DEPTH = 1024;
const MAX_STACK = 1024;

/** What a native costs at least, in units. */
const NATIVE_UNITS = 10;

export class Frame {
  readonly callee: Callee;
  readonly code: Step[];
  readonly locals: (Value | undefined)[];
  readonly typeArgs: readonly Type[];
  readonly caller: Frame | undefined;
  /** Next instruction. */
  pc = 0;

  constructor(
    callee: Callee,
    locals: (Value | undefined)[],
    typeArgs: readonly Type[],
    caller: Frame | undefined,
  ) {
    this.callee = callee;
    this.code = callee.code;
    this.locals = locals;
    this.typeArgs = typeArgs;
    this.caller = caller;
  }
}

/**
 * Runs functions of one transaction. Code was verified when it was published, so steps check only what shows
 * while running: limits, gas, and what the code itself aborts for.
 */
export class Machine {
  readonly meter: Meter;
  readonly session: Session;
  readonly stack: Value[] = [];
  #frame: Frame | undefined;
  #native: Callee | undefined;
  #depth = 0;

  constructor(meter: Meter, session: Session) {
    this.meter = meter;
    this.session = session;
  }

  /** Calls a function from outside; throws VmError with its location. Type arguments must be checked before. */
  run(callee: Callee, typeArgs: readonly Type[], args: Value[]): Value[] {
    this.stack.length = 0;
    this.#frame = undefined;
    this.#native = undefined;
    this.#depth = 0;
    for (const arg of args) this.stack.push(arg);
    try {
      this.call(callee, typeArgs);
      this.#loop();
    } catch (error) {
      throw this.#located(error, callee);
    }
    return this.stack.splice(0);
  }

  call(callee: Callee, typeArgs: readonly Type[]): void {
    const { fn } = callee;
    if (fn.isNative) {
      this.#callNative(callee, typeArgs);
      return;
    }
    this.#depth += 1;
    if (this.#depth > MAX_CALL_DEPTH)
      throw new VmError('limit', `calls are nested deeper than ${MAX_CALL_DEPTH}`);
    if (this.stack.length > MAX_STACK)
      throw new VmError('limit', `more than ${MAX_STACK} values on the stack`);
    const locals = new Array<Value | undefined>(fn.locals.length).fill(undefined);
    for (let i = fn.parameters.length - 1; i >= 0; i -= 1) locals[i] = this.stack.pop();
    this.#frame = new Frame(callee, locals, typeArgs, this.#frame);
  }

  ret(frame: Frame): void {
    this.#frame = frame.caller;
    this.#depth -= 1;
  }

  // The kinds of containers are looked at all the same: it costs next to nothing, and should the verifier ever let
  // wrong code pass, it stops here rather than change a value of another type.

  popVector(): VectorValue | ByteVector {
    const value = this.stack.pop();
    if (value instanceof VectorValue || value instanceof ByteVector) return value;
    throw brokenInvariant('a vector was expected');
  }

  popStruct(): StructValue {
    const value = this.stack.pop();
    if (value instanceof StructValue) return value;
    throw brokenInvariant('a struct was expected');
  }

  popVariant(): VariantValue {
    const value = this.stack.pop();
    if (value instanceof VariantValue) return value;
    throw brokenInvariant('an enum was expected');
  }

  popRef(): Ref {
    return this.stack.pop() as Ref;
  }

  #loop(): void {
    const { meter } = this;
    for (let frame = this.#frame; frame !== undefined; frame = this.#frame) {
      meter.charge(1);
      const step = frame.code[frame.pc]!;
      frame.pc += 1;
      step(this, frame);
    }
  }

  #callNative(callee: Callee, typeArgs: readonly Type[]): void {
    const { module, name, parameters } = callee.fn;
    const { native } = callee;
    if (native === undefined) {
      throw new VmError(
        'unsupported',
        `native function ${module.address}::${module.name}::${name} is not supported`,
      );
    }
    this.meter.charge(NATIVE_UNITS);
    const args = parameters.length === 0 ? [] : this.stack.splice(-parameters.length);
    // What a native aborts with lies in the native itself, as on chain.
    this.#native = callee;
    for (const value of native(this, args, typeArgs)) this.stack.push(value);
    this.#native = undefined;
  }

  #located(error: unknown, entryPoint: Callee): unknown {
    const failure =
      error instanceof RangeError
        ? new VmError('limit', `the value or call is too large: ${error.message}`)
        : error;
    if (failure instanceof VmError && failure.location === undefined) {
      const { fn } = this.#native ?? this.#frame?.callee ?? entryPoint;
      const next = this.#native === undefined ? (this.#frame?.pc ?? 1) : 1;
      failure.location = {
        packageId: fn.module.package.id,
        module: fn.module.name,
        functionIndex: fn.index,
        functionName: fn.name,
        instruction: Math.max(0, next - 1),
      };
    }
    return failure;
  }
}
