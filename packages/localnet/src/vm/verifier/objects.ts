import { suiVerificationError } from '../errors.ts';
import { isFrameworkType } from '../framework.ts';
import type { LoadedModule } from '../loader/module.ts';
import { KEY } from '../types.ts';

/** Objects: what has `key` is a struct whose first field is `id: UID`. */
export function checkObjects(module: LoadedModule): void {
  for (const { name, abilities, body } of module.datatypes) {
    if ((abilities & KEY) === 0) continue;
    const first = body.kind === 'struct' ? body.fields[0] : undefined;
    if (first?.name === 'id' && isFrameworkType(first.type, 'sui', 'object', 'UID')) continue;
    throw suiVerificationError(`${module.name}::${name} has key, but its first field is not "id: UID"`);
  }
}
