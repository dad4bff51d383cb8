/**
 * Returns `true` for a package of the chain itself. Only these are upgraded under the same id, and all code may call
 * them.
 * @param id in long form
 */
export function isSystemPackage(id: string): boolean {
  return BigInt(id) < 0x1_0000n;
}
