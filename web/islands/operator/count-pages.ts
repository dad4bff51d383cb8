import type { Pages } from './section.ts';

/** Counts the items of all pages of a list for which `isCounted` holds. */
export async function countPages<Item>(
  load: (cursor?: string) => Promise<Pages<Item>>,
  isCounted: (item: Item) => boolean,
): Promise<number> {
  let total = 0;
  let cursor: string | undefined;
  do {
    const { items, nextCursor } = await load(cursor);
    total += items.filter(isCounted).length;
    cursor = nextCursor;
  } while (cursor !== undefined);
  return total;
}
