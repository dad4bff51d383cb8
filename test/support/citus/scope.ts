import { type Fields, isFields, list, type Node, parseNode } from '../../../services/gateway/sql/tree.ts';
import { Equalities } from './equalities.ts';
import type { Layout } from './layout.ts';
import { findOwn, readNames, splitConjuncts } from './nodes.ts';
import { refuse } from './refusal.ts';

/** An entry of a FROM clause. */
export interface Item {
  /** Unique in the statement. */
  id: string;
  alias: string;
  /** Undefined: not known. */
  columns: readonly string[] | undefined;
  /**
   * `recurring`: the same rows beside each shard, such as an intermediate result or a function. `local`: contains tables of
   * the coordinator.
   */
  kind: 'distributed' | 'recurring' | 'local';
  /** Columns that equal the distribution column. */
  keys: readonly string[];
  /** Colocation group of a distributed item. */
  group?: string | undefined;
  table?: string;
  /** A subquery, as yet not planned. */
  select?: Fields;
  isLateral: boolean;
  /** Items outside that it references. */
  outer: Set<Item>;
  /** Terms outside that its distribution column equals. */
  joined: readonly string[];
  /** Step after the union of the shards' rows that it needs. */
  merge?: string | undefined;
}

interface Join {
  type: string;
  left: readonly Item[];
  right: readonly Item[];
}

/** A query with its FROM clause: where its columns are resolved. */
export interface Level {
  items: Item[];
  /** Joins of the FROM clause, the inner first. */
  joins: Join[];
  /** The table that a statement changes. */
  target?: Item;
  equal: Equalities;
  parent: Level | undefined;
  /** Items of the levels outside that this one references. */
  outer: Set<Item>;
}

/** State of the plan of one statement. */
export interface Context {
  layout: Layout;
  /** Common table expressions in scope: their columns. */
  ctes: ReadonlyMap<string, readonly string[] | undefined>;
  /** Sentences: parts that go through the coordinator. */
  pulled: Set<string>;
  /** Tables that a common table expression has changed. */
  written: Set<string>;
  planQuery: (select: Fields, parent: Level | undefined, context: Context) => Item;
  /** Plans the statement of a common table expression. Returns its columns. */
  planCte: (statement: unknown, context: Context) => readonly string[] | undefined;
}

let itemCount = 0;

export function createItem(alias: string, rest: Partial<Item> = {}): Item {
  itemCount += 1;
  return {
    id: `i${itemCount}`,
    alias,
    columns: undefined,
    kind: 'recurring',
    keys: [],
    isLateral: false,
    outer: new Set(),
    joined: [],
    ...rest,
  };
}

export const createLevel = (parent: Level | undefined): Level => ({
  items: [],
  joins: [],
  equal: new Equalities(),
  parent,
  outer: new Set(),
});

/** Term of the distribution column of an item. */
export const keyTerm = (item: Item): string => `${item.id}.#key`;

/** Adds an item, with the equality of its columns and its key. */
export function addItem(level: Level, item: Item): void {
  level.items.push(item);
  for (const key of item.keys) level.equal.join(`${item.id}.${key}`, keyTerm(item));
}

export function createTable(context: Context, relation: Fields): Item {
  const name = String(relation.relname);
  const alias = isFields(relation.alias) ? String(relation.alias.aliasname) : name;
  if (relation.schemaname === undefined && context.ctes.has(name)) {
    return createItem(alias, { columns: context.ctes.get(name) });
  }
  const { layout } = context;
  const view = layout.views.get(`${relation.schemaname}.${name}`);
  if (view) return createItem(alias, { select: view });
  if (!layout.columns.has(name) || (relation.schemaname ?? 'public') !== 'public') {
    // A catalog of PostgreSQL, or the table of another owner.
    return createItem(alias, { kind: 'local', table: name });
  }
  if (context.written.has(name)) {
    refuse(
      `it reads \`${name}\` after one of its common table expressions has changed that: subplans run one after the other`,
    );
  }
  const columns = [...layout.columns.get(name)!.keys()];
  if (layout.references.has(name)) return createItem(alias, { columns, table: name });
  const distributed = layout.distributed.get(name);
  if (!distributed) return createItem(alias, { columns, kind: 'local', table: name });
  const { column, group } = distributed;
  return createItem(alias, { columns, kind: 'distributed', keys: [column], group, table: name });
}

interface Resolved {
  item: Item;
  column: string;
}

/** Finds the column of a reference, in the levels from the inner to the outer. Undefined: not found, or a whole row. */
export function resolve(level: Level, names: readonly string[]): Resolved | undefined {
  const column = names.at(-1)!;
  for (let at: Level | undefined = level; at; at = at.parent) {
    const item = findItem(at, names);
    if (!item) continue;
    for (let inner = level; inner !== at; inner = inner.parent!) inner.outer.add(item);
    return { item, column };
  }
  return undefined;
}

function findItem({ items }: Level, names: readonly string[]): Item | undefined {
  const [first, second] = names.slice(-2);
  if (second !== undefined) return items.find(({ alias }) => alias === first);
  return (
    items.find(({ columns }) => columns?.includes(first!)) ??
    items.find(({ alias }) => alias === first) ??
    items.find(({ columns }) => columns === undefined)
  );
}

/** Term of a column, a parameter or a constant; undefined for another expression. */
export function readTerm(level: Level, value: unknown): string | undefined {
  const node = parseNode(value);
  if (node?.kind === 'ParamRef') return `$${node.fields.number}`;
  if (node?.kind === 'A_Const')
    return `'${JSON.stringify(node.fields.sval ?? node.fields.ival ?? node.fields.fval)}`;
  if (node?.kind === 'TypeCast' && parseNode(node.fields.arg)?.kind !== 'ColumnRef') {
    return readTerm(level, node.fields.arg);
  }
  const found = node?.kind === 'ColumnRef' ? resolve(level, readNames(node.fields)) : undefined;
  return found && `${found.item.id}.${found.column}`;
}

/** Both sides of an equality, also of rows; empty for another condition. */
export function readEqualities(level: Level, condition: Node): (readonly [string, string])[] {
  const { kind, fields } = condition;
  const operator = parseNode(list(fields.name)[0])?.fields.sval;
  if (kind !== 'A_Expr' || fields.kind !== 'AEXPR_OP' || operator !== '=') return [];
  const [left, right] = [parseNode(fields.lexpr), parseNode(fields.rexpr)];
  const sides =
    left?.kind === 'RowExpr' && right?.kind === 'RowExpr'
      ? list(left.fields.args).map((one, at) => [one, list(right.fields.args)[at]] as const)
      : [[fields.lexpr, fields.rexpr] as const];
  return sides.flatMap(([one, other]) => {
    const [a, b] = [readTerm(level, one), readTerm(level, other)];
    return a !== undefined && b !== undefined ? [[a, b] as const] : [];
  });
}

/** Adds the equalities of a condition, and of the conditions of its `and`. */
export function addConditions(level: Level, condition: unknown): void {
  for (const one of splitConjuncts(condition)) {
    for (const [a, b] of readEqualities(level, one)) level.equal.join(a, b);
  }
}

/** Adds the equalities of the columns that a join names with USING. */
export function joinUsing(
  level: Level,
  usingClause: unknown,
  left: readonly Item[],
  right: readonly Item[],
): void {
  for (const column of list(usingClause).map((one) => String(parseNode(one)?.fields.sval))) {
    const find = (items: readonly Item[]) => items.find(({ columns }) => columns?.includes(column));
    const [one, other] = [find(left), find(right)];
    if (one && other) level.equal.join(`${one.id}.${column}`, `${other.id}.${column}`);
  }
}

/** Marks the items outside that a query itself references. */
export function markOuter(level: Level, ...values: unknown[]): void {
  for (const reference of findOwn(values, 'ColumnRef')) resolve(level, readNames(reference));
}
