/** A number that depends on `parts` and reveals none of them. */
export function mix(...parts: unknown[]): number {
  let hash = 17;
  for (const character of JSON.stringify(parts))
    hash = Math.imul(hash ^ character.charCodeAt(0), 2_654_435_761);
  return (hash ^ (hash >>> 15)) >>> 0;
}
