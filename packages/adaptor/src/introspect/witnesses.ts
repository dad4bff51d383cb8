import { instructionParts } from '@adaptor-marketplace/move-bytecode';
import type { CodeModule } from './code/module.ts';
import { abilityNames } from './code/move-type.ts';
import type { Program } from './code/program.ts';
import type { IntrospectedWitness } from './types.ts';
import { findWitnessWarnings, type WitnessStruct } from './witness-warnings.ts';

/**
 * Finds the structs of a package that name a service, in the order of their definitions. These are the structs without
 * fields or type parameters whose only ability is drop. The result also includes structs that the code passes to a
 * wallet as the witness of a service, although they have another ability or are generic. A one-time witness is not one:
 * there is no second value after `init`.
 */
export async function findWitnesses(
  program: Program,
  modules: readonly CodeModule[],
  pause: () => Promise<void>,
): Promise<IntrospectedWitness[]> {
  const { id, originalId, typeOrigins } = program.root;
  const found: WitnessStruct[] = [];
  const handed = await findHandedToWallets(program, modules, pause);
  for (const module of modules) {
    const oneTime = findOneTimeWitness(module);
    for (const struct of listStructs(module, originalId)) {
      const known = struct.isEmpty && struct.abilities.join() === 'drop' && !struct.isGeneric;
      if (struct.name !== oneTime && (known || (isFlawed(struct) && handed.has(buildKey(struct))))) {
        found.push(struct);
      }
    }
  }
  const warnings = await findWitnessWarnings(modules, found, pause);
  return found.map((struct, i) => {
    const { module, name } = struct;
    const definingId = typeOrigins.get(buildKey(struct)) ?? id;
    return { module, name, serviceType: `${definingId}::${module}::${name}`, warnings: warnings[i]! };
  });
}

interface Struct extends WitnessStruct {
  isEmpty: boolean;
}

/**
 * Lists a module's structs, in the order of their definitions.
 * @param address original id of the package
 */
export function listStructs(module: CodeModule, address: string): Struct[] {
  const { json } = module;
  return json.struct_defs.map(({ struct_handle, field_information: information }) => {
    const handle = json.datatype_handles[struct_handle]!;
    return {
      module: module.name,
      name: module.identifier(handle.name),
      address,
      abilities: abilityNames(handle.abilities),
      isGeneric: handle.type_parameters.length > 0,
      isEmpty: information !== 'Native' && isEmpty(module, information.Declared),
    };
  });
}

const buildKey = ({ module, name }: { module: string; name: string }) => `${module}::${name}`;

const isFlawed = ({ abilities, isGeneric }: Struct) => abilities.length > 1 || isGeneric;

/** Returns `true` for a struct without fields. The compiler gives it one `dummy_field: bool`. */
function isEmpty(module: CodeModule, [field, ...others]: { name: number; signature: unknown }[]): boolean {
  if (!field) return true;
  return others.length === 0 && module.identifier(field.name) === 'dummy_field' && field.signature === 'Bool';
}

function findOneTimeWitness(module: CodeModule): string | undefined {
  const index = module.indexOf('init');
  if (index === undefined) return undefined;
  const [first] = module.handle(module.functions[index]!.function).parameters;
  if (first?.kind !== 'datatype' || first.module !== module.name) return undefined;
  return first.name === module.name.toUpperCase() ? first.name : undefined;
}

/**
 * The bit of `drop`, the only ability that a wallet's functions require of a witness. Assets have `key` and `store`.
 */
const dropAlone = 2;

/** Finds the package's datatypes, by `module::Name`, whose values it passes to wallet functions that take a witness. */
async function findHandedToWallets(
  program: Program,
  modules: readonly CodeModule[],
  pause: () => Promise<void>,
): Promise<Set<string>> {
  const handed = new Set<string>();
  for (const module of modules) {
    const seen = new Set<unknown>();
    for (const { code } of module.functions) {
      for (const instruction of code?.code ?? []) {
        const [name, operand] = instructionParts(instruction);
        if (name !== 'CallGeneric' || seen.has(operand)) continue;
        seen.add(operand);
        const { handle, typeArgs } = module.callee(name, operand as number);
        if (handle.address === module.address || !program.definesWallet(handle.address)) continue;
        for (const parameter of handle.parameters) {
          if (parameter.kind !== 'parameter' || handle.constraints[parameter.index] !== dropAlone) continue;
          const given = typeArgs[parameter.index];
          if (given?.kind === 'datatype' && given.address === module.address) handed.add(buildKey(given));
        }
      }
      await pause();
    }
  }
  return handed;
}
