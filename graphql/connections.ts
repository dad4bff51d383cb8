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

/**
 * A value for each context, made when it is first asked for. The context holds it: what a WeakMap holds survives the quick
 * collections of garbage, and with it all that a query has read, until the slow one.
 */
export function ofContext<Value>(make: (context: GraphContext) => Value): (context: GraphContext) => Value {
  return (context) => {
    context.values ??= new Map();
    const known = context.values.get(make) as Value | undefined;
    if (known !== undefined) return known;
    const made = make(context);
    context.values.set(make, made);
    return made;
  };
}

/** Loads values by their keys: what one level of a query asks for is one statement. */
export function batched<Key, Value>(
  load: (db: Queryable, keys: readonly Key[], context: GraphContext) => Promise<readonly Value[]>,
) {
  const loaderOf = ofContext(
    (context) =>
      new DataLoader<Key, Value, string>((keys) => load(context.db, keys, context), {
        cacheKeyFn: (key) => JSON.stringify(key),
      }),
  );
  return (context: GraphContext, key: Key): Promise<Value> => loaderOf(context).load(key);
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

class PageInfo {
  readonly hasNextPage: boolean;
  readonly hasPreviousPage: boolean;
  readonly #page: Shown<unknown>;

  constructor(page: Shown<unknown>, { after, before, backward }: Ends) {
    this.#page = page;
    this.hasNextPage = backward ? before !== undefined : page.hasMore;
    this.hasPreviousPage = backward ? page.hasMore : after !== undefined;
  }

  get startCursor(): string | null {
    return this.#page.items.length === 0 ? null : this.#page.cursorAt(0);
  }

  get endCursor(): string | null {
    const { length } = this.#page.items;
    return length === 0 ? null : this.#page.cursorAt(length - 1);
  }
}

/** Between which cursors a page is, and at which end. */
type Ends = Pick<Paging, 'after' | 'before' | 'backward'>;

/** A page as a Relay connection. */
export function toConnection<Item, Node>(
  page: Shown<Item>,
  toNode: (item: Item, at: number) => Node,
  ends: Ends,
  total: () => number | Promise<number>,
) {
  return {
    edges: page.items.map((item, at) => new Edge(toNode(item, at), page, at)),
    pageInfo: new PageInfo(page, ends),
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
  /** The page that was read with an object; undefined where none was. */
  function below(object: object): ListPage<Item> | undefined {
    const read = (object as WithBelow)[readBelow];
    const at = read?.lists.findIndex(({ of }) => of === list) ?? -1;
    return read?.pages[at] as ListPage<Item> | undefined;
  }
  return { list, listFor, read, below };
}

type Pages<Key extends Paging, Row, Item> = ReturnType<typeof pagesOf<Key, Row, Item>>;

/** Pages that were read with an object. Of each list there is one, and one field that asks for it. */
const readBelow = Symbol('pages read with an object');

interface WithBelow {
  [readBelow]?: { lists: readonly ListBelow[]; pages: readonly ListPage<unknown>[] };
}

/** A list of each item of a page, which is read with the page and kept with the items. */
export interface ListBelow extends Below {
  /** What its pages are kept as. */
  of: unknown;
}

/** @param key what names the item in it is not read: the statement of the page has it */
export function listBelow<Key extends Paging, Row, Item>(pages: Pages<Key, Row, Item>, key: Key): ListBelow {
  return { ...belowOf(pages.listFor([key]) as AnyList<never, unknown>, key), of: pages.list };
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

  function connect(
    context: GraphContext,
    key: Key,
    page: Shown<Item>,
    toOwn: (item: Item, at: number) => Node,
  ) {
    return toConnection(page, toOwn, key, () => {
      const { after: _after, before: _before, ...whole } = key;
      return count(context, { ...whole, first: 0, backward: false } as unknown as Key);
    });
  }

  /** @param below lists that are read with each item */
  async function read(context: GraphContext, key: Key, below: readonly ListBelow[] = []) {
    // Before they meet the keys of others in one statement, which a wrong one would fail.
    for (const end of ['after', 'before'] as const) {
      const cursor = key[end];
      if (cursor !== undefined) atArgument(end, () => parseListCursor(list, cursor));
    }
    const toOwn = (item: Item) => toNode(item, key);
    if (below.length === 0) return connect(context, key, (await pages.read(context, key)) ?? noPage, toOwn);
    const found = await readPageWith(context.db, list, key, below);
    return connect(context, key, found.page, (item, at) => {
      const own: WithBelow = { [readBelow]: { lists: below, pages: found.below[at]! } };
      return Object.assign(toOwn(item) as object, own) as Node;
    });
  }

  /** The connection of an object: without a promise where it was read with the object. */
  function of(object: object, context: GraphContext, key: Key) {
    const page = pages.below(object);
    return page ? connect(context, key, page, (item) => toNode(item, key)) : read(context, key);
  }

  return Object.assign(read, { pages, of });
}
