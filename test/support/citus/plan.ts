import { type Fields, isFields, list, type Node, parseNode } from '../../../services/gateway/sql/tree.ts';
import { findAction } from './functions.ts';
import { type Layout, parseStatements } from './layout.ts';
import { findNodes, walk } from './nodes.ts';
import { planQuery } from './plan-query.ts';
import { checkUpdate, planInsert, planUpdate } from './plan-write.ts';
import { type Kind, kinds, type Plan, Refusal, refuse } from './refusal.ts';
import { isRouted } from './route.ts';
import type { Context } from './scope.ts';

/** Names of all relations in a tree, those of its views too. */
export function listRelations(tree: unknown, layout: Layout): Set<string> {
  const names = new Set<string>();
  const add = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    if (isFields(value) && typeof value.relname === 'string') {
      names.add(value.relname);
      add(layout.views.get(`${value.schemaname}.${value.relname}`));
    }
    for (const one of Object.values(value)) add(one);
  };
  add(tree);
  return names;
}

/** Plans the statements of a text for the layout. The worst kind counts. */
export function planText(text: string, layout: Layout): Plan {
  const plans = parseStatements(text).map((statement) => planStatement(statement, layout));
  const rank = (kind: Kind) => kinds.indexOf(kind);
  return plans.reduce((worst, one) => (rank(one.kind) > rank(worst.kind) ? one : worst), {
    kind: 'coordinator',
    reasons: [],
  });
}

function planStatement(statement: Node, layout: Layout): Plan {
  const relations = [...listRelations(statement.fields, layout)];
  if (!relations.some((name) => layout.distributed.has(name))) return { kind: 'coordinator', reasons: [] };
  const context: Context = {
    layout,
    ctes: new Map(),
    pulled: new Set(),
    written: new Set(),
    planQuery,
    planCte,
  };
  try {
    const kind = chooseKind(statement, context);
    return { kind, reasons: kind === 'pulled' ? [...context.pulled] : [] };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { kind: 'refused', reasons: [error.message] };
  }
}

function chooseKind(statement: Node, context: Context): Kind {
  const { kind, fields } = statement;
  if (kind === 'ExplainStmt' || kind === 'DeclareCursorStmt')
    return chooseKind(parseNode(fields.query)!, context);
  if (kind === 'CopyStmt') {
    // COPY of a table sends each row to its shard, or reads all shards.
    return fields.query ? chooseKind(parseNode(fields.query)!, context) : 'pushed down';
  }
  if (['LockStmt', 'TruncateStmt', 'VacuumStmt'].includes(kind)) return 'pushed down';
  const tree = { [kind]: fields };
  checkColumns(tree);
  if (isRouted(tree, context)) {
    checkRouted(tree, context);
    return 'routed';
  }
  const { isPushedDown } = planOne(tree, context);
  if (context.pulled.size > 0) return 'pulled';
  if (!isPushedDown) refuse(`not analysed: ${kind}`);
  return kind === 'InsertStmt' && isSingleRow(fields) ? 'routed' : 'pushed down';
}

const isSingleRow = ({ selectStmt }: Fields): boolean =>
  list(parseNode(selectStmt)?.fields.valuesLists).length === 1;

function planOne(
  tree: unknown,
  context: Context,
): { isPushedDown: boolean; columns: readonly string[] | undefined } {
  const { kind, fields } = parseNode(tree) ?? { kind: 'nothing', fields: {} };
  if (kind === 'SelectStmt') {
    const { kind: planned, columns } = planQuery(fields, undefined, context);
    return { isPushedDown: planned === 'distributed', columns };
  }
  if (kind === 'InsertStmt') return planInsert(fields, context);
  if (kind === 'UpdateStmt' || kind === 'DeleteStmt') return planUpdate(fields, context);
  return refuse(`not analysed: ${kind}`);
}

function planCte(tree: unknown, context: Context): readonly string[] | undefined {
  const { columns } = planOne(tree, context);
  const { kind, fields } = parseNode(tree)!;
  if (kind !== 'SelectStmt' && isFields(fields.relation))
    context.written.add(String(fields.relation.relname));
  return columns;
}

function checkColumns(tree: unknown): void {
  walk(tree, ({ kind, fields }) => {
    const name = kind === 'ColumnRef' ? parseNode(list(fields.fields).at(-1))?.fields.sval : undefined;
    if (['ctid', 'xmin', 'xmax', 'tableoid'].includes(String(name)))
      refuse(`not analysed: \`${name}\` of a shard's row`);
    return true;
  });
}

/** A statement for one shard runs as it is, but for changes and for functions that act on their server. */
function checkRouted(tree: unknown, { layout }: Context): void {
  const action = findAction(tree);
  if (action) refuse(`\`${action}\` would act on a worker`);
  for (const kind of ['UpdateStmt', 'DeleteStmt']) {
    for (const fields of findNodes(tree, kind)) {
      const table = layout.distributed.get(String((fields.relation as Fields).relname));
      if (table) checkUpdate(fields, table.column);
    }
  }
}
