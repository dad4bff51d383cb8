import { type Fields, list, parseNode } from '../../../services/gateway/sql/tree.ts';
import { readFunction, readNames } from './nodes.ts';
import { type Item, keyTerm, type Level, resolve } from './scope.ts';

interface Output {
  name: string;
  /** Term of a plain column. */
  term?: string | undefined;
}

/** Columns of the rows of a query; undefined for VALUES, and if a star has columns that are not known. */
export const listColumns = (level: Level, select: Fields): readonly string[] | undefined =>
  list(select.valuesLists).length > 0
    ? undefined
    : listOutputs(level, list(select.targetList))?.map(({ name }) => name);

/** Columns of the rows of a query that equal the distribution column of a distributed item of it. */
export function readKeys(level: Level, select: Fields, anchor: Item): string[] {
  const outputs = list(select.targetList).flatMap((target) => listOutputs(level, [target]) ?? []);
  return outputs
    .filter(({ term }) => term !== undefined && level.equal.areEqual(term, keyTerm(anchor)))
    .map(({ name }) => name);
}

function listOutputs(level: Level, targets: readonly unknown[]): Output[] | undefined {
  const outputs: Output[] = [];
  for (const target of targets) {
    const { name, val } = parseNode(target)?.fields ?? {};
    const node = parseNode(val);
    const names = node?.kind === 'ColumnRef' ? readNames(node.fields) : [];
    if (names.at(-1) === '*') {
      const items =
        names.length > 1 ? level.items.filter(({ alias }) => alias === names.at(-2)) : level.items;
      if (items.length === 0 || items.some(({ columns }) => columns === undefined)) return undefined;
      outputs.push(
        ...items.flatMap(({ id, columns }) => columns!.map((one) => ({ name: one, term: `${id}.${one}` }))),
      );
      continue;
    }
    const found = names.length > 0 ? resolve(level, names) : undefined;
    outputs.push({
      name: typeof name === 'string' ? name : nameExpression(val),
      term: found && `${found.item.id}.${found.column}`,
    });
  }
  return outputs;
}

/** The name that PostgreSQL gives the column of an expression (`FigureColname`). */
function nameExpression(value: unknown): string {
  const node = parseNode(value);
  if (node?.kind === 'ColumnRef') return readNames(node.fields).at(-1)!;
  if (node?.kind === 'FuncCall') return readFunction(node.fields);
  if (node?.kind === 'TypeCast') return nameExpression(node.fields.arg);
  if (node?.kind === 'CoalesceExpr') return 'coalesce';
  if (node?.kind === 'CaseExpr') return 'case';
  if (node?.kind === 'SubLink') {
    const inner = list(parseNode(node.fields.subselect)?.fields.targetList)[0];
    const { name, val } = parseNode(inner)?.fields ?? {};
    return typeof name === 'string' ? name : nameExpression(val);
  }
  return '?column?';
}
