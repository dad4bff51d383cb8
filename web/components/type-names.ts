/** Names of the listings of packages by the ids of the packages, 64 hex digits each. Strangers chose the names. */
export type PackageNames = ReadonlyMap<string, string>;

const systemPackages = new Map([
  [1n, 'the Move standard library'],
  [2n, 'the Sui framework'],
  [3n, 'the Sui system'],
]);

/** Longest name of a type that is shown in full. */
const nameMax = 80;

/** Longest type parameters that are folded, in characters. */
const parametersMax = 1_000;

const typeStart = /0x([0-9a-fA-F]{1,64})::(\w+::\w+)/g;

/** A Move type in a text. */
export interface NamedType {
  type: string;
  packageId: string;
  /** Module and name, with type parameters folded: `pool::Pool<…>`. */
  name: string;
}

/** Splits a text into its Move types and what is between them. */
export function splitTypes(text: string): (string | NamedType)[] {
  const pieces: (string | NamedType)[] = [];
  let from = 0;
  for (const { 0: start, 1: digits = '', 2: path = '', index } of text.matchAll(typeStart)) {
    // The types between the brackets of another one are folded with it.
    if (index < from) continue;
    const end = findEnd(text, index + start.length);
    const name = path.length > nameMax ? `${path.slice(0, nameMax - 1)}…` : path;
    pieces.push(text.slice(from, index), {
      type: text.slice(index, end),
      packageId: `0x${digits.toLowerCase().padStart(64, '0')}`,
      name: `${name}${end > index + start.length ? '<…>' : ''}`,
    });
    from = end;
  }
  return [...pieces, text.slice(from)].filter((piece) => piece !== '');
}

/** Finds the end of the type parameters that begin at a position; the position itself if none do. */
function findEnd(text: string, from: number): number {
  if (text[from] !== '<') return from;
  let depth = 0;
  for (let at = from; at < Math.min(text.length, from + parametersMax); at++) {
    if (text[at] === '<') depth++;
    if (text[at] === '>' && --depth === 0) return at + 1;
  }
  return from;
}

/** Formats a type as module and name, with its type parameters folded. A text that is not a type stays. */
export function nameType(type: string): string {
  return splitTypes(type)
    .map((piece) => (typeof piece === 'string' ? piece : piece.name))
    .join('');
}

/** Names a package that each network has; undefined for others. */
export const nameSystemPackage = (packageId: string): string | undefined =>
  systemPackages.get(BigInt(packageId));
