import { TypeTagSerializer } from '@mysten/sui/bcs';
import { normalizeSuiAddress } from '@mysten/sui/utils';
import { VmError } from '../errors.ts';
import {
  checkTypeArguments,
  checkTypeSize,
  type Datatype,
  datatypeOf,
  PRIMITIVES,
  type Type,
  vectorOf,
} from '../types.ts';

const MAX_DEPTH = 16;

type TypeTag = ReturnType<typeof TypeTagSerializer.parseFromStr>;

/** Longer names than any type within the bounds has; keeps the parser's own work bounded. */
const MAX_NAME_LENGTH = 16_384;

type FindDatatype = (packageId: string, module: string, name: string) => Datatype | undefined;

/**
 * The type that a name stands for. Throws `typeNotFound` when it does not parse or does not exist, and
 * `constraint` when a type argument lacks an ability or there are too few or too many.
 */
export function resolveTypeName(name: string, find: FindDatatype): Type {
  if (name.length > MAX_NAME_LENGTH) throw new VmError('typeNotFound', 'the type name is too long');
  const type = resolve(parse(name), find);
  checkTypeSize(type);
  return type;
}

function parse(name: string): TypeTag {
  if (nesting(name) > MAX_DEPTH) throw new VmError('typeNotFound', 'the type is nested too deeply');
  try {
    return TypeTagSerializer.parseFromStr(name, true);
  } catch {
    throw new VmError('typeNotFound', `${name} is not a type`);
  }
}

/** Looked at before the parser, whose work grows with the square of it. */
function nesting(name: string): number {
  let deepest = 0;
  let open = 0;
  for (const character of name) {
    if (character === '<') open += 1;
    if (character === '>') open -= 1;
    if (open > deepest) deepest = open;
  }
  return deepest;
}

function resolve(tag: TypeTag, find: FindDatatype): Type {
  if ('vector' in tag && tag.vector) return vectorOf(resolve(tag.vector, find));
  if ('struct' in tag && tag.struct) {
    const { address, module, name, typeParams } = tag.struct;
    const datatype = find(normalizeSuiAddress(address), module, name);
    if (datatype === undefined)
      throw new VmError('typeNotFound', `${address}::${module}::${name} does not exist`);
    const args = typeParams.map((param) => resolve(param, find));
    try {
      checkTypeArguments(
        args,
        datatype.parameters.map((parameter) => parameter.constraints),
      );
    } catch (error) {
      throw error instanceof VmError ? new VmError('constraint', error.message) : error;
    }
    return datatypeOf(datatype, args);
  }
  for (const [kind, type] of PRIMITIVES) if (kind in tag) return type;
  throw new VmError('typeNotFound', 'the type is unknown');
}
