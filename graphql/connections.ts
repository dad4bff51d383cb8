import { createContextCache } from '@pothos/core';
import DataLoader from 'dataloader';
import {
  type KeyedList,
  type Paging,
  parseListCursor,
  readCounts,
  readPagesOf,
} from '../db/queries/lists.ts';
import type { Page } from '../db/queries/page.ts';
import type { Queryable } from '../db/queries/queryable.ts';
import { ProblemError, problem } from '../lib/errors/index.ts';
import type { GraphContext } from './builder.ts';

/** Loads values by their keys: what one level of a query asks for is one statement. */
export function batched<Key, Value>(
  load: (db: Queryable, keys: readonly Key[], context: GraphContext) => Promise<readonly Value[]>,
): (context: GraphContext, key: Key) => Promise<Value> {
  const loaderOf = createContextCache(
    (context) =>
      new DataLoader<Key, Value, string>(
        (keys) => load((context as GraphContext).db, keys, context as GraphContext),
        { cacheKeyFn: (key) => JSON.stringify(key) },
      ),
  );
  return (context, key) => loaderOf(context).load(key);
}

/** Cursors of a page, made when the first is asked for: most queries ask for none, or for one. */
class Cursors {
  readonly #page: Pick<Page<unknown>, 'cursors'>;
  #made: readonly string[] | undefined;

  constructor(page: Pick<Page<unknown>, 'cursors'>) {
    this.#page = page;
  }

  at(index: number): string | undefined {
    this.#made ??= this.#page.cursors;
    return this.#made.at(index);
  }
}

class Edge<Node> {
  readonly node: Node;
  readonly #cursors: Cursors;
  readonly #at: number;

  constructor(node: Node, cursors: Cursors, at: number) {
    this.node = node;
    this.#cursors = cursors;
    this.#at = at;
  }

  get cursor(): string {
    return this.#cursors.at(this.#at)!;
  }
}

/** A page as a Relay connection. */
export function toConnection<Item, Node>(
  page: Page<Item>,
  toNode: (item: Item) => Node,
  { after, before, backward }: Pick<Paging, 'after' | 'before' | 'backward'>,
  total: () => number | Promise<number>,
) {
  const cursors = new Cursors(page);
  return {
    edges: page.items.map((item, at) => new Edge(toNode(item), cursors, at)),
    pageInfo: {
      hasNextPage: backward ? before !== undefined : page.hasMore,
      hasPreviousPage: backward ? page.hasMore : after !== undefined,
      get startCursor() {
        return cursors.at(0) ?? null;
      },
      get endCursor() {
        return cursors.at(-1) ?? null;
      },
    },
    total,
  };
}

/** Runs what reads a cursor. A refusal names the argument that has it. */
export function atArgument<Value>(path: string, read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof ProblemError) || error.code !== 'bad_cursor') throw error;
    throw problem('bad_cursor', error.message, { errors: [{ path, message: error.message }] });
  }
}

/**
 * Reads connections of a list: the pages of one level of a query are one statement, and so are their lengths.
 * @param toNode what the graph shows of an item
 * @param fuller the list that is read where one key of the level asks for more of each item
 */
export function connectionsOf<Key extends Paging, Row, Item, Node = Item>(
  list: KeyedList<Key, Row, Item>,
  toNode: (item: Item, key: Key) => Node,
  fuller?: { list: KeyedList<Key, Row, Item>; isAsked: (key: Key) => boolean },
) {
  const page = batched((db, keys: readonly Key[]) =>
    readPagesOf(db, fuller && keys.some(fuller.isAsked) ? fuller.list : list, keys),
  );
  const count = batched((db, keys: readonly Key[]) => readCounts(db, list, keys));
  return async (context: GraphContext, key: Key) => {
    // Before they meet the keys of others in one statement, which a wrong one would fail.
    for (const end of ['after', 'before'] as const) {
      const cursor = key[end];
      if (cursor !== undefined) atArgument(end, () => parseListCursor(list, cursor));
    }
    const read = (await page(context, key)) ?? { items: [], cursors: [], hasMore: false };
    const toOwn = (item: Item) => toNode(item, key);
    return toConnection(read, toOwn, key, () => {
      const { after: _after, before: _before, ...whole } = key;
      return count(context, { ...whole, first: 0, backward: false } as unknown as Key);
    });
  };
}
