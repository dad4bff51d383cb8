/** Arrays and objects inside one another. No body of this API needs half of it; code that recurses stays far from its stack's end. */
export const jsonDepthMax = 64;

/**
 * What keeps a parsed JSON value from being used: too deep a nesting, or text that PostgreSQL does not store (U+0000,
 * half of a surrogate pair), in keys too. Undefined for a sound value. Walks without recursion, so that depth costs
 * no stack.
 */
export function faultOf(value: unknown): string | undefined {
  const open: { value: unknown; depth: number }[] = [{ value, depth: 0 }];
  for (let next = open.pop(); next; next = open.pop()) {
    const { value: inner, depth } = next;
    if (typeof inner === 'string' && !isStorable(inner)) return 'holds U+0000 or half of a surrogate pair';
    if (typeof inner !== 'object' || inner === null) continue;
    if (depth >= jsonDepthMax) return `is nested deeper than ${jsonDepthMax} levels`;
    for (const [key, child] of Object.entries(inner)) {
      if (!isStorable(key)) return 'holds U+0000 or half of a surrogate pair';
      open.push({ value: child, depth: depth + 1 });
    }
  }
  return undefined;
}

const isStorable = (text: string): boolean => !text.includes('\0') && text.isWellFormed();
