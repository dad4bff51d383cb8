import { type Fields, isFields, list, parseNode } from '../../../services/gateway/sql/tree.ts';
import { findAction } from './functions.ts';
import { findMerge, hasGatheredAggregate, hasUnkeyedWindow } from './merge.ts';
import { findOwn } from './nodes.ts';
import { listColumns, readKeys } from './output.ts';
import { planFrom } from './plan-from.ts';
import { refuse } from './refusal.ts';
import {
  addConditions,
  type Context,
  createItem,
  createLevel,
  type Item,
  keyTerm,
  type Level,
  markOuter,
} from './scope.ts';
import { separate, unkeyed } from './separate.ts';

/**
 * Plans a query as Citus does when its rows do not come from one shard (`recursive_planning.c`, `query_pushdown_planning.c`):
 * from the inner to the outer, each part that the shards cannot answer apart goes through the coordinator.
 * @throws Refusal
 */
export function planQuery(select: Fields, parent: Level | undefined, context: Context): Item {
  const inner = planCtes(select.withClause, context);
  if (select.op !== undefined && select.op !== 'SETOP_NONE') return planUnion(select, parent, inner);
  const level = createLevel(parent);
  planFrom(level, list(select.fromClause), inner);
  return finish(level, select, inner);
}

/** Plans the rest of a query whose FROM clause is planned. */
export function finish(level: Level, select: Fields, context: Context): Item {
  addConditions(level, select.whereClause);
  const { fromClause: _from, withClause: _with, larg: _left, rarg: _right, ...rest } = select;
  const expressions = Object.values(rest);
  markOuter(level, ...expressions);
  const parts = planSublinks(level, expressions, context);
  separate(level, parts, context);
  const distributed = level.items.filter(({ kind }) => kind === 'distributed');
  for (const part of parts.filter((one) => one.outer.size > 0)) {
    checkCorrelated(level, part, distributed);
  }
  if (distributed.length > 0) checkDistributed(level, select, context, expressions);
  const locals = [...level.items, ...parts].some(({ kind }) => kind === 'local');
  const item = createItem('', {
    columns: listColumns(level, select),
    kind: distributed.length > 0 ? 'distributed' : locals ? 'local' : 'recurring',
    outer: level.outer,
    group: distributed[0]?.group,
  });
  if (distributed[0]) {
    item.keys = readKeys(level, select, distributed[0]);
    item.merge = findMerge(level, select, distributed[0]);
    item.joined = level.equal
      .listEqual(keyTerm(distributed[0]))
      .filter((term) => [...level.outer].some(({ id }) => term.startsWith(`${id}.`)));
  }
  return item;
}

/** Common table expressions become intermediate results, each after the other. */
export function planCtes(clause: unknown, context: Context): Context {
  if (!isFields(clause)) return context;
  if (clause.recursive === true) {
    refuse('recursive CTEs are only supported when they contain a filter on the distribution column');
  }
  const ctes = new Map(context.ctes);
  const inner = { ...context, ctes };
  for (const cte of list(clause.ctes)) {
    const { ctename, ctequery, aliascolnames } = parseNode(cte)?.fields ?? {};
    const columns = context.planCte(ctequery, inner);
    const names = list(aliascolnames).map((name) => String(parseNode(name)?.fields.sval));
    ctes.set(String(ctename), names.length > 0 ? names : columns);
    context.pulled.add(`the common table expression \`${ctename}\` is a subplan`);
  }
  return inner;
}

/** A set operation is a step after the union of the shards' rows: each query of it becomes an intermediate result. */
function planUnion(select: Fields, parent: Level | undefined, context: Context): Item {
  const parts = [select.larg, select.rarg].map((part) => planQuery(part as Fields, parent, context));
  const outer = new Set(parts.flatMap((part) => [...part.outer]));
  const isDistributed = parts.some(({ kind }) => kind === 'distributed');
  if (isDistributed && outer.size > 0) {
    refuse('cannot push down this subquery: complex subqueries and CTEs are not supported within a UNION');
  }
  if (isDistributed) context.pulled.add('each query of a set operation is a subplan');
  const kind = parts.some((part) => part.kind === 'local') ? 'local' : 'recurring';
  return createItem('', { columns: parts[0]!.columns, kind, outer });
}

/** Plans the subqueries of expressions. Those that need nothing of the level are intermediate results afterwards. */
function planSublinks(level: Level, expressions: unknown, context: Context): Item[] {
  return findOwn(expressions, 'SubLink').map(({ subselect }) => {
    const item = planQuery(parseNode(subselect)!.fields, level, context);
    if (item.outer.size > 0) {
      for (const one of item.outer) if (!level.items.includes(one)) level.outer.add(one);
      return item;
    }
    if (item.kind === 'distributed') context.pulled.add('the subquery of an expression is a subplan');
    return { ...item, kind: item.kind === 'local' ? ('local' as const) : ('recurring' as const) };
  });
}

/** A subquery that references the level must be joined with it on the distribution column, if it has shards. */
function checkCorrelated(level: Level, part: Item, distributed: readonly Item[]): void {
  if (part.kind === 'local' && distributed.length > 0) {
    refuse('direct joins between distributed and local tables are not supported');
  }
  if (part.kind !== 'distributed') return;
  if (distributed.length === 0) {
    refuse('correlated subqueries are not supported when the FROM clause contains a CTE or subquery');
  }
  const isJoined = distributed.some(
    (item) =>
      item.group === part.group && part.joined.some((term) => level.equal.areEqual(term, keyTerm(item))),
  );
  if (!isJoined) refuse(unkeyed);
}

function checkDistributed(level: Level, select: Fields, context: Context, expressions: unknown): void {
  if (list(select.lockingClause).length > 0) {
    refuse('could not run distributed query with FOR UPDATE/SHARE commands');
  }
  if (list(select.groupClause).some((one) => parseNode(one)?.kind === 'GroupingSet')) {
    refuse('could not run distributed query with GROUPING SETS, CUBE, or ROLLUP');
  }
  for (const clause of ['limitCount', 'limitOffset']) {
    if (findOwn(select[clause], 'SubLink').length === 0) continue;
    refuse(
      `subquery in ${clause === 'limitCount' ? 'LIMIT' : 'OFFSET'} is not supported in multi-shard queries`,
    );
  }
  const action = findAction(findOwn(expressions, 'FuncCall').map((call) => ({ FuncCall: call })));
  if (action) refuse(`\`${action}\` would act on the workers`);
  const anchor = level.items.find(({ kind }) => kind === 'distributed')!;
  if (hasUnkeyedWindow(level, select, anchor)) {
    context.pulled.add('a window is computed from the rows of all shards');
  }
  if (hasGatheredAggregate(level, select, anchor)) {
    context.pulled.add('an aggregate is computed from the rows of all shards');
  }
}
