/** About how many bytes of text and numbers the rows of a statement hold. Walks without recursion. */
export function bytesOf(rows: readonly unknown[]): number {
  const open: unknown[] = [...rows];
  let bytes = 0;
  while (open.length > 0) {
    const value = open.pop();
    if (typeof value === 'string') bytes += value.length;
    else if (typeof value === 'object' && value !== null && !(value instanceof Date)) {
      for (const [key, inner] of Object.entries(value)) {
        bytes += key.length;
        open.push(inner);
      }
    } else bytes += 8;
  }
  return bytes;
}
