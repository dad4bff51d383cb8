import type { PgTable as Table } from 'drizzle-orm/pg-core';
import { parseSync } from 'libpg-query';
import { getTableConfig, getTableName, is, PgTable } from '../../../db/orm/drizzle.ts';
import * as schema from '../../../db/schema/index.ts';
import { type Fields, isFields, list, type Node, parseNode } from '../../../services/gateway/sql/tree.ts';
import { findNodes, readFunction } from './nodes.ts';

/** Columns of a primary key, a unique constraint or a unique index. Null for an expression. */
interface Unique {
  name: string;
  columns: readonly (string | null)[];
  isPartial: boolean;
}

interface DistributedTable {
  /** Distribution column. */
  column: string;
  /** The first table of its colocation group. */
  group: string;
}

/** Tables as a file of `deploy/citus` leaves them. */
export interface Layout {
  distributed: ReadonlyMap<string, DistributedTable>;
  references: ReadonlySet<string>;
  uniques: ReadonlyMap<string, readonly Unique[]>;
  /** Columns of all tables of the schema. */
  columns: ReadonlyMap<string, ReadonlyMap<string, string>>;
  /** Queries of the views, by `analytics.<name>`. */
  views: ReadonlyMap<string, Fields>;
}

/**
 * Reads the layout out of the statements of `sql`, over the tables of `db/schema`. `libpg-query` must be loaded.
 * @param views statements that create views
 */
export function readLayout(sql: string, views = ''): Layout {
  const distributed = new Map<string, DistributedTable>();
  const references = new Set<string>();
  const { columns, uniques } = readSchema();
  for (const { kind, fields } of parseStatements(sql)) {
    if (kind === 'AlterTableStmt') alterTable(fields, uniques);
    else if (kind === 'IndexStmt' && fields.unique === true) addIndex(fields, uniques);
    for (const call of findNodes(fields, 'FuncCall')) {
      const name = readFunction(call);
      const args = list(call.args).map(readText);
      const [table = '', column = ''] = args;
      if (name === 'create_reference_table') references.add(table);
      if (name !== 'create_distributed_table') continue;
      const named = list(call.args)
        .map(parseNode)
        .find((arg) => arg?.kind === 'NamedArgExpr');
      const other = named?.fields.name === 'colocate_with' ? readText(named.fields.arg) : 'none';
      const group = distributed.get(other ?? '')?.group ?? table;
      distributed.set(table, { column, group });
    }
  }
  return { distributed, references, uniques, columns, views: readViews(views) };
}

export const parseStatements = (sql: string): Node[] =>
  (parseSync(sql).stmts ?? []).flatMap(({ stmt }) => parseNode(stmt) ?? []);

/** Text of a constant, also of one with a cast; undefined for another expression. */
function readText(value: unknown): string | undefined {
  const node = parseNode(value);
  if (node?.kind === 'TypeCast') return readText(node.fields.arg);
  const text = node?.kind === 'A_Const' ? node.fields.sval : undefined;
  return isFields(text) ? String(text.sval) : undefined;
}

function readSchema(): { columns: Map<string, Map<string, string>>; uniques: Map<string, Unique[]> } {
  const columns = new Map<string, Map<string, string>>();
  const uniques = new Map<string, Unique[]>();
  const values: unknown[] = Object.values(schema);
  for (const table of values.filter((value): value is Table => is(value, PgTable))) {
    const config = getTableConfig(table);
    const own = config.columns.filter((column) => column.primary).map((column) => column.name);
    const all: Unique[] =
      own.length > 0 ? [{ name: `${config.name}_pkey`, columns: own, isPartial: false }] : [];
    for (const key of [...config.primaryKeys, ...config.uniqueConstraints]) {
      all.push({ name: key.getName() ?? '', columns: key.columns.map(({ name }) => name), isPartial: false });
    }
    for (const { config: index } of config.indexes.filter((one) => one.config.unique)) {
      const names = index.columns.map((column) => ('name' in column ? String(column.name) : null));
      all.push({ name: index.name ?? '', columns: names, isPartial: index.where !== undefined });
    }
    uniques.set(getTableName(table), all);
    columns.set(
      getTableName(table),
      new Map(config.columns.map((column) => [column.name, column.getSQLType()])),
    );
  }
  return { columns, uniques };
}

const readName = (relation: unknown): string => (isFields(relation) ? String(relation.relname) : '');

function alterTable(fields: Fields, uniques: Map<string, Unique[]>): void {
  const table = readName(fields.relation);
  for (const item of list(fields.cmds)) {
    const { subtype, name, def } = parseNode(item)?.fields ?? {};
    const kept = (uniques.get(table) ?? []).filter(
      (one) => subtype !== 'AT_DropConstraint' || one.name !== name,
    );
    const constraint = parseNode(def)?.fields;
    if (constraint?.contype === 'CONSTR_PRIMARY' || constraint?.contype === 'CONSTR_UNIQUE') {
      const columns = list(constraint.keys).map((key) => String(parseNode(key)?.fields.sval));
      kept.push({ name: String(constraint.conname), columns, isPartial: false });
    }
    uniques.set(table, kept);
  }
}

function addIndex(fields: Fields, uniques: Map<string, Unique[]>): void {
  const table = readName(fields.relation);
  const columns = list(fields.indexParams).map((item) => {
    const { name } = parseNode(item)?.fields ?? {};
    return typeof name === 'string' ? name : null;
  });
  const added = { name: String(fields.idxname), columns, isPartial: fields.whereClause !== undefined };
  uniques.set(table, [...(uniques.get(table) ?? []), added]);
}

function readViews(sql: string): Map<string, Fields> {
  const views = new Map<string, Fields>();
  for (const { kind, fields } of sql === '' ? [] : parseStatements(sql)) {
    const query = kind === 'ViewStmt' ? parseNode(fields.query)?.fields : undefined;
    if (query && isFields(fields.view)) views.set(`${fields.view.schemaname}.${fields.view.relname}`, query);
  }
  return views;
}
