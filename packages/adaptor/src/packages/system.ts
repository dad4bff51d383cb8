/**
 * Whether a package belongs to the chain itself, by its id in long form. Those alone are upgraded under the same id,
 * and everyone's code calls them.
 */
export function isSystemPackage(id: string): boolean {
  return BigInt(id) < 0x1_0000n;
}
