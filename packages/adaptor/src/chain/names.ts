/** A Move type without type parameters, in the form the chain itself prints. */
export interface ServiceType {
  /** `0x` + 64 lower-case hex digits + `::module::Witness`. */
  canonical: string;
  /** The package that first defined the witness (its defining id). */
  packageId: string;
  module: string;
  witness: string;
}

/** The registry's own bound on a service type (its contract aborts above it). */
const serviceTypeBytesMax = 256;

const addressPattern = /^(?:0[xX])?([0-9a-fA-F]{1,64})$/;
// The Move language's rule: a lone underscore is a wildcard, not a name.
const identifierPattern = /^(?:[a-zA-Z][a-zA-Z0-9_]*|_[a-zA-Z0-9_]+)$/;

/** `0x` + 64 lower-case hex digits; accepts short, upper-case and `0x`-less spellings, else undefined. */
export function normalizeAddress(text: string): string | undefined {
  const digits = addressPattern.exec(text)?.[1];
  return digits === undefined ? undefined : `0x${digits.toLowerCase().padStart(64, '0')}`;
}

/** Returns `true` if the text is a valid name of a Move module, datatype or function. */
export function isMoveIdentifier(text: string): boolean {
  return text.length <= 128 && identifierPattern.test(text);
}

/**
 * Parses a service type from a registry. A registry that does not insist on the canonical form may hold short
 * addresses, upper-case hex or a missing `0x`; those spell the same type. For every other deviation, returns an error
 * that says what is wrong, for the read model and the publisher.
 */
export function parseServiceType(text: string): ServiceType | { error: string } {
  if (new TextEncoder().encode(text).length > serviceTypeBytesMax) {
    return { error: `longer than ${serviceTypeBytesMax} bytes` };
  }
  if (/[<>]/.test(text)) return { error: 'a witness has no type parameters' };
  const parts = text.split('::');
  const [address, module, witness] = parts;
  if (address === undefined || module === undefined || witness === undefined || parts.length !== 3) {
    return { error: 'expected the form 0x<package>::<module>::<Witness>' };
  }
  const packageId = normalizeAddress(address);
  if (packageId === undefined) return { error: 'the package is not an address of up to 64 hex digits' };
  if (!isMoveIdentifier(module)) return { error: 'the module is not a Move identifier' };
  if (!isMoveIdentifier(witness)) return { error: 'the witness is not a Move identifier' };
  const canonical = `${packageId}::${module}::${witness}`;
  if (canonical.length > serviceTypeBytesMax) {
    return { error: `longer than ${serviceTypeBytesMax} bytes in canonical form` };
  }
  return { canonical, packageId, module, witness };
}

const typeNameTokens = /[<>,]|[^<>,]+/g;
const typeNamePath = /^([0-9a-f]{64})::([a-zA-Z0-9_]+)::([a-zA-Z0-9_]+)$/;
const primitives = new Set(['bool', 'u8', 'u16', 'u32', 'u64', 'u128', 'u256', 'address', 'signer']);

/**
 * Converts Move's `TypeName` spelling (64 lower-case hex digits without `0x`, type arguments after a comma without
 * space) to one with `0x` before each address. Returns undefined for a text that no `TypeName` can hold.
 */
export function canonicalTypeName(typeName: string): string | undefined {
  let previous = 'start';
  let depth = 0;
  let canonical = '';
  for (const token of typeName.match(typeNameTokens) ?? []) {
    const kind = classifyToken(token);
    if (!kind || !followers[previous]?.includes(kind)) return undefined;
    if (kind === '<') depth += 1;
    if (kind === '>') depth -= 1;
    if (depth < (kind === ',' ? 1 : 0)) return undefined;
    canonical += kind === 'path' ? `0x${token}` : token;
    previous = kind;
  }
  return depth === 0 && followers[previous]?.includes('>') ? canonical : undefined;
}

/** Kinds of tokens that may follow each kind. */
const followers: Record<string, readonly string[]> = {
  start: ['path', 'primitive', 'vector'],
  '<': ['path', 'primitive', 'vector'],
  ',': ['path', 'primitive', 'vector'],
  path: ['<', ',', '>'],
  vector: ['<'],
  primitive: [',', '>'],
  '>': [',', '>'],
};

function classifyToken(token: string): string | undefined {
  if (token === 'vector' || /^[<>,]$/.test(token)) return token;
  if (primitives.has(token)) return 'primitive';
  const [, , module, name] = typeNamePath.exec(token) ?? [];
  return module && name && isMoveIdentifier(module) && isMoveIdentifier(name) ? 'path' : undefined;
}

/** The spelling of `TypeName` for a canonical type: the inverse of `canonicalTypeName`. */
export function toTypeName(canonical: string): string {
  return canonical.replace(/0x(?=[0-9a-f]{64}::)/g, '');
}
