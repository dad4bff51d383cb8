import type { Program } from '../certify/index.ts';

/**
 * The ids that the chain spells types with, by the name that bytecode has for them: `0x<original id>::module::Name`. Only those of
 * types that a later version of their package defined.
 */
export function listTypeOrigins({ root, dependencies }: Program): Map<string, string> {
  const found = new Map<string, string>();
  for (const { originalId, typeOrigins } of [root, ...dependencies]) {
    for (const [name, id] of typeOrigins) if (id !== originalId) found.set(`${originalId}::${name}`, id);
  }
  return found;
}
