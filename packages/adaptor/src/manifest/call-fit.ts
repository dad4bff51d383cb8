import { TypeTagSerializer } from '@mysten/sui/bcs';
import { GrpcTypes } from '@mysten/sui/grpc';
import { normalizeStructTag } from '@mysten/sui/utils';
import { type FunctionSignature, type Parameter, primitiveNames, typeText } from '../chain/functions.ts';
import type { CallSpec, StepArgument, StepSpec } from './call-spec.ts';
import { type ExecutableOp, listOpSteps } from './op.ts';
import { encodePure, isPlainBytes } from './plain-value.ts';
import { pureTypeName } from './pure-type.ts';

const { OpenSignatureBody_Type: Kind } = GrpcTypes;

/**
 * Explains in a sentence why a call does not fit its function. Returns undefined if it fits, or if only its type
 * arguments decide. Values are compared by their bytes: an `address` fits an `ID`, a `vector<u8>` a `String`. The bytes
 * of a fixed value must be valid for the parameter.
 */
export function callMisfit(
  { typeArgs, args }: CallSpec | Pick<StepSpec, 'typeArgs' | 'args'>,
  { isCallable, typeParameters, parameters }: FunctionSignature,
): string | undefined {
  if (!isCallable) return 'The function is neither public nor entry.';
  if (typeArgs.length !== typeParameters) {
    return `The function takes ${typeParameters} type arguments, the call has ${typeArgs.length}.`;
  }
  if (args.length !== parameters.length) {
    return `The function takes ${parameters.length} arguments, the call has ${args.length}.`;
  }
  const at = args.findIndex((argument, index) => !fits(argument, parameters[index]!));
  if (at >= 0) {
    return `Argument ${at} of the function is not for the role ${args[at]!.role}${describeType(args[at]!)}.`;
  }
  for (const [index, argument] of args.entries()) {
    if (argument.role !== 'pure' || argument.value === undefined) continue;
    const type = typeText(parameters[index]!.type, typeArgs);
    const bytes = encodePure(argument.type, argument.value);
    // Without the name of a plain type, the caller's type arguments decide.
    if (bytes === undefined || pureTypeName(type) === undefined || isPlainBytes(type, bytes)) continue;
    return `Argument ${index} of the function is a ${type}, and the fixed value is not one.`;
  }
  return undefined;
}

const describeType = (argument: StepArgument) =>
  argument.role === 'pure' ? ` of type ${argument.type}` : '';

/** The function that an op calls. `absent`: the package has none of the name. `unread`: it was not read. */
export type FunctionLookup = FunctionSignature | 'absent' | 'unread';

/** Facts about types that signatures do not contain. Each is undefined if it is not known. */
export interface TypeFacts {
  /** Returns the abilities of a struct, by its name in a signature. */
  can?(typeName: string): { copy: boolean; drop: boolean } | undefined;
  /** Returns the original id of the package that `packageId` is a version of. */
  findOriginalId?(packageId: string): string | undefined;
}

/** Money can neither be copied nor dropped. */
const money = new Set(['0x2::coin::Coin', '0x2::balance::Balance'].map((name) => normalizeStructTag(name)));

/**
 * Explains in a sentence why an op's calls do not fit their functions. Returns undefined if they fit, or if that is not
 * known. Results must go to arguments of their own type. A result that can be neither copied nor dropped must go to
 * exactly one argument by value.
 * @param functions one for each call of the op, in order
 */
export function opMisfit(
  op: ExecutableOp,
  functions: readonly FunctionLookup[],
  facts: TypeFacts = {},
): string | undefined {
  const steps = listOpSteps(op);
  const named = (position: number, why: string) => {
    const { module, entry } = steps[position]!;
    return steps.length < 2 ? why : `Call ${position} (${module}::${entry}): ${why}`;
  };
  for (const [position, step] of steps.entries()) {
    const called = functions[position]!;
    if (called === 'unread') continue;
    const why = called === 'absent' ? 'The package has no such function.' : callMisfit(step, called);
    if (why !== undefined) return named(position, why);
    // The chain forbids other functions every value that is entangled with a hot potato of the transaction.
    if (steps.length > 1 && called !== 'absent' && !called.isPublic) {
      return named(position, 'The function is an entry function that is not public.');
    }
  }
  /**
   * The call that takes a result by value, keyed by `call.index` of the result. `unread`: an unread function may take
   * it.
   */
  const takenBy = new Map<string, number | 'unread'>();
  for (const [position, step] of steps.entries()) {
    for (const [argumentIndex, argument] of step.args.entries()) {
      if (argument.role !== 'result') continue;
      const why = resultMisfit(argument, argumentIndex, { steps, functions, position, takenBy, facts });
      if (why !== undefined) return named(position, why);
    }
  }
  for (const [position, called] of functions.entries()) {
    if (typeof called === 'string') continue;
    const left = called.returns.findIndex(
      ({ type }, index) => !takenBy.has(`${position}.${index}`) && findAbilities(type, facts)?.drop === false,
    );
    if (left >= 0) return named(position, `No call takes its result ${left}, which cannot be dropped.`);
  }
  return undefined;
}

interface Sequence {
  steps: readonly StepSpec[];
  functions: readonly FunctionLookup[];
  /** Position of the call that takes the result. */
  position: number;
  takenBy: Map<string, number | 'unread'>;
  facts: TypeFacts;
}

function resultMisfit(
  { call, index = 0 }: Extract<StepArgument, { role: 'result' }>,
  argumentIndex: number,
  { steps, functions, position, takenBy, facts }: Sequence,
): string | undefined {
  const [made, taken] = [functions[call]!, functions[position]!];
  const what = `Argument ${argumentIndex} is result ${index} of call ${call}`;
  const taker = takenBy.get(`${call}.${index}`);
  if (typeof taker === 'number') return `${what}, which call ${taker} takes.`;
  const parameter = typeof taken === 'string' ? undefined : taken.parameters[argumentIndex]!;
  if (!parameter) takenBy.set(`${call}.${index}`, 'unread');
  if (typeof made === 'string') return undefined;
  const result = made.returns[index];
  if (!result) return `${what}, which has ${made.returns.length} results.`;
  if (result.reference !== 'none') return `${what}, a reference, which no other call can take.`;
  if (!parameter) return undefined;
  const types = [
    toShape(result.type, steps[call]!.typeArgs),
    toShape(parameter.type, steps[position]!.typeArgs),
  ] as const;
  if (!areAlike(...types, facts)) return `${what}, which is of another type.`;
  if (parameter.reference === 'none' && findAbilities(result.type, facts)?.copy === false) {
    takenBy.set(`${call}.${index}`, position);
  }
  return undefined;
}

/** Returns the abilities of a struct that is known; undefined for all other types. */
function findAbilities(type: GrpcTypes.OpenSignatureBody, { can }: TypeFacts) {
  if (type.type !== Kind.DATATYPE) return undefined;
  return money.has(normalizeTypeName(type)) ? { copy: false, drop: false } : can?.(normalizeTypeName(type));
}

/** A type as far as the call determines it; undefined where the caller decides. */
type TypeShape = { name: string; definedIn?: PackageVersion; args: TypeShape[] } | undefined;

/** The package of a type. A signature names its original id, and a type argument any of its versions. */
interface PackageVersion {
  id: string;
  isOriginal: boolean;
}

function toShape(type: GrpcTypes.OpenSignatureBody, typeArgs: readonly string[]): TypeShape {
  const args = () => type.typeParameterInstantiation.map((inner) => toShape(inner, typeArgs));
  switch (type.type) {
    case Kind.TYPE_PARAMETER: {
      const spelled = typeArgs[type.typeParameter ?? -1];
      const isOpen = spelled === undefined || spelled === 'coinIn' || spelled === 'coinOut';
      return isOpen ? undefined : describeTagShape(TypeTagSerializer.parseFromStr(spelled, true));
    }
    case Kind.DATATYPE:
      return { ...splitTypeName(normalizeTypeName(type), true), args: args() };
    case Kind.VECTOR:
      return { name: 'vector', args: args() };
    default:
      return { name: primitiveNames.get(type.type) ?? '', args: [] };
  }
}

function describeTagShape(tag: ReturnType<typeof TypeTagSerializer.parseFromStr>): TypeShape {
  if ('vector' in tag) return { name: 'vector', args: [describeTagShape(tag.vector)] };
  if (!('struct' in tag)) return { name: Object.keys(tag)[0] ?? '', args: [] };
  const { address, module, name, typeParams } = tag.struct;
  const typeName = normalizeStructTag(`${address}::${module}::${name}`);
  return { ...splitTypeName(typeName, false), args: typeParams.map(describeTagShape) };
}

function splitTypeName(typeName: string, isOriginal: boolean) {
  const [id = '', ...rest] = typeName.split('::');
  return { name: rest.join('::'), definedIn: { id, isOriginal } };
}

function areAlike(a: TypeShape, b: TypeShape, facts: TypeFacts): boolean {
  if (!a || !b) return true;
  return (
    a.name === b.name &&
    a.args.length === b.args.length &&
    isSamePackage(a.definedIn, b.definedIn, facts) &&
    a.args.every((inner, at) => areAlike(inner, b.args[at], facts))
  );
}

/** Returns `true` also where an original id is not known. */
function isSamePackage(
  a: PackageVersion | undefined,
  b: PackageVersion | undefined,
  { findOriginalId }: TypeFacts,
): boolean {
  if (!a || !b || a.id === b.id) return true;
  const [one, other] = [a, b].map(({ id, isOriginal }) => (isOriginal ? id : findOriginalId?.(id)));
  return one === undefined || other === undefined || one === other;
}

function fits(argument: StepArgument, { reference, type }: Parameter): boolean {
  // `opMisfit` checks a result against the function that returns it.
  if (argument.role === 'result') return true;
  // The type arguments decide the type.
  if (type.type === Kind.TYPE_PARAMETER || type.type === undefined) return true;
  const isStruct = type.type === Kind.DATATYPE;
  switch (argument.role) {
    case 'wallet':
      return isStruct && /::wallet::Wallet$/.test(type.typeName ?? '');
    case 'clock':
      return isStruct && normalizeTypeName(type) === clock && reference === 'immutable';
    case 'object':
      return isStruct;
    case 'amount':
    case 'minOut':
      return type.type === Kind.U64;
    case 'pure': {
      const layout = deriveLayout(type);
      return layout === undefined || layout === getNamedLayout(pureTypeName(argument.type) ?? '');
    }
  }
}

const clock = normalizeStructTag('0x2::clock::Clock');
const option = normalizeStructTag('0x1::option::Option');
/** Structs that a transaction provides as bytes, with the layout of these bytes. */
const plainStructs = new Map([
  [normalizeStructTag('0x1::string::String'), 'vector<u8>'],
  [normalizeStructTag('0x1::ascii::String'), 'vector<u8>'],
  [normalizeStructTag('0x2::object::ID'), 'address'],
]);

const normalizeTypeName = ({ typeName = '' }: GrpcTypes.OpenSignatureBody) => {
  try {
    return normalizeStructTag(typeName);
  } catch {
    return typeName;
  }
};

/** Returns the byte layout of a type's values; undefined if a type parameter decides it. */
function deriveLayout(type: GrpcTypes.OpenSignatureBody): string | undefined {
  const [item] = type.typeParameterInstantiation;
  const isOption = type.type === Kind.DATATYPE && normalizeTypeName(type) === option;
  if (type.type === Kind.VECTOR || isOption) {
    const inner = item && deriveLayout(item);
    return inner && `vector<${inner}>`;
  }
  if (type.type === Kind.DATATYPE) return plainStructs.get(normalizeTypeName(type)) ?? 'struct';
  return primitiveNames.get(type.type);
}

/** Returns the same layout for the SDK's name of a pure type. */
const getNamedLayout = (name: string) =>
  name
    .replaceAll(/\bstring\b/g, 'vector<u8>')
    .replaceAll(/\bid\b/g, 'address')
    .replaceAll(/\boption\b/g, 'vector');
