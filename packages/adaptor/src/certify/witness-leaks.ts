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
 * Finds the ways by which values of the package's witnesses get out: results of functions that other code can call,
 * mutable references that a caller lends, and calls of other packages, unless their code ignores the value, as a
 * wallet's code does, which only needs its type.
 */
export function findWitnessLeaks(code: LinkedCode): WitnessLeakClaim[] {
  const modules = code.modules(code.root.originalId);
  const witnesses = findWitnesses(code, modules);
  const found = new Map<string, WitnessLeakClaim>();
  const note = (types: readonly (MoveType | undefined)[], fn: string) => {
    for (const witness of listWitnessesIn(code, types, witnesses)) {
      found.set(`${witness} ${fn}`, { kind: 'witnessLeak', verdict: 'may', witness, function: fn });
    }
  };
  for (const module of modules) {
    for (const { function: index, visibility, is_entry } of module.functions) {
      if (visibility !== 'Public' && !is_entry) continue;
      const handle = module.handle(index);
      const lent = handle.parameters.filter((type) => type.kind === 'reference' && type.mutable);
      note([...handle.returns, ...lent], buildFunctionName(handle));
    }
  }
  for (const { fn, types } of findHandedOn(readCalls(code, modules))) note(types, fn);
  return [...found.values()];
}

/** The calls of a function by which values leave the package. */
interface LeavingCalls {
  fn: string;
  /** Types of the arguments that other packages' code uses. */
  given: readonly (MoveType | undefined)[];
  /** Calls of generic functions of the package, which may hand their arguments on. */
  generic: readonly { callee: string; typeArgs: readonly MoveType[] }[];
}

function readCalls(code: LinkedCode, modules: readonly CodeModule[]): LeavingCalls[] {
  const used = new Map<string, ReadonlySet<number> | undefined>();
  const findUsed = (callee: FunctionHandle) => {
    const name = buildFunctionName(callee);
    if (!used.has(name)) used.set(name, findUsedLocals(code, callee));
    return used.get(name);
  };
  return modules.flatMap((module) =>
    module.functions.map(({ function: index, code: body }): LeavingCalls => {
      const given: (MoveType | undefined)[] = [];
      const generic: { callee: string; typeArgs: readonly MoveType[] }[] = [];
      for (const instruction of body?.code ?? []) {
        const [name, operand] = instructionParts(instruction);
        if (name !== 'Call' && name !== 'CallGeneric') continue;
        const { handle: callee, typeArgs } = module.callee(name, Number(operand));
        if (isForeign(module, callee)) {
          const uses = findUsed(callee);
          const passed = callee.parameters.filter((_, i) => uses?.has(i) ?? true);
          given.push(...passed.map((type) => substitute(type, typeArgs)));
        } else if (typeArgs.length > 0) generic.push({ callee: buildFunctionName(callee), typeArgs });
      }
      return { fn: buildFunctionName(module.handle(index)), given, generic };
    }),
  );
}

/** Finds the types of values that each function passes to other packages' code, directly or by generic functions. */
function findHandedOn(calls: readonly LeavingCalls[]): { fn: string; types: (MoveType | undefined)[] }[] {
  const leaking = new Map<string, ReadonlySet<number>>();
  const listTypes = ({ given, generic }: LeavingCalls) => [
    ...given,
    ...generic.flatMap(({ callee, typeArgs }) => [...(leaking.get(callee) ?? [])].map((i) => typeArgs[i])),
  ];
  const callers = new Map<string, Set<LeavingCalls>>();
  for (const each of calls) {
    for (const { callee } of each.generic) callers.set(callee, (callers.get(callee) ?? new Set()).add(each));
  }
  // A function runs again after one that it calls has grown.
  const work = new Set(calls);
  for (const each of work) {
    work.delete(each);
    const parameters = new Set(listTypes(each).flatMap((type) => (type ? listTypeParameters(type) : [])));
    if (parameters.size === (leaking.get(each.fn)?.size ?? 0)) continue;
    leaking.set(each.fn, parameters);
    for (const caller of callers.get(each.fn) ?? []) work.add(caller);
  }
  return calls.map((each) => ({ fn: each.fn, types: listTypes(each) }));
}

const buildFunctionName = ({ address, module, name }: FunctionHandle): string =>
  `${address}::${module}::${name}`;

/**
 * Finds the structs that can name a service: those without type parameters whose only ability is drop, except a
 * one-time witness; and others with drop, except objects, whose type the package passes to a wallet.
 */
function findWitnesses(code: LinkedCode, modules: readonly CodeModule[]): ReadonlySet<string> {
  const named = new Set(modules.flatMap((module) => [...listNamedToWallets(code, module)]));
  const found = modules.flatMap(({ json, address, name }) =>
    json.struct_defs
      .map(({ struct_handle }) => json.datatype_handles[struct_handle]!)
      .filter(({ type_parameters }) => type_parameters.length === 0)
      .map(({ abilities, name: struct }) => ({ abilities, struct: json.identifiers[struct]! }))
      .filter(({ abilities, struct }) => {
        if (abilities === dropBit) return struct !== name.toUpperCase();
        const isObject = (abilities & keyBit) !== 0;
        return (abilities & dropBit) !== 0 && !isObject && named.has(`${address}::${name}::${struct}`);
      })
      .map(({ struct }) => `${address}::${name}::${struct}`),
  );
  return new Set(found);
}

/** Lists the datatypes that a module passes to wallets as type arguments. */
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

/** Finds the locals that the code of a function reads. Returns undefined if the code was not read. */
function findUsedLocals(code: LinkedCode, handle: FunctionHandle): ReadonlySet<number> | undefined {
  const found = code.find(handle);
  const body = found?.module.functions[found.index]?.code;
  return body ? readLocals(toInstructions(body)) : undefined;
}

function listWitnessesIn(
  code: LinkedCode,
  types: readonly (MoveType | undefined)[],
  witnesses: ReadonlySet<string>,
): string[] {
  const found = types.flatMap((type) => [...listMentions(code, type)]);
  return [...new Set(found)].filter((name) => witnesses.has(name));
}

/** Lists the datatypes in a type: itself, its arguments that are not phantom, and those that it contains. */
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
