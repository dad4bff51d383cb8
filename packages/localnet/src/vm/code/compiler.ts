import { entry, type VerificationError, verificationError } from '../errors.ts';
import type { LoadedFunction, LoadedModule } from '../loader/module.ts';
import type { VerifierMeter } from '../meter.ts';
import type { Step } from '../runtime/machine.ts';
import {
  type DatatypeType,
  fieldTypesOf,
  hasAbility,
  isInteger,
  type ReferenceType,
  sameType,
  type Type,
  typeNodes,
} from '../types.ts';
import { mismatchStatus } from './mismatch.ts';

/** The chain's bounds on what waits on the operand stack and what one block puts there. */
const MAX_STACK = 1024;
const MAX_PUSHES = 10_000;

/** Checks one instruction against the types on the stack and makes it ready to run. */
export type Emit = (compiler: FunctionCompiler, operand: unknown) => Step;

/** The operand stack, in types, while a function's code is gone through once from top to bottom. */
export class FunctionCompiler {
  readonly fn: LoadedFunction;
  readonly module: LoadedModule;
  readonly constraints: readonly number[];
  readonly #meter: VerifierMeter | undefined;
  readonly #stack: Type[] = [];
  #pushes = 0;
  #instruction = 'Nop';

  /** `meter` bounds the work with types; what was verified before needs none. */
  constructor(fn: LoadedFunction, meter?: VerifierMeter) {
    this.fn = fn;
    this.module = fn.module;
    this.constraints = fn.constraints;
    this.#meter = meter;
  }

  /** Tells which instruction is next, for the status of what is wrong with it. */
  begin(instruction: string): void {
    this.#instruction = instruction;
  }

  beginBlock(): void {
    this.#pushes = 0;
  }

  mismatch(detail: string): VerificationError {
    return verificationError(mismatchStatus(this.#instruction), detail);
  }

  get isEmpty(): boolean {
    return this.#stack.length === 0;
  }

  push(...types: Type[]): void {
    this.#stack.push(...types);
    this.#pushes += types.length;
    if (this.#stack.length > MAX_STACK) {
      throw verificationError('VALUE_STACK_OVERFLOW', `more than ${MAX_STACK} values on the stack`);
    }
    if (this.#pushes > MAX_PUSHES) {
      throw verificationError('VALUE_STACK_PUSH_OVERFLOW', `more than ${MAX_PUSHES} values in one block`);
    }
    if (this.#meter !== undefined) for (const type of types) this.#meter.charge(typeNodes(type));
  }

  pop(): Type {
    const type = this.#stack.pop();
    if (type === undefined) {
      throw verificationError(
        'NEGATIVE_STACK_SIZE_WITHIN_BLOCK',
        'an instruction takes a value that is not there',
      );
    }
    return type;
  }

  expect(type: Type): void {
    if (!sameType(this.pop(), type)) throw this.mismatch(`a ${type.kind} was expected on the stack`);
  }

  /** Pops the types in reverse: the last one is on top. */
  expectAll(types: readonly Type[]): void {
    for (let i = types.length - 1; i >= 0; i -= 1) this.expect(types[i]!);
  }

  popInteger() {
    const type = this.pop();
    if (!isInteger(type)) throw this.mismatch('an integer was expected on the stack');
    return type;
  }

  popReference(): ReferenceType {
    const type = this.pop();
    if (type.kind !== 'reference') throw this.mismatch('a reference was expected on the stack');
    return type;
  }

  /** Pops a reference to `type`; a mutable one where it is written through. */
  expectReference(type: Type, mutable: boolean): void {
    const reference = this.popReference();
    if (!sameType(reference.to, type)) throw this.mismatch('a reference to another type was expected');
    if (mutable && !reference.mutable) throw this.mismatch('a mutable reference was expected');
  }

  /** Throws with `status` unless values of the type can do what the instruction does to them. */
  require(type: Type, ability: number, status: string): void {
    if (!hasAbility(type, ability)) throw verificationError(status, 'the type lacks an ability');
  }

  /** An index that the deserializer found to be within its table. */
  index(operand: unknown): number {
    return Number(operand);
  }

  local(operand: unknown): { index: number; type: Type } {
    const index = this.index(operand);
    return { index, type: entry(this.fn.locals, index, 'local') };
  }

  /** The types of a signature that instantiates something; no reference can be among them. */
  typeArguments(signature: number): Type[] {
    const types = this.module.signature(signature, this.constraints);
    if (types.some((type) => type.kind === 'reference')) {
      throw verificationError('INVALID_SIGNATURE_TOKEN', 'a reference cannot be a type argument');
    }
    return types;
  }

  /** The only type of a signature, as the vector instructions name their element. */
  singleType(operand: unknown): Type {
    const [type, ...more] = this.typeArguments(this.index(operand));
    if (type === undefined || more.length > 0) {
      throw verificationError('NUMBER_OF_TYPE_ARGUMENTS_MISMATCH', 'one element type was expected');
    }
    return type;
  }

  /** Types of the fields of a datatype, per variant. */
  fieldsOf(type: DatatypeType): Type[][] {
    const fields = fieldTypesOf(type);
    if (this.#meter === undefined) return fields;
    for (const variant of fields) for (const field of variant) this.#meter.charge(typeNodes(field));
    return fields;
  }

  /** The struct or enum behind a definition of this module, instantiated with the types of a signature. */
  ownDatatype(handle: number, typeArguments: number | undefined): DatatypeType {
    const args = typeArguments === undefined ? [] : this.typeArguments(typeArguments);
    return this.module.instantiate(this.module.datatypeAt(handle), args);
  }
}
