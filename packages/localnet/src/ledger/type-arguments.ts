import { TypeTagSerializer } from '@mysten/sui/bcs';
import { normalizeSuiAddress } from '@mysten/sui/utils';
import { LRUCache } from 'lru-cache';
import type { Command } from '../execution/types.ts';
import { limits } from './protocol.ts';
import { refusedInput, sizeExceeded } from './refusals.ts';

type TypeTag = ReturnType<typeof TypeTagSerializer.parseFromStr>;

/** What a type is made of, and the packages that it names. */
interface TypeFacts {
  nodes: number;
  depth: number;
  identifiers: string[];
  packages: Set<string>;
}

const known = new LRUCache<string, TypeFacts>({ max: 5_000 });

/** The types that a command names. */
export function typesNamed(command: Command): string[] {
  if (command.$kind === 'MoveCall') return command.MoveCall.typeArguments;
  return command.$kind === 'MakeMoveVec' && command.MakeMoveVec.type !== null
    ? [command.MakeMoveVec.type]
    : [];
}

/** Packages that a type names. `type` must have passed `checkTypes`. */
export function packagesOfType(type: string): Iterable<string> {
  return factsOf(type).packages;
}

/**
 * Refuses types of one command that are too many, too deep or misnamed, as the chain does before it looks
 * anything up.
 *
 * @throws LedgerError SizeLimitExceeded, InvalidIdentifier.
 */
export function checkTypes(types: readonly string[]): void {
  let nodes = 0;
  for (const type of types) {
    const facts = factsOf(type);
    nodes += facts.nodes;
    if (nodes >= limits.maxTypeArguments) {
      throw sizeExceeded('maximum type arguments in a call transaction', limits.maxTypeArguments, nodes);
    }
    if (facts.depth >= limits.maxTypeArgumentDepth) {
      const limit = 'maximum type argument depth in a call transaction';
      throw sizeExceeded(limit, limits.maxTypeArgumentDepth, facts.depth);
    }
    for (const identifier of facts.identifiers) checkIdentifier(identifier);
  }
}

/** @throws LedgerError InvalidIdentifier for what cannot be the name of a module, a type or a function. */
export function checkIdentifier(name: string): void {
  if (/^(?:[a-zA-Z]\w*|_\w+)$/.test(name)) return;
  throw invalidIdentifier(name);
}

function factsOf(type: string): TypeFacts {
  let facts = known.get(type);
  if (facts === undefined) {
    facts = { ...sizeOf(type), identifiers: [], packages: new Set() };
    // Larger ones are refused for it; the parser's work grows with the square of the size.
    if (facts.nodes < limits.maxTypeArguments) addNames(parse(type), facts);
    known.set(type, facts);
  }
  return facts;
}

/** Every type but the outermost stands behind a `<` or a comma. */
function sizeOf(type: string): { nodes: number; depth: number } {
  let nodes = 1;
  let depth = 1;
  let deepest = 1;
  for (const character of type) {
    if (character === '<' || character === ',') nodes += 1;
    if (character === '<') depth += 1;
    if (character === '>') depth -= 1;
    if (depth > deepest) deepest = depth;
  }
  return { nodes, depth: deepest };
}

function parse(type: string): TypeTag {
  try {
    return TypeTagSerializer.parseFromStr(type, true);
  } catch {
    // What was decoded is a type, but for the names in it.
    throw invalidIdentifier(type);
  }
}

function addNames(tag: TypeTag, facts: TypeFacts): void {
  if ('vector' in tag && tag.vector) addNames(tag.vector, facts);
  if (!('struct' in tag && tag.struct)) return;
  const { address, module, name, typeParams } = tag.struct;
  facts.identifiers.push(module, name);
  facts.packages.add(normalizeSuiAddress(address));
  for (const parameter of typeParams) addNames(parameter, facts);
}

function invalidIdentifier(name: string) {
  const text = `Invalid identifier found in the transaction: ${name.slice(0, 200)}`;
  return refusedInput('InvalidIdentifier', text);
}
