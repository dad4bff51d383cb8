import { createContextCache } from '@pothos/core';
import DataLoader from 'dataloader';
import {
  type AnyList,
  type KeyedList,
  type Paging,
  parseListCursor,
  readCounts,
  readPagesOf,
} from '../db/queries/lists.ts';
import { type Below, belowOf, readPageWith } from '../db/queries/lists-below.ts';
import type { ListPage } from '../db/queries/page.ts';
import type { Queryable } from '../db/queries/queryable.ts';
import { ProblemError, problem } from '../lib/errors/index.ts';
import type { GraphContext } from './builder.ts';

/** Loads values by their keys: what one level of a query asks for is one statement. */
export function batched<Key, Value>(
  load: (db: Queryable, keys: readonly Key[], context: GraphContext) => Promise<readonly Value[]>,
) {
  const loaderOf = createContextCache(
    (context) =>
      new DataLoader<Key, Value, string>(
        (keys) => load((context as GraphContext).db, keys, context as GraphContext),
        { cacheKeyFn: (key) => JSON.stringify(key) },
      ),
  );
  const read = (context: GraphContext, key: Key): Promise<Value> => loaderOf(context).load(key);
  /** Takes a value that another statement has read. */
  const take = (context: GraphContext, key: Key, value: Value): void =>
    void loaderOf(context).prime(key, value);
  return Object.assign(read, { take });
}

/** What a connection shows: its items, and cursors that are made when they are asked for. */
type Shown<Item> = Pick<ListPage<Item>, 'items' | 'cursorAt' | 'hasMore'>;

class Edge<Node> {
  readonly node: Node;
  readonly #page: Shown<unknown>;
  readonly #at: number;

  constructor(node: Node, page: Shown<unknown>, at: number) {
    this.node = node;
    this.#page = page;
    this.#at = at;
  }

  get cursor(): string {
    return this.#page.cursorAt(this.#at);
  }
}

/** A page as a Relay connection. */
export function toConnection<Item, Node>(
  page: Shown<Item>,
  toNode: (item: Item) => Node,
  { after, before, backward }: Pick<Paging, 'after' | 'before' | 'backward'>,
  total: () => number | Promise<number>,
) {
  const last = page.items.length - 1;
  return {
    edges: page.items.map((item, at) => new Edge(toNode(item), page, at)),
    pageInfo: {
      hasNextPage: backward ? before !== undefined : page.hasMore,
      hasPreviousPage: backward ? page.hasMore : after !== undefined,
      get startCursor() {
        return last < 0 ? null : page.cursorAt(0);
      },
      get endCursor() {
        return last < 0 ? null : page.cursorAt(last);
      },
    },
    total,
  };
}

/** Of a parent that does not exist. */
const noPage: Shown<never> = { items: [], cursorAt: () => '', hasMore: false };

/** Runs what reads a cursor. A refusal names the argument that has it. */
export function atArgument<Value>(path: string, read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof ProblemError) || error.code !== 'bad_cursor') throw error;
    throw problem('bad_cursor', error.message, { errors: [{ path, message: error.message }] });
  }
}

/** The list that is read where one key of a level asks for more of each item. */
interface Fuller<Key, Row, Item> {
  list: KeyedList<Key, Row, Item>;
  isAsked(key: Key): boolean;
}

/** Loads pages of a list: those of one level of a query are one statement. */
export function pagesOf<Key extends Paging, Row, Item>(
  list: KeyedList<Key, Row, Item>,
  fuller?: Fuller<Key, Row, Item>,
) {
  const listFor = (keys: readonly Key[]) => (fuller && keys.some(fuller.isAsked) ? fuller.list : list);
  const read = batched((db, keys: readonly Key[]) => readPagesOf(db, listFor(keys), keys));
  return { read, listFor };
}

export type Pages<Key extends Paging, Row, Item> = ReturnType<typeof pagesOf<Key, Row, Item>>;

/** A list of each item of a page, which is read with the page and kept for the fields of the items. */
export interface ListBelow extends Below {
  /** @param of what names the item, by the columns of the list's key */
  take(context: GraphContext, of: Readonly<Record<string, unknown>>, page: ListPage<unknown>): void;
}

/** @param keyOf the key of the list for an item, by the columns of its key */
export function listBelow<Key extends Paging, Row, Item>(
  pages: Pages<Key, Row, Item>,
  keyOf: (of: Readonly<Record<string, unknown>>) => Key,
): ListBelow {
  const key = keyOf({});
  return {
    ...belowOf(pages.listFor([key]) as AnyList<never, unknown>, key),
    take: (context, of, page) => pages.read.take(context, keyOf(of), page as ListPage<Item>),
  };
}

/** Reads a page of a list together with lists of its items. */
async function readWith<Key extends Paging, Row, Item>(
  context: GraphContext,
  list: KeyedList<Key, Row, Item>,
  key: Key,
  lists: readonly ListBelow[],
): Promise<ListPage<Item>> {
  const { page, below } = await readPageWith(context.db, list, key, lists);
  for (const { of, pages } of below) {
    for (const [at, { take }] of lists.entries()) take(context, of, pages[at]!);
  }
  return page;
}

/**
 * Reads connections of a list: the pages of one level of a query are one statement, and so are their lengths.
 * @param toNode what the graph shows of an item
 * @param fuller the list that is read where one key of the level asks for more of each item
 */
export function connectionsOf<Key extends Paging, Row, Item, Node = Item>(
  list: KeyedList<Key, Row, Item>,
  toNode: (item: Item, key: Key) => Node,
  fuller?: Fuller<Key, Row, Item>,
) {
  const pages = pagesOf(list, fuller);
  const count = batched((db, keys: readonly Key[]) => readCounts(db, list, keys));
  const read = async (context: GraphContext, key: Key, below: readonly ListBelow[] = []) => {
    // Before they meet the keys of others in one statement, which a wrong one would fail.
    for (const end of ['after', 'before'] as const) {
      const cursor = key[end];
      if (cursor !== undefined) atArgument(end, () => parseListCursor(list, cursor));
    }
    const read = below.length > 0 ? readWith(context, list, key, below) : pages.read(context, key);
    const page = (await read) ?? noPage;
    const toOwn = (item: Item) => toNode(item, key);
    return toConnection(page, toOwn, key, () => {
      const { after: _after, before: _before, ...whole } = key;
      return count(context, { ...whole, first: 0, backward: false } as unknown as Key);
    });
  };
  return Object.assign(read, { pages });
}
