import { type Fields, isFields, list, parseNode } from '../../../services/gateway/sql/tree.ts';
import { isAggregate } from './functions.ts';
import { findOwn, readFunction } from './nodes.ts';
import { type Item, keyTerm, type Level, readTerm } from './scope.ts';

/**
 * The step after the union of the shards' rows that a query needs, in words; undefined without one
 * (`DeferErrorIfSubqueryRequiresMerge`).
 */
export function findMerge(level: Level, select: Fields, anchor: Item): string | undefined {
  if (select.limitOffset !== undefined) return 'Offset clause';
  if (select.limitCount !== undefined) return 'Limit clause';
  const targets = list(select.targetList);
  const hasKey = (values: readonly unknown[]) => hasKeyIn(level, targets, values, anchor);
  const groups = list(select.groupClause);
  if (groups.length > 0 && !hasKey(groups)) return 'Group by list without partition column';
  const calls = findOwn([targets, select.havingClause, select.sortClause], 'FuncCall');
  if (groups.length === 0 && (calls.some(isAggregate) || hasJsonAggregate(targets))) {
    return 'Aggregates without group by';
  }
  if (groups.length === 0 && select.havingClause !== undefined) return 'Having qual without group by';
  if (hasUnkeyedWindow(level, select, anchor))
    return 'A window function without PARTITION BY on the distribution column';
  const distinct = list(select.distinctClause);
  if (distinct.length === 0) return undefined;
  // Without ON the list has one empty item.
  const isOn = distinct.some((one) => parseNode(one) !== undefined);
  const values = isOn ? distinct : targets.map((target) => parseNode(target)?.fields.val);
  return hasKey(values) ? undefined : 'Distinct on columns without partition column';
}

/** True if a window function of the query has rows of many shards in a partition. */
export function hasUnkeyedWindow(level: Level, select: Fields, anchor: Item): boolean {
  const targets = list(select.targetList);
  return findOwn([targets, select.sortClause], 'FuncCall').some(
    ({ over }) =>
      isFields(over) && !hasKeyIn(level, targets, list(readWindow(select, over).partitionClause), anchor),
  );
}

/** Aggregates that Citus computes on the shards, and again from their results. */
const partial = new Set(['avg', 'bool_and', 'bool_or', 'count', 'every', 'max', 'min', 'sum']);

/** True if an aggregate of the query needs the rows of all shards. */
export function hasGatheredAggregate(level: Level, select: Fields, anchor: Item): boolean {
  const targets = list(select.targetList);
  if (hasKeyIn(level, targets, list(select.groupClause), anchor)) return false;
  const calls = findOwn([targets, select.havingClause, select.sortClause], 'FuncCall').filter(isAggregate);
  return (
    hasJsonAggregate(targets) ||
    calls.some((call) => !partial.has(readFunction(call)) || list(call.agg_order).length > 0)
  );
}

const hasKeyIn = (
  level: Level,
  targets: readonly unknown[],
  values: readonly unknown[],
  anchor: Item,
): boolean => values.some((value) => isKey(level, readTarget(targets, value), anchor));

const hasJsonAggregate = (value: unknown): boolean =>
  ['JsonArrayAgg', 'JsonObjectAgg'].some((kind) => findOwn(value, kind).length > 0);

const isKey = (level: Level, value: unknown, anchor: Item): boolean => {
  if (parseNode(value)?.kind !== 'ColumnRef') return false;
  const term = readTerm(level, value);
  return term !== undefined && level.equal.areEqual(term, keyTerm(anchor));
};

/** A number in a list of GROUP BY or DISTINCT ON is a position. */
function readTarget(targets: readonly unknown[], value: unknown): unknown {
  const constant = parseNode(value);
  const position =
    constant?.kind === 'A_Const' ? (constant.fields.ival as Fields | undefined)?.ival : undefined;
  return typeof position === 'number' ? parseNode(targets[position - 1])?.fields.val : value;
}

function readWindow(select: Fields, over: Fields): Fields {
  if (over.name === undefined && over.refname === undefined) return over;
  const name = over.name ?? over.refname;
  const named = list(select.windowClause).map((one) => parseNode(one)?.fields);
  return named.find((one) => one?.name === name) ?? over;
}
