import { instructionParts } from '@adaptor-marketplace/move-bytecode';
import type { CodeModule } from '../introspect/code/module.ts';
import { type MoveType, substitute } from '../introspect/code/move-type.ts';
import { isSystemPackage } from '../packages/system.ts';
import type { WitnessLeakClaim } from './claims.ts';
import type { LinkedCode } from './code/program.ts';
import { datatypeName } from './flow/path.ts';
import { listParts } from './locate.ts';

const dropAlone = 2;

/**
 * Finds how values of the package's witnesses get out: results of functions that other code can call, containers that a
 * caller lends, and calls of other packages that are not wallets.
 */
export function findWitnessLeaks(code: LinkedCode): WitnessLeakClaim[] {
  const modules = code.modules(code.root.originalId);
  const witnesses = new Set(modules.flatMap(listWitnesses));
  const found = new Map<string, WitnessLeakClaim>();
  const note = (witness: string, fn: string) =>
    found.set(`${witness} ${fn}`, { kind: 'witnessLeak', verdict: 'may', witness, function: fn });
  for (const module of modules) {
    for (const { function: index, visibility, is_entry, code: body } of module.functions) {
      const handle = module.handle(index);
      const fn = `${module.address}::${module.name}::${handle.name}`;
      if (visibility === 'Public' || is_entry) {
        const lent = handle.parameters.filter((type) => type.kind === 'reference' && type.mutable);
        for (const witness of within(code, [...handle.returns, ...lent], witnesses)) note(witness, fn);
      }
      for (const instruction of body?.code ?? []) {
        const [name, operand] = instructionParts(instruction);
        if (name !== 'Call' && name !== 'CallGeneric') continue;
        const { handle: callee, typeArgs } = module.callee(name, Number(operand));
        const isForeign = callee.address !== module.address && !isSystemPackage(callee.address);
        if (!isForeign || definesWallet(code, callee.address)) continue;
        const given = callee.parameters.map((type) => substitute(type, typeArgs));
        for (const witness of within(code, given, witnesses)) note(witness, fn);
      }
    }
  }
  return [...found.values()];
}

/** The structs that can name a service: plain ones with drop alone, without the one-time witness. */
function listWitnesses({ json, address, name }: CodeModule): string[] {
  return json.struct_defs
    .map(({ struct_handle }) => json.datatype_handles[struct_handle]!)
    .filter(({ abilities, type_parameters }) => abilities === dropAlone && type_parameters.length === 0)
    .map((handle) => json.identifiers[handle.name]!)
    .filter((struct) => struct !== name.toUpperCase())
    .map((struct) => `${address}::${name}::${struct}`);
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
