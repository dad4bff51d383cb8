import { z } from 'zod';
import { type ProblemError, problem } from '../../lib/errors/index.ts';

/** A part of a list that is too long to read at once. */
export interface Page<Item> {
  items: Item[];
  /** Cursor of each item, in the same order. */
  cursors: string[];
  hasMore: boolean;
}

/** A page that creates its cursors on demand: most callers use none of them, or one. */
export interface ListPage<Item> extends Page<Item> {
  cursorAt(index: number): string;
}

/**
 * A class instead of an object literal with a getter: the literal has a hidden class of its own, which keeps the page
 * and its rows alive until a slow garbage collection.
 */
export class LazyPage<Item> implements ListPage<Item> {
  readonly items: Item[];
  readonly hasMore: boolean;
  readonly cursorAt: (index: number) => string;

  constructor(items: Item[], hasMore: boolean, cursorAt: (index: number) => string) {
    this.items = items;
    this.hasMore = hasMore;
    this.cursorAt = cursorAt;
  }

  get cursors(): string[] {
    return this.items.map((_, at) => this.cursorAt(at));
  }
}

/** Returns a page from the rows of a statement whose limit was one more than `limit`. */
export function toPage<Row, Item>(
  rows: readonly Row[],
  limit: number,
  toItem: (row: Row) => Item,
  toCursor: (row: Row) => string,
): Page<Item> {
  const shown = rows.slice(0, limit);
  return { items: shown.map(toItem), cursors: shown.map(toCursor), hasMore: rows.length > limit };
}

/** A cursor that this service did not issue, or issued for another query. */
function badCursor(): ProblemError {
  const detail = 'The cursor was not issued for this query. Start again without it.';
  return problem('bad_cursor', detail, { errors: [{ path: 'query.cursor', message: detail }] });
}

const cursorLengthMax = 2048;

/** Encodes sort key and id as one opaque word. */
export function encodeCursor(parts: readonly (string | number)[]): string {
  return Buffer.from(JSON.stringify(parts)).toString('base64url');
}

/** @throws ProblemError `bad_cursor` */
export function decodeCursor<T>(cursor: string, shape: z.ZodType<T>): T {
  if (cursor.length > cursorLengthMax || !/^[A-Za-z0-9_-]+$/.test(cursor)) throw badCursor();
  try {
    return shape.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8')));
  } catch {
    throw badCursor();
  }
}

/**
 * Returns the id before which a page of a list begins that has the highest ids first. Without a cursor it is above all ids. The
 * page begins there in the index, so its cost does not depend on its depth.
 * @throws ProblemError `bad_cursor`
 */
export const decodeIdCursor = (cursor: string | undefined): number =>
  cursor === undefined ? Number.MAX_SAFE_INTEGER : decodeCursor(cursor, z.tuple([z.int().positive()]))[0];

/** Returns a page of a list that has the highest ids first, as `toPage` does. */
export const toIdPage = <Row extends { id: number }, Item>(
  rows: readonly Row[],
  limit: number,
  toItem: (row: Row) => Item,
): Page<Item> => toPage(rows, limit, toItem, ({ id }) => encodeCursor([id]));

/** Text that PostgreSQL can store and compare. */
export const cursorText = z.string().refine((text) => !text.includes('\0') && text.isWellFormed());
