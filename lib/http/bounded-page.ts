import type { Page } from '../../db/queries/page.ts';

/** Most entries of an answer, and most bytes of it as JSON. Whichever is reached first ends a page. */
export const answerEntriesMax = 1_000;
export const answerBytesMax = 4_000_000;

/** The beginning of a page that fits an answer, each item as its JSON. */
interface BoundedPage {
  items: string[];
  /** Cursor of the last item where the page, or the list behind it, goes on. */
  nextCursor: string | undefined;
}

/**
 * Writes the items of a page until the answer is full. One item always fits: else no cursor could lead past it.
 * @param bytesMax UTF-8 bytes of the items and the commas between them
 */
export function boundPage(
  { items, cursors, hasMore }: Page<unknown>,
  bytesMax = answerBytesMax,
): BoundedPage {
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

/** The items of a page themselves, cut where an answer would be full. */
export function cutPage<Item>(
  page: Page<Item>,
  bytesMax?: number,
): { items: Item[]; nextCursor: string | undefined } {
  const { items, nextCursor } = boundPage(page, bytesMax);
  return { items: page.items.slice(0, items.length), nextCursor };
}
