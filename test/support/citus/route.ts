import { type Fields, isFields, list, parseNode } from '../../../services/gateway/sql/tree.ts';
import { isConstantTerm } from './equalities.ts';
import { findOwn, splitConjuncts } from './nodes.ts';
import {
  addConditions,
  addItem,
  type Context,
  createItem,
  createLevel,
  createTable,
  type Item,
  joinUsing,
  keyTerm,
  type Level,
  readEqualities,
} from './scope.ts';

interface Route {
  context: Context;
  /** Parameters and constants that distribution columns equal, with their colocation group. */
  shards: Set<string>;
  isRouted: boolean;
}

/**
 * Returns true if all tables of a statement are distributed in one group and restricted to one value of the distribution
 * column (`multi_router_planner.c`). It then runs on one worker, as any SQL. A value that a subquery hides from the planner
 * does not count.
 */
export function isRouted(statement: unknown, context: Context): boolean {
  const route: Route = { context, shards: new Set(), isRouted: true };
  followStatement(statement, route, context);
  return route.isRouted && route.shards.size === 1;
}

function followStatement(statement: unknown, route: Route, context: Context): void {
  const { kind, fields } = parseNode(statement) ?? { kind: '', fields: {} };
  const inner = followCtes(fields.withClause, route, context);
  if (kind === 'SelectStmt') {
    followQuery(fields, undefined, route, inner);
  } else if (kind === 'UpdateStmt' || kind === 'DeleteStmt') {
    const { relation, fromClause, usingClause, withClause: _with, ...expressions } = fields;
    const entries = [{ RangeVar: relation }, ...list(fromClause), ...list(usingClause)];
    follow(createLevel(undefined), entries, expressions, route, inner);
  } else {
    route.isRouted = false;
  }
}

function followCtes(clause: unknown, route: Route, context: Context): Context {
  if (!isFields(clause)) return context;
  const ctes = new Map(context.ctes);
  const inner = { ...context, ctes };
  for (const cte of list(clause.ctes)) {
    const { ctename, ctequery } = parseNode(cte)?.fields ?? {};
    // A recursive one references itself.
    if (clause.recursive === true) ctes.set(String(ctename), undefined);
    followStatement(ctequery, route, inner);
    ctes.set(String(ctename), undefined);
  }
  return inner;
}

function followQuery(select: Fields, parent: Level | undefined, route: Route, context: Context): void {
  const inner = parent ? followCtes(select.withClause, route, context) : context;
  if (select.op !== 'SETOP_NONE') {
    for (const part of [select.larg, select.rarg]) {
      const withCtes = followCtes((part as Fields).withClause, route, inner);
      followQuery(
        { ...(part as Fields), withClause: undefined },
        parent ?? createLevel(undefined),
        route,
        withCtes,
      );
    }
    return;
  }
  const { fromClause, withClause: _with, larg: _left, rarg: _right, ...expressions } = select;
  follow(createLevel(parent), list(fromClause), expressions, route, inner);
}

function follow(
  level: Level,
  entries: readonly unknown[],
  expressions: Fields,
  route: Route,
  context: Context,
): void {
  const bound = new Map<string, string>();
  const subqueries: { select: Fields; isLateral: boolean }[] = [];
  const quals: unknown[] = [];
  for (const entry of entries) addEntry(level, entry, { bound, subqueries, quals, route, context });
  addConditions(level, expressions.whereClause);
  for (const item of level.items.filter(({ kind }) => kind === 'distributed')) {
    const value = bound.get(keyColumn(item)) ?? findValue(level, keyTerm(item));
    if (value === undefined) route.isRouted = false;
    else route.shards.add(`${item.group}=${value}`);
  }
  for (const { select, isLateral } of subqueries) {
    followQuery(select, isLateral ? level : (level.parent ?? createLevel(undefined)), route, context);
  }
  for (const { subselect } of findOwn([expressions, quals], 'SubLink')) {
    followQuery(parseNode(subselect)!.fields, level, route, context);
  }
}

const keyColumn = (item: Item): string => `${item.id}.${item.keys[0]}`;

function findValue(level: Level | undefined, term: string): string | undefined {
  if (!level) return undefined;
  const own = level.equal.findConstant(term);
  if (own !== undefined) return own;
  for (const equal of level.equal.listEqual(term)) {
    const outer = findValue(level.parent, equal);
    if (outer !== undefined) return outer;
  }
  return undefined;
}

interface Entries {
  /** Values of columns of the inner side of an outer join. */
  bound: Map<string, string>;
  subqueries: { select: Fields; isLateral: boolean }[];
  quals: unknown[];
  route: Route;
  context: Context;
}

function addEntry(level: Level, entry: unknown, entries: Entries): Item[] {
  const { kind, fields } = parseNode(entry) ?? { kind: '', fields: {} };
  if (kind === 'JoinExpr') return addJoin(level, fields, entries);
  const alias = isFields(fields.alias) ? String(fields.alias.aliasname) : '';
  const item = kind === 'RangeVar' ? createTable(entries.context, fields) : createItem(alias);
  if (item.kind === 'local') entries.route.isRouted = false;
  const select = kind === 'RangeSubselect' ? parseNode(fields.subquery)?.fields : item.select;
  if (select) entries.subqueries.push({ select, isLateral: fields.lateral === true });
  if (kind === 'RangeFunction') entries.quals.push(fields.functions);
  addItem(level, item);
  return [item];
}

function addJoin(level: Level, fields: Fields, entries: Entries): Item[] {
  const left = addEntry(level, fields.larg, entries);
  const right = addEntry(level, fields.rarg, entries);
  entries.quals.push(fields.quals);
  if (fields.jointype === 'JOIN_INNER') {
    addConditions(level, fields.quals);
  } else {
    const inner = fields.jointype === 'JOIN_LEFT' ? right : [];
    for (const [a, b] of splitConjuncts(fields.quals).flatMap((one) => readEqualities(level, one))) {
      const [value, column] = isConstantTerm(a) ? [a, b] : [b, a];
      // A constant in the condition of an outer join restricts its inner side only.
      if (!isConstantTerm(value)) level.equal.join(a, b);
      else if (inner.some(({ id }) => column.startsWith(`${id}.`))) entries.bound.set(column, value);
    }
  }
  joinUsing(level, fields.usingClause, left, right);
  return [...left, ...right];
}
