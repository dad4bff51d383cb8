import { entry, verificationError } from '../errors.ts';
import type { LoadedFunction } from '../loader/function.ts';
import type { LoadedModule } from '../loader/module.ts';
import type { Step } from '../machine.ts';
import {
  type DatatypeType,
  hasAbility,
  isInteger,
  type ReferenceType,
  sameType,
  type Type,
} from '../types.ts';

/** Checks one instruction against the types on the stack and makes it ready to run. */
export type Emit = (compiler: FunctionCompiler, operand: unknown) => Step;

/** The operand stack, in types, while a function's code is gone through once from top to bottom. */
export class FunctionCompiler {
  readonly fn: LoadedFunction;
  readonly module: LoadedModule;
  readonly constraints: readonly number[];
  readonly codeLength: number;
  readonly #stack: Type[] = [];

  constructor(fn: LoadedFunction, codeLength: number) {
    this.fn = fn;
    this.module = fn.module;
    this.constraints = fn.constraints;
    this.codeLength = codeLength;
  }

  get isEmpty(): boolean {
    return this.#stack.length === 0;
  }

  push(...types: Type[]): void {
    this.#stack.push(...types);
  }

  pop(): Type {
    const type = this.#stack.pop();
    if (type === undefined) throw verificationError('an instruction takes a value that is not there');
    return type;
  }

  expect(type: Type): void {
    if (!sameType(this.pop(), type)) throw verificationError(`a ${type.kind} was expected on the stack`);
  }

  /** Pops the types in reverse: the last one is on top. */
  expectAll(types: readonly Type[]): void {
    for (let i = types.length - 1; i >= 0; i -= 1) this.expect(types[i]!);
  }

  popInteger() {
    const type = this.pop();
    if (!isInteger(type)) throw verificationError('an integer was expected on the stack');
    return type;
  }

  popReference(): ReferenceType {
    const type = this.pop();
    if (type.kind !== 'reference') throw verificationError('a reference was expected on the stack');
    return type;
  }

  /** Pops a reference to `type`; a mutable one where it is written through. */
  expectReference(type: Type, mutable: boolean): void {
    const reference = this.popReference();
    if (!sameType(reference.to, type)) throw verificationError('a reference to another type was expected');
    if (mutable && !reference.mutable) throw verificationError('a mutable reference was expected');
  }

  require(type: Type, ability: number, what: string): void {
    if (!hasAbility(type, ability)) throw verificationError(`${what} needs an ability that the type lacks`);
  }

  index(operand: unknown): number {
    const index = Number(operand);
    if (!Number.isSafeInteger(index) || index < 0)
      throw verificationError('an instruction has a wrong operand');
    return index;
  }

  local(operand: unknown): { index: number; type: Type } {
    const index = this.index(operand);
    return { index, type: entry(this.fn.locals, index, 'local') };
  }

  target(operand: unknown): number {
    const target = this.index(operand);
    if (target >= this.codeLength) throw verificationError('a branch leaves the function');
    return target;
  }

  /** The only type of a signature, as the vector instructions name their element. */
  singleType(operand: unknown): Type {
    const [type, ...more] = this.module.signature(this.index(operand), this.constraints);
    if (type === undefined || more.length > 0 || type.kind === 'reference') {
      throw verificationError('a signature of one element type was expected');
    }
    return type;
  }

  /** The struct or enum behind a definition of this module, instantiated with the types of a signature. */
  ownDatatype(handle: number, typeArguments: number | undefined): DatatypeType {
    const args = typeArguments === undefined ? [] : this.module.signature(typeArguments, this.constraints);
    return this.module.instantiate(this.module.datatypeAt(handle), args);
  }
}
