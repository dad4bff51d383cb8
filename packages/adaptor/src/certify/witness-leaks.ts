import { instructionParts } from '@adaptor-marketplace/move-bytecode';
import type { CodeModule, FunctionHandle } from '../introspect/code/module.ts';
import { type MoveType, substitute } from '../introspect/code/move-type.ts';
import { toInstructions } from '../introspect/flow/blocks.ts';
import { isSystemPackage } from '../packages/system.ts';
import type { WitnessLeakClaim } from './claims.ts';
import type { LinkedCode } from './code/program.ts';
import { datatypeName } from './flow/path.ts';
import { readLocals } from './flow/summarize.ts';
import { listParts, listTypeParameters } from './locate.ts';

const dropBit = 2;
const keyBit = 8;

/**
 * Finds how values of the package's witnesses get out: results of functions that other code can call, containers that a
 * caller lends, and calls of other packages whose code does something with the value. A wallet only needs its type.
 */
export function findWitnessLeaks(code: LinkedCode): WitnessLeakClaim[] {
  const modules = code.modules(code.root.originalId);
  const witnesses = new Set(modules.flatMap((module) => listWitnesses(code, module)));
  const found = new Map<string, WitnessLeakClaim>();
  const note = (witness: string, fn: string) =>
    found.set(`${witness} ${fn}`, { kind: 'witnessLeak', verdict: 'may', witness, function: fn });
  const leaking = findLeakingParameters(code, modules);
  for (const module of modules) {
    for (const { function: index, visibility, is_entry, code: body } of module.functions) {
      const handle = module.handle(index);
      const fn = `${module.address}::${module.name}::${handle.name}`;
      if (visibility === 'Public' || is_entry) {
        const lent = handle.parameters.filter((type) => type.kind === 'reference' && type.mutable);
        for (const witness of within(code, [...handle.returns, ...lent], witnesses)) note(witness, fn);
      }
      for (const type of listHandedOn(code, module, body, leaking)) {
        for (const witness of within(code, [type], witnesses)) note(witness, fn);
      }
    }
  }
  return [...found.values()];
}

/** Type parameters of which a function hands values on to other code, by function. */
type LeakingParameters = ReadonlyMap<string, ReadonlySet<number>>;

function findLeakingParameters(code: LinkedCode, modules: readonly CodeModule[]): LeakingParameters {
  const leaking = new Map<string, Set<number>>();
  for (let changed = true; changed; ) {
    changed = false;
    for (const module of modules) {
      for (const { function: index, code: body } of module.functions) {
        const name = functionName(module.handle(index));
        const known = leaking.get(name) ?? new Set<number>();
        const { size } = known;
        for (const type of listHandedOn(code, module, body, leaking)) {
          for (const parameter of type ? listTypeParameters(type) : []) known.add(parameter);
        }
        leaking.set(name, known);
        changed ||= known.size > size;
      }
    }
  }
  return leaking;
}

/** The types of values that a function hands on to other packages' code, or to functions that do so. */
function* listHandedOn(
  code: LinkedCode,
  module: CodeModule,
  body: CodeModule['functions'][number]['code'],
  leaking: LeakingParameters,
): Iterable<MoveType | undefined> {
  for (const instruction of body?.code ?? []) {
    const [name, operand] = instructionParts(instruction);
    if (name !== 'Call' && name !== 'CallGeneric') continue;
    const { handle: callee, typeArgs } = module.callee(name, Number(operand));
    if (!isForeign(module, callee)) {
      for (const parameter of leaking.get(functionName(callee)) ?? []) yield typeArgs[parameter];
      continue;
    }
    const uses = findUsed(code, callee);
    for (const [i, type] of callee.parameters.entries()) {
      if (uses?.has(i) ?? true) yield substitute(type, typeArgs);
    }
  }
}

const functionName = ({ address, module, name }: FunctionHandle): string => `${address}::${module}::${name}`;

/**
 * The structs that can name a service: plain ones with drop alone, without the one-time witness, and others that can be
 * dropped if a wallet gets their type.
 */
function listWitnesses(code: LinkedCode, module: CodeModule): string[] {
  const { json, address, name } = module;
  const named = new Set(listNamedToWallets(code, module));
  return json.struct_defs
    .map(({ struct_handle }) => json.datatype_handles[struct_handle]!)
    .filter(({ type_parameters }) => type_parameters.length === 0)
    .map(({ abilities, name: struct }) => ({ abilities, struct: json.identifiers[struct]! }))
    .filter(({ abilities, struct }) => {
      if (abilities === dropBit) return struct !== name.toUpperCase();
      const isObject = (abilities & keyBit) !== 0;
      return (abilities & dropBit) !== 0 && !isObject && named.has(`${address}::${name}::${struct}`);
    })
    .map(({ struct }) => `${address}::${name}::${struct}`);
}

/** The datatypes that a module passes to wallets as type arguments. */
function* listNamedToWallets(code: LinkedCode, module: CodeModule): Iterable<string> {
  for (const { code: body } of module.functions) {
    for (const instruction of body?.code ?? []) {
      const [name, operand] = instructionParts(instruction);
      if (name !== 'CallGeneric') continue;
      const { handle, typeArgs } = module.callee(name, Number(operand));
      if (!definesWallet(code, handle.address)) continue;
      for (const type of typeArgs) if (type.kind === 'datatype') yield datatypeName(type);
    }
  }
}

const isForeign = (module: CodeModule, { address }: FunctionHandle): boolean =>
  address !== module.address && !isSystemPackage(address);

/** The locals that the code of a function reads. Undefined if the code is not there. */
function findUsed(code: LinkedCode, handle: FunctionHandle): ReadonlySet<number> | undefined {
  const found = code.find(handle);
  const body = found?.module.functions[found.index]?.code;
  return body ? readLocals(toInstructions(body)) : undefined;
}

function within(
  code: LinkedCode,
  types: readonly (MoveType | undefined)[],
  witnesses: ReadonlySet<string>,
): string[] {
  const found = types.flatMap((type) => [...listMentions(code, type)]);
  return [...new Set(found)].filter((name) => witnesses.has(name));
}

/** The datatypes in a type: itself, its arguments by value, and what it contains. */
function listMentions(code: LinkedCode, type: MoveType | undefined): Iterable<string> {
  if (!type) return [];
  if (type.kind === 'reference') return listMentions(code, type.to);
  if (type.kind === 'vector') return listMentions(code, type.item);
  if (type.kind !== 'datatype') return [];
  const args = type.args.filter((_, i) => !type.phantoms[i]).flatMap((arg) => [...listMentions(code, arg)]);
  return [datatypeName(type), ...args, ...(listParts(code, type) ?? [])];
}

function definesWallet(code: LinkedCode, address: string): boolean {
  const module = code.module(address, 'wallet');
  return (
    module?.json.struct_defs.some(({ struct_handle }) => {
      const handle = module.json.datatype_handles[struct_handle]!;
      return module.identifier(handle.name) === 'Wallet';
    }) ?? false
  );
}
