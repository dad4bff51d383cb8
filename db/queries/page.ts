/** A part of a list that is too long to be read at once. */
export interface Page<Item> {
  items: Item[];
  /** Cursor of each item, in the same order. */
  cursors: string[];
  hasMore: boolean;
}

/** Makes a page of the rows of a statement that was asked for one more than `limit`. */
export function toPage<Row, Item>(
  rows: readonly Row[],
  limit: number,
  toItem: (row: Row) => Item,
  toCursor: (row: Row) => string,
): Page<Item> {
  const shown = rows.slice(0, limit);
  return { items: shown.map(toItem), cursors: shown.map(toCursor), hasMore: rows.length > limit };
}
