import { refuse } from '../error.ts';
import type { ModuleJson } from '../module.ts';
import { parseModule, replaceAddresses } from '../parse.ts';
import { compareCode } from './code.ts';
import { type Declaration, listDeclarations } from './declarations.ts';
import { Interner, Names } from './names.ts';

/**
 * Result of a comparison, from best to worst. `exact`: the same bytes but for the package's own address. `same_code`: the same
 * declarations, and the same step at each place of each function. `same_but_error_lines`: like `same_code`, except that
 * abort codes of the compiler name other lines of the source, or the same constants at other places of the module.
 */
export const verdicts = ['exact', 'same_code', 'same_but_error_lines', 'differs'] as const;
export type Verdict = (typeof verdicts)[number];

/** A declaration that differs, such as `function withdraw`, with the first difference on each side. */
export interface Difference {
  declaration: string;
  onChain: string;
  built: string;
}

export interface ModuleComparison {
  module: string;
  verdict: Verdict;
  /** The first hundred differing declarations. */
  differences: Difference[];
  differenceCount: number;
}

/** Maximum size of a module, in bytes. A package of Sui's chains has at most 100 KiB. */
const moduleBytesMax = 128 * 1024;
/** Maximum length of an identifier on Sui's chains. */
const identifierMax = 128;
const differencesMax = 100;
/** Maximum length in a report of one property of a declaration, in characters. */
const textMax = 300;

/**
 * Compares a module on chain with one that was built from source. A module's own address is the same on both sides: a build
 * has zero or a named address in its place. Constants that hold an address are compared by value. Takes time proportional
 * to the size of the modules.
 * @throws BytecodeError if either is not a module, or exceeds the limits of the chain
 */
export function compareModules(onChain: Uint8Array, built: Uint8Array): ModuleComparison {
  const [left, right] = [readModule(onChain), readModule(built)];
  const interner = new Interner();
  const differences = isExact(onChain, left, built, right)
    ? 'exact'
    : compareDeclarations(
        { module: left, names: new Names(left, interner) },
        { module: right, names: new Names(right, interner) },
      );
  const module = readModuleName(left);
  if (differences === 'exact') return { module, verdict: 'exact', differences: [], differenceCount: 0 };
  const { found, otherLines } = differences;
  const same = otherLines ? 'same_but_error_lines' : 'same_code';
  return {
    module,
    verdict: found.length > 0 ? 'differs' : same,
    differences: found.slice(0, differencesMax),
    differenceCount: found.length,
  };
}

/** Parses a module within the limits of the chain. @throws BytecodeError */
export function readModule(bytes: Uint8Array): ModuleJson {
  if (bytes.length > moduleBytesMax)
    throw refuse('TOO_LARGE', `${bytes.length} bytes, expected at most ${moduleBytesMax}`);
  const module = parseModule(bytes);
  if (module.identifiers.some(({ length }) => length > identifierMax)) {
    throw refuse('IDENTIFIER_TOO_LONG', `an identifier of more than ${identifierMax} characters`);
  }
  return module;
}

export function readModuleName(module: ModuleJson): string {
  return module.identifiers[module.module_handles[module.self_module_handle_idx]!.name]!;
}

export function readOwnAddress(module: ModuleJson): string {
  return module.address_identifiers[module.module_handles[module.self_module_handle_idx]!.address]!;
}

function isExact(onChain: Uint8Array, left: ModuleJson, built: Uint8Array, right: ModuleJson): boolean {
  if (onChain.length !== built.length) return false;
  const [own, ownIndex] = [readOwnAddress(left), right.module_handles[right.self_module_handle_idx]!.address];
  const placed = replaceAddresses(built, right, (address, index) => (index === ownIndex ? own : address));
  return placed.every((byte, at) => byte === onChain[at]);
}

interface NamedModule {
  module: ModuleJson;
  names: Names;
}

function compareDeclarations(
  left: NamedModule,
  right: NamedModule,
): { found: Difference[]; otherLines: boolean } {
  const found: Difference[] = [];
  let otherLines = false;
  const [onChain, built] = [
    listDeclarations(left.module, left.names),
    listDeclarations(right.module, right.names),
  ];
  const [nameOnChain, nameBuilt] = [readModuleName(left.module), readModuleName(right.module)];
  if (nameOnChain !== nameBuilt)
    found.push({ declaration: 'module', onChain: nameOnChain, built: nameBuilt });
  for (const [declaration, one] of onChain) {
    const other = built.get(declaration);
    if (!other) {
      found.push({ declaration, onChain: 'declared', built: 'not declared' });
      continue;
    }
    const difference = compareFacts(one, other) ?? compareBodies(left, one, right, other);
    if (difference === 'other lines') otherLines = true;
    else if (difference) found.push({ declaration, ...difference });
  }
  for (const declaration of built.keys()) {
    if (!onChain.has(declaration)) found.push({ declaration, onChain: 'not declared', built: 'declared' });
  }
  return { found, otherLines };
}

function compareFacts(one: Declaration, other: Declaration): { onChain: string; built: string } | undefined {
  for (const [at, fact] of one.facts.entries()) {
    const counterpart = other.facts[at]!;
    if (fact.id === counterpart.id) continue;
    const write = (text: string) => `${fact.label}: ${text.slice(0, textMax) || 'none'}`;
    return { onChain: write(fact.text()), built: write(counterpart.text()) };
  }
  return undefined;
}

function compareBodies(
  left: NamedModule,
  one: Declaration,
  right: NamedModule,
  other: Declaration,
): { onChain: string; built: string } | 'other lines' | undefined {
  const [onChain, built] = [readBody(left, one), readBody(right, other)];
  // The facts say whether a function is native, which has no code.
  if (!onChain || !built) return undefined;
  const { difference, otherLines } = compareCode(onChain, built);
  return difference ?? (otherLines ? 'other lines' : undefined);
}

function readBody({ module, names }: NamedModule, { function: definition }: Declaration) {
  if (!definition?.code) return undefined;
  const { parameters } = module.function_handles[definition.function]!;
  return { names, module, code: definition.code, parameters };
}
