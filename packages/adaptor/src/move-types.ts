import { TypeTagSerializer } from '@mysten/sui/bcs';
import { LRUCache } from 'lru-cache';
import { isMoveIdentifier } from './chain/names.ts';

type TypeTag = ReturnType<typeof TypeTagSerializer.parseFromStr>;

/** Matches `T0`, but not a datatype of that name. */
const typeParam = /(?<![\w:])T(\d+)\b(?!::)/g;
/** A placeholder for a type parameter while a type is parsed. No package has this address. */
const placeholder = (index: string) => `0x0::param::T${index}`;
const placeholderName = /^T(\d+)$/;

/** Returns the index of a type parameter (`T0` is 0), or undefined for any other type. */
export function typeParamIndex(type: string): number | undefined {
  const index = placeholderName.exec(type)?.[1];
  return index === undefined ? undefined : Number(index);
}

/** Fills in the parameters of a generic type. Returns undefined if one of its parameters is unknown. */
export function instantiate(generic: string, typeArgs: readonly (string | undefined)[]): string | undefined {
  let complete = true;
  const type = generic.replace(typeParam, (_, index: string) => {
    const argument = typeArgs[Number(index)];
    complete &&= argument !== undefined;
    return argument ?? '';
  });
  return complete ? type : undefined;
}

/** Returns a type in the chain's spelling with full addresses, or undefined if it is not a type. */
export function canonicalType(type: string): string | undefined {
  const tag = parse(type);
  return tag && spell(tag);
}

/** The SDK writes a space after each comma, and the chain writes none. */
const spell = (tag: TypeTag): string => TypeTagSerializer.tagToString(tag).replaceAll(', ', ',');

/**
 * Finds the type arguments, by index, that turn a generic type into `type`. Returns undefined if there are none.
 * `0x2::coin::Coin<T0>` becomes `0x2::coin::Coin<0x2::sui::SUI>` with T0 = `0x2::sui::SUI`.
 */
export function typeArgsFrom(generic: string, type: string): Map<number, string> | undefined {
  const [pattern, tag] = [parsePattern(generic), parseTag(type)];
  const found = new Map<number, string>();
  return pattern && tag && matches(pattern, tag, found) ? found : undefined;
}

function matches(pattern: TypeTag, tag: TypeTag, found: Map<number, string>): boolean {
  const index = placeholderIndex(pattern);
  if (index !== undefined) {
    const type = spell(tag);
    if (found.has(index)) return found.get(index) === type;
    found.set(index, type);
    return true;
  }
  if ('vector' in pattern) return 'vector' in tag && matches(pattern.vector, tag.vector, found);
  if (!('struct' in pattern)) return Object.keys(pattern)[0] === Object.keys(tag)[0];
  if (!('struct' in tag)) return false;
  const [expected, actual] = [pattern.struct, tag.struct];
  return (
    expected.address === actual.address &&
    expected.module === actual.module &&
    expected.name === actual.name &&
    expected.typeParams.length === actual.typeParams.length &&
    expected.typeParams.every((inner, at) => matches(inner, actual.typeParams[at]!, found))
  );
}

function placeholderIndex(tag: TypeTag): number | undefined {
  if (!('struct' in tag) || tag.struct.module !== 'param' || !/^0x0+$/.test(tag.struct.address))
    return undefined;
  return typeParamIndex(tag.struct.name);
}

/**
 * Caches parsed types. A draft compares each of thousands of parameters with dozens of objects, and parsing takes far
 * longer than comparing.
 */
function cached(read: (text: string) => TypeTag | undefined): typeof read {
  const known = new LRUCache<string, { tag: TypeTag | undefined }>({ max: 256 });
  return (text) => {
    const found = known.get(text) ?? { tag: read(text) };
    known.set(text, found);
    return found.tag;
  };
}

const parseTag = cached(parse);
const parsePattern = cached((generic) =>
  parse(generic.replace(typeParam, (_, index: string) => placeholder(index))),
);

/** Matches an address in a type: digits, with or without `0x`. */
const address = /(?<![\w:])(?:0[xX])?([0-9a-fA-F]{1,64})(?=::)/g;

/** Parses a type. The SDK accepts any characters in a name, and ignores what follows the type arguments. */
function parse(type: string): TypeTag | undefined {
  const spelled = type
    .replaceAll(/\s/g, '')
    .replace(address, (_, digits: string) => `0x${digits.toLowerCase().padStart(64, '0')}`);
  try {
    const tag = TypeTagSerializer.parseFromStr(spelled);
    const isWhole = TypeTagSerializer.tagToString(tag).replaceAll(' ', '') === spelled;
    return isWhole && hasNames(tag) ? tag : undefined;
  } catch {
    return undefined;
  }
}

/** Returns `true` if each struct in a type has a full address, and identifiers as its names. */
function hasNames(tag: TypeTag): boolean {
  if ('vector' in tag) return hasNames(tag.vector);
  if (!('struct' in tag)) return true;
  const { address: id, module, name, typeParams } = tag.struct;
  return /^0x[0-9a-f]{64}$/.test(id) && [module, name].every(isMoveIdentifier) && typeParams.every(hasNames);
}
