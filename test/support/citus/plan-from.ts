import { type Fields, isFields, list, parseNode } from '../../../services/gateway/sql/tree.ts';
import { isConstantTerm } from './equalities.ts';
import { findOwn, readFunction, splitConjuncts } from './nodes.ts';
import { refuse } from './refusal.ts';
import {
  addConditions,
  addItem,
  type Context,
  createItem,
  createTable,
  type Item,
  joinUsing,
  keyTerm,
  type Level,
  markOuter,
  readEqualities,
} from './scope.ts';

/** Adds the entries of a FROM clause to a level, and plans its subqueries and outer joins. */
export function planFrom(level: Level, entries: readonly unknown[], context: Context): void {
  for (const entry of entries) addEntry(level, entry, context);
}

/** Adds an entry. Returns its items. */
function addEntry(level: Level, entry: unknown, context: Context): Item[] {
  const { kind, fields } = parseNode(entry) ?? { kind: 'nothing', fields: {} };
  if (kind === 'JoinExpr') return addJoin(level, fields, context);
  const item = createEntry(level, kind, fields, context);
  addItem(level, item);
  return [item];
}

function createEntry(level: Level, kind: string, fields: Fields, context: Context): Item {
  const alias = isFields(fields.alias) ? String(fields.alias.aliasname) : undefined;
  const names = isFields(fields.alias)
    ? list(fields.alias.colnames).map((one) => String(parseNode(one)?.fields.sval))
    : [];
  if (kind === 'RangeVar') {
    const item = createTable(context, fields);
    return item.select ? planSubquery(level, item.alias, item.select, false, context) : rename(item, names);
  }
  if (kind === 'RangeSubselect') {
    const select = parseNode(fields.subquery)!.fields;
    return rename(planSubquery(level, alias ?? '', select, fields.lateral === true, context), names);
  }
  if (kind === 'RangeFunction') return createFunction(level, fields, alias, names, context);
  refuse(`not analysed: ${kind}`);
}

function createFunction(
  level: Level,
  fields: Fields,
  alias: string | undefined,
  names: readonly string[],
  context: Context,
): Item {
  const [call] = findOwn(fields.functions, 'FuncCall');
  // The arguments may be subqueries without FROM, which hide the number of the values from the planner.
  for (const { subselect } of findOwn(fields.functions, 'SubLink')) {
    const item = context.planQuery(parseNode(subselect)!.fields, level, context);
    if (item.kind !== 'recurring')
      refuse('not analysed: a subquery with a table as the argument of a function in FROM');
  }
  markOuter(level, fields.functions);
  const own = list(fields.coldeflist).map((one) => String(parseNode(one)?.fields.colname));
  const name = alias ?? (call ? readFunction(call) : '');
  const columns = names.length > 0 ? names : own.length > 0 ? own : [name];
  return createItem(name, {
    columns: fields.ordinality === true && names.length === 0 ? [...columns, 'ordinality'] : columns,
  });
}

function rename(item: Item, names: readonly string[]): Item {
  if (names.length === 0) return item;
  const columns = item.columns ?? [];
  const keys = item.keys.map((key) => names[columns.indexOf(key)] ?? key);
  return { ...item, keys, columns: [...names, ...columns.slice(names.length)] };
}

/** Plans a subquery in FROM: a part of the shards' queries if nothing needs all rows, else an intermediate result. */
function planSubquery(
  level: Level,
  alias: string,
  select: Fields,
  isLateral: boolean,
  context: Context,
): Item {
  const item = context.planQuery(select, isLateral ? level : level.parent, context);
  for (const one of item.outer) if (!level.items.includes(one)) level.outer.add(one);
  for (const term of item.joined) level.equal.join(keyTerm(item), term);
  item.alias = alias;
  item.isLateral = isLateral;
  if (item.kind !== 'distributed' || item.merge === undefined) return item;
  if (item.outer.size === 0) {
    context.pulled.add(`the subquery \`${alias}\` is a subplan for its ${item.merge}`);
    return { ...item, kind: 'recurring', keys: [], merge: undefined };
  }
  const other = [...item.outer].find(({ kind }) => kind !== 'distributed');
  if (!other) return item;
  refuse(
    `${item.merge} is currently unsupported when a lateral subquery references a column from a CTE or subquery ` +
      `(${other.alias})`,
  );
}

function addJoin(level: Level, fields: Fields, context: Context): Item[] {
  const left = addEntry(level, fields.larg, context);
  const right = addEntry(level, fields.rarg, context);
  const type = String(fields.jointype);
  if (fields.isNatural === true) refuse('not analysed: a natural join');
  joinUsing(level, fields.usingClause, left, right);
  markOuter(level, fields.quals);
  for (const { subselect } of findOwn(fields.quals, 'SubLink')) {
    const part = context.planQuery(parseNode(subselect)!.fields, level, context);
    if (part.kind !== 'recurring') refuse('not analysed: a subquery in the condition of a join');
  }
  if (type === 'JOIN_INNER') addConditions(level, fields.quals);
  else addOuterConditions(level, fields.quals);
  level.joins.push({ type, left, right });
  return [...left, ...right];
}

/** Conditions of an outer join make columns equal. A constant in them holds for one side only, and is left out. */
function addOuterConditions(level: Level, condition: unknown): void {
  for (const one of splitConjuncts(condition)) {
    for (const [a, b] of readEqualities(level, one)) {
      if (!isConstantTerm(a) && !isConstantTerm(b)) level.equal.join(a, b);
    }
  }
}
