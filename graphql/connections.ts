import DataLoader from 'dataloader';
import {
  type AnyList,
  type KeyedList,
  type Paging,
  parseListCursor,
  readCounts,
  readOptionalPages,
} from '../db/queries/lists.ts';
import { type NestedList, prepareNestedList, readPageWithNested } from '../db/queries/nested-lists.ts';
import type { ListPage } from '../db/queries/page.ts';
import type { Queryable } from '../db/queries/queryable.ts';
import { ProblemError, problem } from '../lib/errors/index.ts';
import type { GraphContext } from './builder.ts';

/**
 * Makes a value once for each context, at its first use. The context holds the value: entries of a WeakMap survive
 * minor garbage collections, and all that a query has read would stay in memory until a major one.
 */
export function memoizeByContext<Value>(
  make: (context: GraphContext) => Value,
): (context: GraphContext) => Value {
  return (context) => {
    context.values ??= new Map();
    const known = context.values.get(make) as Value | undefined;
    if (known !== undefined) return known;
    const made = make(context);
    context.values.set(make, made);
    return made;
  };
}

/** Loads values by key. All keys of one level of a query share one statement. */
export function batched<Key, Value>(
  load: (db: Queryable, keys: readonly Key[], context: GraphContext) => Promise<readonly Value[]>,
) {
  const getLoader = memoizeByContext(
    (context) =>
      new DataLoader<Key, Value, string>((keys) => load(context.db, keys, context), {
        cacheKeyFn: (key) => JSON.stringify(key),
      }),
  );
  return (context: GraphContext, key: Key): Promise<Value> => getLoader(context).load(key);
}

/** The part of a page that a connection shows: its items, and cursors that are made only when they are read. */
type ConnectionPage<Item> = Pick<ListPage<Item>, 'items' | 'cursorAt' | 'hasMore'>;

class Edge<Node> {
  readonly node: Node;
  readonly #page: ConnectionPage<unknown>;
  readonly #at: number;

  constructor(node: Node, page: ConnectionPage<unknown>, at: number) {
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
  readonly #page: ConnectionPage<unknown>;

  constructor(page: ConnectionPage<unknown>, { after, before, backward }: PageBounds) {
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

/** Cursors that bound a page, and the end of the list that the page is counted from. */
type PageBounds = Pick<Paging, 'after' | 'before' | 'backward'>;

export function toConnection<Item, Node>(
  page: ConnectionPage<Item>,
  toNode: (item: Item, at: number) => Node,
  ends: PageBounds,
  total: () => number | Promise<number>,
) {
  return {
    edges: page.items.map((item, at) => new Edge(toNode(item, at), page, at)),
    pageInfo: new PageInfo(page, ends),
    total,
  };
}

const emptyPage: ConnectionPage<never> = { items: [], cursorAt: () => '', hasMore: false };

export const emptyConnection = (ends: PageBounds) =>
  toConnection(
    emptyPage,
    (item) => item,
    ends,
    () => 0,
  );

/** Parses a cursor. If it is invalid, the error names its argument. @throws ProblemError `bad_cursor` */
export function checkCursor(path: 'after' | 'before', parse: () => unknown): void {
  try {
    parse();
  } catch (error) {
    if (!(error instanceof ProblemError) || error.code !== 'bad_cursor') throw error;
    throw problem('bad_cursor', error.message, { errors: [{ path, message: error.message }] });
  }
}

/** The list to read instead, if at least one key of a level requests more of each item. */
interface ExtendedList<Key, Row, Item> {
  list: KeyedList<Key, Row, Item>;
  isRequired(key: Key): boolean;
}

/** Loads pages of a list. All pages of one level of a query share one statement. */
export function createPageLoader<Key extends Paging, Row, Item>(
  list: KeyedList<Key, Row, Item>,
  extended?: ExtendedList<Key, Row, Item>,
) {
  const listFor = (keys: readonly Key[]) =>
    extended && keys.some(extended.isRequired) ? extended.list : list;
  const read = batched((db, keys: readonly Key[]) => readOptionalPages(db, listFor(keys), keys));
  /** Finds the page that was read together with an object. */
  function findNestedPage(object: object): ListPage<Item> | undefined {
    const nested = (object as WithNestedPages)[nestedPages];
    const at = nested?.lists.findIndex(({ cacheKey }) => cacheKey === list) ?? -1;
    return nested?.pages[at] as ListPage<Item> | undefined;
  }
  return { list, listFor, read, findNestedPage };
}

type Pages<Key extends Paging, Row, Item> = ReturnType<typeof createPageLoader<Key, Row, Item>>;

/** Pages that were read together with an object: one for each list, since only one field selects it. */
const nestedPages = Symbol('pages read with an object');

interface WithNestedPages {
  [nestedPages]?: { lists: readonly CachedNestedList[]; pages: readonly ListPage<unknown>[] };
}

/** A list of each item of a page. It is read together with the page, and cached on the items. */
export interface CachedNestedList extends NestedList {
  /** Identifies the list among those whose pages are cached on an item. */
  cacheKey: unknown;
}

/**
 * Describes a list that is read together with a page, once for each item.
 * @param key arguments of the list, without the fields that identify the item
 */
export function describeNestedList<Key extends Paging, Row, Item>(
  pages: Pages<Key, Row, Item>,
  key: Key,
): CachedNestedList {
  return { ...prepareNestedList(pages.listFor([key]) as AnyList<never, unknown>, key), cacheKey: pages.list };
}

/**
 * Reads connections of a list. All pages of one level of a query share one statement, and so do their counts.
 * @param toNode converts an item to its object in the graph
 * @param extended the list to read instead, if at least one key of the level requests more of each item
 */
export function createConnectionLoader<Key extends Paging, Row, Item, Node = Item>(
  list: KeyedList<Key, Row, Item>,
  toNode: (item: Item, key: Key) => Node,
  extended?: ExtendedList<Key, Row, Item>,
) {
  const pages = createPageLoader(list, extended);
  const count = batched((db, keys: readonly Key[]) => readCounts(db, list, keys));

  function buildConnection(
    context: GraphContext,
    key: Key,
    page: ConnectionPage<Item>,
    toEdgeNode: (item: Item, at: number) => Node,
  ) {
    return toConnection(page, toEdgeNode, key, () => {
      const { after: _after, before: _before, ...whole } = key;
      return count(context, { ...whole, first: 0, backward: false } as unknown as Key);
    });
  }

  /** @param lists nested lists that are read with each item */
  async function read(context: GraphContext, key: Key, lists: readonly CachedNestedList[] = []) {
    // Cursors are checked here: in the statement that several keys share, an invalid one would fail them all.
    for (const end of ['after', 'before'] as const) {
      const cursor = key[end];
      if (cursor !== undefined) checkCursor(end, () => parseListCursor(list, cursor));
    }
    const toEdgeNode = (item: Item) => toNode(item, key);
    // The parent of a page may not exist. Then there is no page.
    if (lists.length === 0)
      return buildConnection(context, key, (await pages.read(context, key)) ?? emptyPage, toEdgeNode);
    const result = await readPageWithNested(context.db, list, key, lists);
    return buildConnection(context, key, result.page, (item, at) => {
      const nested: WithNestedPages = { [nestedPages]: { lists, pages: result.nested[at]! } };
      return Object.assign(toEdgeNode(item) as object, nested) as Node;
    });
  }

  /** Returns the connection of an object. It is not a promise if the page was read together with the object. */
  function connect(object: object, context: GraphContext, key: Key) {
    const page = pages.findNestedPage(object);
    return page ? buildConnection(context, key, page, (item) => toNode(item, key)) : read(context, key);
  }

  return Object.assign(read, { pages, connect });
}
