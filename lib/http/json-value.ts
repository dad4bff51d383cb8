import type { FieldError } from '../errors/index.ts';

/** Arrays and objects inside one another. No body of this API needs half of it; code that recurses stays far from its stack's end. */
export const jsonDepthMax = 64;

const nameLengthMax = 80;
const unstorable = 'holds U+0000 or half of a surrogate pair';

/**
 * What keeps a parsed JSON value from being used: too deep a nesting, or text that PostgreSQL does not store (U+0000,
 * half of a surrogate pair), in keys too. Undefined for a sound value. Walks without recursion, so that depth costs
 * no stack.
 * @param path what the value itself is called
 */
export function faultOf(value: unknown, path: string): FieldError | undefined {
  const open: { value: unknown; path: string; depth: number }[] = [{ value, path, depth: 0 }];
  for (let next = open.pop(); next; next = open.pop()) {
    const { value: inner, path, depth } = next;
    if (typeof inner === 'string' && !isStorable(inner)) return { path, message: unstorable };
    if (typeof inner !== 'object' || inner === null) continue;
    if (depth >= jsonDepthMax) return { path, message: `is nested deeper than ${jsonDepthMax} levels` };
    for (const [key, child] of Object.entries(inner)) {
      if (!isStorable(key)) return { path, message: unstorable };
      open.push({ value: child, path: `${path}.${key.slice(0, nameLengthMax)}`, depth: depth + 1 });
    }
  }
  return undefined;
}

const isStorable = (text: string): boolean => !text.includes('\0') && text.isWellFormed();
