import { GrpcTypes } from '@mysten/sui/grpc';
import { normalizeStructTag } from '@mysten/sui/utils';
import type { FunctionSignature, Parameter } from '../chain/functions.ts';
import type { CallArgument, CallSpec } from './call-spec.ts';
import { pureTypeName } from './pure-type.ts';

const { OpenSignatureBody_Type: Kind } = GrpcTypes;

/**
 * Why a call does not fit the function that it is for, in a sentence; undefined where it fits, or where only its type
 * arguments decide. Values are compared by their bytes: an `address` fits an `ID`, a `vector<u8>` a `String`.
 */
export function callMisfit(
  { typeArgs, args }: CallSpec,
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
  if (at < 0) return undefined;
  return `Argument ${at} of the function is not for the role ${args[at]!.role}${typeOf(args[at]!)}.`;
}

const typeOf = (argument: CallArgument) => (argument.role === 'pure' ? ` of type ${argument.type}` : '');

function fits(argument: CallArgument, { reference, type }: Parameter): boolean {
  // What it is, the type arguments decide.
  if (type.type === Kind.TYPE_PARAMETER || type.type === undefined) return true;
  const isStruct = type.type === Kind.DATATYPE;
  switch (argument.role) {
    case 'wallet':
      return isStruct && /::wallet::Wallet$/.test(type.typeName ?? '');
    case 'clock':
      return isStruct && nameOf(type) === clock && reference === 'immutable';
    case 'object':
      return isStruct;
    case 'amount':
    case 'minOut':
      return type.type === Kind.U64;
    case 'pure': {
      const layout = layoutOf(type);
      return layout === undefined || layout === layoutOfName(pureTypeName(argument.type) ?? '');
    }
  }
}

const clock = normalizeStructTag('0x2::clock::Clock');
const option = normalizeStructTag('0x1::option::Option');
/** Structs that a transaction gives as bytes, by what these are. */
const plainStructs = new Map([
  [normalizeStructTag('0x1::string::String'), 'vector<u8>'],
  [normalizeStructTag('0x1::ascii::String'), 'vector<u8>'],
  [normalizeStructTag('0x2::object::ID'), 'address'],
]);

const primitives = new Map<number, string>([
  [Kind.ADDRESS, 'address'],
  [Kind.BOOL, 'bool'],
  [Kind.U8, 'u8'],
  [Kind.U16, 'u16'],
  [Kind.U32, 'u32'],
  [Kind.U64, 'u64'],
  [Kind.U128, 'u128'],
  [Kind.U256, 'u256'],
]);

const nameOf = ({ typeName = '' }: GrpcTypes.OpenSignatureBody) => {
  try {
    return normalizeStructTag(typeName);
  } catch {
    return typeName;
  }
};

/** How a type's values are laid out in bytes; undefined where a type parameter decides. */
function layoutOf(type: GrpcTypes.OpenSignatureBody): string | undefined {
  const [item] = type.typeParameterInstantiation;
  const isOption = type.type === Kind.DATATYPE && nameOf(type) === option;
  if (type.type === Kind.VECTOR || isOption) {
    const inner = item && layoutOf(item);
    return inner && `vector<${inner}>`;
  }
  if (type.type === Kind.DATATYPE) return plainStructs.get(nameOf(type)) ?? 'struct';
  return primitives.get(type.type ?? Kind.TYPE_UNKNOWN);
}

/** The same of the SDK's name of a pure type. */
const layoutOfName = (name: string) =>
  name
    .replaceAll(/\bstring\b/g, 'vector<u8>')
    .replaceAll(/\bid\b/g, 'address')
    .replaceAll(/\boption\b/g, 'vector');
