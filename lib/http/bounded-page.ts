import type { Page } from '../../db/queries/page.ts';

/** Maximum entries of a response, and maximum bytes of it as JSON. The first limit that is reached ends a page. */
export const answerEntriesMax = 1_000;
export const answerBytesMax = 4_000_000;

/**
 * Writes items as JSON up to `bytesMax` UTF-8 bytes, with the cursor of the last one if the list has more. One always
 * fits: otherwise no cursor could get past it.
 */
export function boundPage(
  { items, cursors, hasMore }: Page<unknown>,
  bytesMax = answerBytesMax,
): { items: string[]; nextCursor: string | undefined } {
  const written: string[] = [];
  let bytes = 0;
  for (const item of items.slice(0, answerEntriesMax)) {
    const json = JSON.stringify(item);
    bytes += Buffer.byteLength(json) + 1;
    if (written.length > 0 && bytes > bytesMax) break;
    written.push(json);
  }
  const goesOn = hasMore || written.length < items.length;
  return { items: written, nextCursor: goesOn ? cursors[written.length - 1] : undefined };
}

/** Returns the items of a page that fit into a response. */
export function cutPage<Item>(
  page: Page<Item>,
  bytesMax?: number,
): { items: Item[]; nextCursor: string | undefined } {
  const { items, nextCursor } = boundPage(page, bytesMax);
  return { items: page.items.slice(0, items.length), nextCursor };
}
