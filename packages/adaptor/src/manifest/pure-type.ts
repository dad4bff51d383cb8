import { type PureTypeName, TypeTagSerializer } from '@mysten/sui/bcs';
import { normalizeAddress } from '../chain/names.ts';

type TypeTag = ReturnType<typeof TypeTagSerializer.parseFromStr>;
type StructTag = Extract<TypeTag, { struct: unknown }>['struct'];

/** Structs that a pure argument may contain, with the SDK's names for them, and `ascii`. */
const named = new Map([
  [buildPath('0x1', 'string', 'String'), 'string'],
  [buildPath('0x1', 'ascii', 'String'), 'ascii'],
  [buildPath('0x2', 'object', 'ID'), 'id'],
]);
const option = buildPath('0x1', 'option', 'Option');

/**
 * Returns the SDK's name of a Move type. Returns undefined for an invalid type, and for one that no pure argument can
 * have.
 */
export function pureTypeName(type: string): PureTypeName | undefined {
  return plainTypeName(type)?.replaceAll('ascii', 'string') as PureTypeName | undefined;
}

/** Returns the same name, with `ascii` for a text of ASCII characters alone. The SDK has one name for both texts. */
export function plainTypeName(type: string): string | undefined {
  try {
    return findTypeName(TypeTagSerializer.parseFromStr(type.replaceAll(/\s/g, '')));
  } catch {
    return undefined;
  }
}

function findTypeName(tag: TypeTag): string | undefined {
  if ('vector' in tag) return wrapped('vector', tag.vector);
  if ('struct' in tag) return formatStructName(tag.struct);
  return 'signer' in tag ? undefined : Object.keys(tag)[0];
}

function formatStructName({
  address,
  module,
  name,
  typeParams: [item, ...more],
}: StructTag): string | undefined {
  const path = buildPath(address, module, name);
  if (item === undefined) return named.get(path);
  return path === option && more.length === 0 ? wrapped('option', item) : undefined;
}

function wrapped(outer: string, item: TypeTag): string | undefined {
  const inner = findTypeName(item);
  return inner && `${outer}<${inner}>`;
}

function buildPath(address: string, module: string, name: string): string {
  return `${normalizeAddress(address)}::${module}::${name}`;
}
