import type { CodeModule } from './code/module.ts';
import { abilityNames } from './code/move-type.ts';
import type { IntrospectedWitness } from './types.ts';

/**
 * The structs of a module that can name a service: without fields or type parameters, and able to do nothing but be
 * dropped, so that only the module itself can make one. A one-time witness is none: after `init` there is no other.
 */
export function witnessesOf(
  module: CodeModule,
  definingId: (module: string, name: string) => string,
): IntrospectedWitness[] {
  const { json } = module;
  const oneTime = oneTimeWitness(module);
  return json.struct_defs.flatMap(({ struct_handle, field_information: information }) => {
    const handle = json.datatype_handles[struct_handle]!;
    const name = module.identifier(handle.name);
    const abilities = abilityNames(handle.abilities).join();
    if (abilities !== 'drop' || handle.type_parameters.length > 0 || name === oneTime) return [];
    if (information === 'Native' || !isEmpty(module, information.Declared)) return [];
    const serviceType = `${definingId(module.name, name)}::${module.name}::${name}`;
    return [{ module: module.name, name, serviceType }];
  });
}

/** The compiler gives a struct without fields one `dummy_field: bool`. */
function isEmpty(module: CodeModule, [field, ...others]: { name: number; signature: unknown }[]): boolean {
  if (!field) return true;
  return others.length === 0 && module.identifier(field.name) === 'dummy_field' && field.signature === 'Bool';
}

function oneTimeWitness(module: CodeModule): string | undefined {
  const index = module.indexOf('init');
  if (index === undefined) return undefined;
  const [first] = module.handle(module.functions[index]!.function).parameters;
  if (first?.kind !== 'datatype' || first.module !== module.name) return undefined;
  return first.name === module.name.toUpperCase() ? first.name : undefined;
}
