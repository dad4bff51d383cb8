import { type Fields, isFields, list, parseNode } from '../../../services/gateway/sql/tree.ts';
import { findMutable, findStableOnColumn, findUnknown, findVolatile } from './functions.ts';
import { findNodes } from './nodes.ts';
import { planFrom } from './plan-from.ts';
import { finish, planCtes, planQuery } from './plan-query.ts';
import { refuse } from './refusal.ts';
import { addItem, type Context, createLevel, createTable } from './scope.ts';

/** Result of a change: the columns that it returns, and true if the shards do it apart. */
interface PlannedWrite {
  columns: readonly string[] | undefined;
  isPushedDown: boolean;
}

/** Plans an UPDATE or a DELETE (`ModifyQuerySupported`). */
export function planUpdate(fields: Fields, context: Context): PlannedWrite {
  const inner = planCtes(fields.withClause, context);
  const relation = fields.relation as Fields;
  const distributed = context.layout.distributed.get(String(relation.relname));
  if (context.layout.references.has(String(relation.relname))) {
    refuse('not analysed: a change of a reference table beside distributed tables');
  }
  if (distributed) checkUpdate(fields, distributed.column);
  const level = createLevel(undefined);
  const target = createTable(context, relation);
  level.target = target;
  addItem(level, target);
  planFrom(level, [...list(fields.fromClause), ...list(fields.usingClause)], inner);
  const returning = isFields(fields.returningClause) ? fields.returningClause.exprs : [];
  const query = { targetList: returning, set: fields.targetList, whereClause: fields.whereClause };
  const { columns } = finish(level, query, inner);
  if (distributed && target.kind !== 'distributed')
    refuse('not analysed: the changed table is the inner side of a join');
  return { columns, isPushedDown: target.kind === 'distributed' };
}

/** Checks the functions of a change of a distributed table (`TargetlistAndFunctionsSupported`). */
export function checkUpdate(fields: Fields, column: string): void {
  const { withClause: _with, returningClause, ...rest } = fields;
  const volatile = findVolatile(rest);
  const unknown = findUnknown(rest);
  if (unknown) refuse(`not analysed: the function \`${unknown}\``);
  if (volatile)
    refuse(`functions used in UPDATE queries on distributed tables must not be VOLATILE: \`${volatile}\``);
  if (list(fields.targetList).some((target) => parseNode(target)?.fields.name === column)) {
    refuse('modifying the partition value of rows is not allowed');
  }
  const stable = findStableOnColumn([fields.targetList, fields.whereClause]);
  if (stable)
    refuse(`STABLE functions used in UPDATE queries cannot be called with column references: \`${stable}\``);
  const choices = ['CaseExpr', 'CoalesceExpr'].flatMap((kind) =>
    findNodes([fields.targetList, fields.whereClause], kind),
  );
  const mutable = findMutable(choices);
  if (mutable)
    refuse(`non-IMMUTABLE functions are not allowed in CASE or COALESCE statements: \`${mutable}\``);
  const returned = findMutable(returningClause);
  if (returned) refuse(`non-IMMUTABLE functions are not allowed in the RETURNING clause: \`${returned}\``);
}

/** Plans an INSERT (`insert_select_planner.c`). */
export function planInsert(fields: Fields, context: Context): PlannedWrite {
  const { layout } = context;
  const table = String((fields.relation as Fields).relname);
  const distributed = layout.distributed.get(table);
  const select = parseNode(fields.selectStmt)?.fields ?? {};
  const names = list(fields.cols).map((target) => String(parseNode(target)?.fields.name));
  const columns = names.length > 0 ? names : [...(layout.columns.get(table)?.keys() ?? [])];
  if (layout.references.has(table))
    refuse('not analysed: a change of a reference table beside distributed tables');
  if (distributed) checkInsert(fields, table, columns, context);
  else if (findNodes([fields.onConflictClause, fields.returningClause], 'SubLink').length > 0) {
    refuse('not analysed: a subquery in ON CONFLICT or RETURNING');
  }
  const values = list(select.valuesLists);
  if (
    distributed &&
    (values.length > 0 || list(select.fromClause).length + list(select.targetList).length === 0)
  ) {
    return { columns: listReturned(fields), isPushedDown: true };
  }
  const inner = planCtes(fields.withClause, context);
  const before = context.pulled.size;
  const item = planQuery(select, undefined, inner);
  const at = distributed ? columns.indexOf(distributed.column) : -1;
  const isPushedDown =
    item.kind === 'distributed' &&
    context.pulled.size === before &&
    item.merge === undefined &&
    item.group === distributed?.group &&
    item.keys.includes(item.columns?.[at] ?? '') &&
    (findVolatile(fields) ?? findUnknown(fields)) === undefined;
  if (
    !distributed &&
    values.length > 0 &&
    (fields.withClause !== undefined || context.pulled.size > before)
  ) {
    refuse('not analysed: INSERT … VALUES into a table of the coordinator, with a subquery or a CTE');
  }
  if (distributed && !isPushedDown)
    context.pulled.add('the rows of the INSERT … SELECT go through the coordinator');
  if (!distributed && item.kind === 'distributed')
    context.pulled.add('the rows go into a table of the coordinator');
  return { columns: listReturned(fields), isPushedDown };
}

const listReturned = ({ returningClause }: Fields): readonly string[] | undefined => {
  const names = list(isFields(returningClause) ? returningClause.exprs : []).map((target) => {
    const { name, val } = parseNode(target)?.fields ?? {};
    const last = parseNode(list(parseNode(val)?.fields.fields).at(-1));
    return typeof name === 'string' ? name : last?.kind === 'String' ? String(last.fields.sval) : undefined;
  });
  return names.every((name) => name !== undefined) ? names : undefined;
};

function checkInsert(fields: Fields, table: string, columns: readonly string[], { layout }: Context): void {
  const { column } = layout.distributed.get(table)!;
  if (!columns.includes(column)) refuse('cannot perform an INSERT without a partition column value');
  const select = parseNode(fields.selectStmt)?.fields ?? {};
  if (list(select.valuesLists).length > 0) {
    if (findNodes(select.valuesLists, 'SubLink').length > 0)
      refuse('subqueries are not supported within INSERT queries');
    if (fields.withClause) {
      refuse("Router planner doesn't support common table expressions with INSERT queries.");
    }
  }
  const returned = findMutable(fields.returningClause);
  if (returned) refuse(`non-IMMUTABLE functions are not allowed in the RETURNING clause: \`${returned}\``);
  if (isFields(fields.onConflictClause)) checkConflict(fields.onConflictClause, table, column, { layout });
}

/** Checks ON CONFLICT (`ErrorIfOnConflictNotSupported`), and that a constraint of the layout has its columns. */
function checkConflict(
  clause: Fields,
  table: string,
  column: string,
  { layout }: Pick<Context, 'layout'>,
): void {
  const infer = isFields(clause.infer) ? clause.infer : undefined;
  if (infer) {
    const names = list(infer.indexElems).map((element) => String(parseNode(element)?.fields.name));
    const found = (layout.uniques.get(table) ?? []).find(
      ({ columns, isPartial }) =>
        columns.length === names.length &&
        columns.every((one) => one !== null && names.includes(one)) &&
        (!isPartial || infer.whereClause !== undefined),
    );
    if (!found) {
      refuse(
        `there is no unique or exclusion constraint matching the ON CONFLICT specification (${names.join(', ')})`,
      );
    }
  }
  if (findNodes(clause, 'SubLink').length > 0) refuse('not analysed: a subquery in ON CONFLICT');
  for (const target of list(clause.targetList)) {
    const { name, val } = parseNode(target)?.fields ?? {};
    if (name === column) refuse('modifying the partition value of rows is not allowed');
    const mutable = findMutable(val);
    if (mutable) {
      refuse(
        'functions used in the DO UPDATE SET clause of INSERTs on distributed tables must be marked IMMUTABLE: ' +
          `\`${mutable}\``,
      );
    }
  }
  const mutable = findMutable([clause.whereClause, infer?.whereClause]);
  if (mutable) {
    refuse(
      'functions used in the WHERE clause of the ON CONFLICT clause of INSERTs on distributed tables must be marked ' +
        `IMMUTABLE: \`${mutable}\``,
    );
  }
}
