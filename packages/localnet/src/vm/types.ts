import { VmError, verificationError } from './errors.ts';

/** Ability bits as the bytecode has them. */
export const COPY = 1;
export const DROP = 2;
export const STORE = 4;
export const KEY = 8;
const ALL_VALUE = COPY | DROP | STORE;

export const INTEGER_BITS = { u8: 8, u16: 16, u32: 32, u64: 64, u128: 128, u256: 256 } as const;
export type IntegerKind = keyof typeof INTEGER_BITS;

/** `open` types mention a type parameter and must be substituted before they have values. */
export type Type = PrimitiveType | VectorType | DatatypeType | ParameterType | ReferenceType;

interface PrimitiveType {
  readonly kind: IntegerKind | 'bool' | 'address' | 'signer';
  readonly open: false;
}

interface VectorType {
  readonly kind: 'vector';
  readonly element: Type;
  readonly open: boolean;
}

export interface DatatypeType {
  readonly kind: 'datatype';
  readonly datatype: Datatype;
  readonly args: readonly Type[];
  readonly open: boolean;
}

interface ParameterType {
  readonly kind: 'parameter';
  readonly index: number;
  /** What the function or datatype demands of the parameter. */
  readonly constraints: number;
  readonly open: true;
}

export interface ReferenceType {
  readonly kind: 'reference';
  readonly mutable: boolean;
  readonly to: Type;
  readonly open: boolean;
}

export interface TypeParameter {
  constraints: number;
  isPhantom: boolean;
}

export interface Field {
  name: string;
  type: Type;
}

interface Variant {
  name: string;
  fields: Field[];
}

export type DatatypeBody = { kind: 'struct'; fields: Field[] } | { kind: 'enum'; variants: Variant[] };

/**
 * A struct or enum as the package that first defined it has it; one instance per defining package, so that
 * two types are the same exactly when their datatypes and arguments are.
 */
export class Datatype {
  readonly definingId: string;
  readonly originalId: string;
  readonly module: string;
  readonly name: string;
  readonly abilities: number;
  readonly parameters: readonly TypeParameter[];
  readonly #load: () => DatatypeBody;
  #body: DatatypeBody | undefined;

  constructor(
    head: Pick<Datatype, 'definingId' | 'originalId' | 'module' | 'name' | 'abilities' | 'parameters'>,
    load: () => DatatypeBody,
  ) {
    this.definingId = head.definingId;
    this.originalId = head.originalId;
    this.module = head.module;
    this.name = head.name;
    this.abilities = head.abilities;
    this.parameters = head.parameters;
    this.#load = load;
  }

  /** Read on first use, because datatypes of one module may mention each other. */
  get body(): DatatypeBody {
    this.#body ??= this.#load();
    return this.#body;
  }
}

function primitive<Kind extends PrimitiveType['kind']>(kind: Kind) {
  return { kind, open: false } as const;
}

export const BOOL = primitive('bool');
export const U8 = primitive('u8');
export const U16 = primitive('u16');
export const U32 = primitive('u32');
export const U64 = primitive('u64');
export const U128 = primitive('u128');
export const U256 = primitive('u256');
export const ADDRESS = primitive('address');
const SIGNER = primitive('signer');

/** By their names in Move. */
export const PRIMITIVES: ReadonlyMap<string, PrimitiveType> = new Map(
  [BOOL, U8, U16, U32, U64, U128, U256, ADDRESS, SIGNER].map((type) => [type.kind, type]),
);

export function vectorOf(element: Type): VectorType {
  return { kind: 'vector', element, open: element.open };
}

export function datatypeOf(datatype: Datatype, args: readonly Type[]): DatatypeType {
  return { kind: 'datatype', datatype, args, open: args.some((arg) => arg.open) };
}

export function referenceTo(to: Type, mutable: boolean): ReferenceType {
  return { kind: 'reference', to, mutable, open: to.open };
}

export interface IntegerType extends PrimitiveType {
  readonly kind: IntegerKind;
}

export function isInteger(type: Type): type is IntegerType {
  return type.kind in INTEGER_BITS;
}

export function sameType(left: Type, right: Type): boolean {
  if (left === right) return true;
  if (left.kind === 'vector') return right.kind === 'vector' && sameType(left.element, right.element);
  if (left.kind === 'parameter') return right.kind === 'parameter' && left.index === right.index;
  if (left.kind === 'reference') {
    return right.kind === 'reference' && left.mutable === right.mutable && sameType(left.to, right.to);
  }
  if (left.kind === 'datatype') {
    return right.kind === 'datatype' && left.datatype === right.datatype && sameTypes(left.args, right.args);
  }
  return left.kind === right.kind;
}

export function sameTypes(left: readonly Type[], right: readonly Type[]): boolean {
  return left.length === right.length && left.every((type, i) => sameType(type, right[i]!));
}

export function abilitiesOf(type: Type): number {
  switch (type.kind) {
    case 'parameter':
      return type.constraints;
    case 'reference':
      return COPY | DROP;
    case 'signer':
      return DROP;
    case 'vector':
      return abilitiesOf(type.element) & ALL_VALUE;
    case 'datatype': {
      let abilities = type.datatype.abilities;
      for (const [i, parameter] of type.datatype.parameters.entries()) {
        const arg = type.args[i];
        if (parameter.isPhantom || arg === undefined) continue;
        const has = abilitiesOf(arg);
        // `key` asks `store` of what is inside; the other abilities ask for themselves.
        abilities &= (has & ALL_VALUE) | ((has & STORE) !== 0 ? KEY : 0);
      }
      return abilities;
    }
    default:
      return ALL_VALUE;
  }
}

export function hasAbility(type: Type, ability: number): boolean {
  return (abilitiesOf(type) & ability) === ability;
}

/** Throws a `verification` error unless `args` are as many and as able as `constraints` ask. */
export function checkTypeArguments(args: readonly Type[], constraints: readonly number[]): void {
  if (args.length !== constraints.length) {
    const detail = `${constraints.length} type arguments expected, ${args.length} given`;
    throw verificationError('NUMBER_OF_TYPE_ARGUMENTS_MISMATCH', detail);
  }
  for (const [i, arg] of args.entries()) {
    if (!hasAbility(arg, constraints[i]!)) {
      throw verificationError('CONSTRAINT_NOT_SATISFIED', `type argument ${i} lacks an ability`);
    }
  }
}

/**
 * A struct that only publishing its module can make: named as the module in capitals, able to be dropped and
 * nothing else, without type parameters, with the one bool that the compiler gives to an empty struct.
 */
export function isOneTimeWitness(datatype: Datatype): boolean {
  const { name, module, abilities, parameters, body } = datatype;
  return (
    name === module.toUpperCase() &&
    abilities === DROP &&
    parameters.length === 0 &&
    body.kind === 'struct' &&
    body.fields.length === 1 &&
    body.fields[0]!.type.kind === 'bool'
  );
}

/** The chain's bounds on instantiated types; without them, substitution doubles types for ever. */
const MAX_TYPE_NODES = 256;
const MAX_TYPE_DEPTH = 16;

function countNodes(type: Type, depth: number): number {
  if (depth > MAX_TYPE_DEPTH) throw new VmError('limit', `type is nested deeper than ${MAX_TYPE_DEPTH}`);
  if (type.kind === 'vector') return 1 + countNodes(type.element, depth + 1);
  if (type.kind === 'reference') return 1 + countNodes(type.to, depth + 1);
  if (type.kind !== 'datatype') return 1;
  let nodes = 1;
  for (const arg of type.args) nodes += countNodes(arg, depth + 1);
  return nodes;
}

/** How large a type is, for what work with it costs. */
export function typeNodes(type: Type): number {
  if (type.kind === 'vector') return 1 + typeNodes(type.element);
  if (type.kind === 'reference') return 1 + typeNodes(type.to);
  if (type.kind !== 'datatype') return 1;
  let nodes = 1;
  for (const arg of type.args) nodes += typeNodes(arg);
  return nodes;
}

export function checkTypeSize(type: Type): void {
  if (countNodes(type, 0) > MAX_TYPE_NODES) {
    throw new VmError('limit', `type has more than ${MAX_TYPE_NODES} nodes`);
  }
}

function replace(type: Type, args: readonly Type[]): Type {
  if (!type.open) return type;
  switch (type.kind) {
    case 'parameter': {
      const arg = args[type.index];
      if (arg === undefined) {
        throw verificationError('INDEX_OUT_OF_BOUNDS', `type parameter ${type.index} has no argument`);
      }
      return arg;
    }
    case 'vector':
      return vectorOf(replace(type.element, args));
    case 'reference':
      return referenceTo(replace(type.to, args), type.mutable);
    default:
      return datatypeOf(
        type.datatype,
        type.args.map((arg) => replace(arg, args)),
      );
  }
}

/** Puts type arguments in the place of parameters; throws a `limit` error when the result grows too large. */
export function substitute(type: Type, args: readonly Type[]): Type {
  if (!type.open) return type;
  const result = replace(type, args);
  checkTypeSize(result);
  return result;
}

const fieldTypes = new WeakMap<DatatypeType, Type[][]>();

/** Types of the fields of an instantiated datatype, per variant (a struct has one). */
export function fieldTypesOf(type: DatatypeType): Type[][] {
  const known = fieldTypes.get(type);
  if (known !== undefined) return known;
  const { body } = type.datatype;
  const variants = body.kind === 'struct' ? [body.fields] : body.variants.map((variant) => variant.fields);
  const types = variants.map((fields) => fields.map((field) => substitute(field.type, type.args)));
  fieldTypes.set(type, types);
  return types;
}
