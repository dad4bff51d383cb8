/** All addresses below 0x10000. */
const systemPrefix = `0x${'0'.repeat(60)}`;

/**
 * Returns `true` for a package of the chain itself. Only these are upgraded under the same id, and all code may call
 * them.
 * @param id in long form
 */
export function isSystemPackage(id: string): boolean {
  return id.startsWith(systemPrefix);
}
