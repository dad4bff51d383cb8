import { analyticsViews } from '../../../db/views/names.ts';
import { findNearestName } from '../../../lib/errors/nearest-name.ts';
import {
  allowedFunctions,
  allowedOperators,
  allowedTypes,
  concatenationsMax,
  relationsMax,
  rowComparisons,
  rowFunctions,
  sortedAggregatesMax,
  timeTypes,
} from './allow-list.ts';
import { quoteName, refuse as refuseAt } from './refusals.ts';
import {
  type Fields,
  findBuiltinName,
  isConstant,
  isFields,
  list,
  type Node,
  parseNames,
  parseNode,
} from './tree.ts';
import { createZoneChecks } from './zones.ts';

/** Checks a node whose kind is allowed. @throws ProblemError 422 `sql_refused` */
type NodeCheck = (fields: Fields, byte: number, parents: readonly Node[]) => void;

/** Returns the checks of the nodes of one statement, by kind. They have counters, so they serve one walk. */
export function createNodeChecks(sql: string, statement: Fields): Readonly<Record<string, NodeCheck>> {
  const defined = listDefinedNames(statement);
  const zones = createZoneChecks(statement);
  const refuse = (byte: number, what: string, instead?: string) => refuseAt(sql, { byte, what, instead });
  let concatenations = 0;
  let relations = 0;
  let sortedAggregates = 0;

  function requireOperator(given: unknown, byte: number): void {
    const names = parseNames(given);
    const name = findBuiltinName(names)?.replace(/^(NOT )?BETWEEN( SYMMETRIC)?$/, 'BETWEEN');
    if (name !== undefined && allowedOperators.has(name)) return;
    throw refuse(byte, `The operator ${quoteName(names)}`);
  }

  function countRelation(byte: number): void {
    relations += 1;
    if (relations > relationsMax) throw refuse(byte, `A join of more than ${relationsMax} relations`);
  }

  return {
    RangeVar({ schemaname, relname }, byte) {
      countRelation(byte);
      const name = String(relname);
      const isView = analyticsViews.has(name) && (schemaname === undefined || schemaname === 'analytics');
      // The name of a common table expression is valid in its scope alone. Beyond that, no relation of PostgreSQL has it.
      if (isView || (schemaname === undefined && defined.queries.has(name))) return;
      const nearest = findNearestName(name, [...analyticsViews]);
      const instead = nearest
        ? `Did you mean \`analytics.${nearest}\`?`
        : 'Use the views of the schema `analytics`.';
      const names = [schemaname, relname].filter((part) => part !== undefined).map(String);
      throw refuse(byte, `The relation ${quoteName(names)}`, instead);
    },
    RangeSubselect: (_, byte) => countRelation(byte),
    CommonTableExpr({ ctename }, byte) {
      if (!String(ctename).startsWith('pg_')) return;
      throw refuse(byte, 'A common table expression whose name begins with `pg_`');
    },
    ColumnRef({ fields }, byte, parents) {
      const names = parseNames(fields);
      const parent = parents.at(-1);
      if (!names) throw refuse(byte, 'This reference');
      if (names.at(-1) === '*' && parent?.kind !== 'ResTarget') {
        throw refuse(byte, 'A whole row as a value', 'Name its columns.');
      }
      const last = names.at(-1)!;
      if (names.length > 1 && rowFunctions.has(last)) {
        const instead = 'If you mean a column, name it: `as`.';
        throw refuse(byte, `The function ${quoteName([last])} of a whole row`, instead);
      }
      const [name = ''] = names;
      const columns = names.length > 1 ? defined.functions.get(names.at(-2)!) : undefined;
      if (columns && last !== '*' && !columns.has(last)) {
        const instead = 'If you mean a column, name it where the function is: `as alias (column)`.';
        throw refuse(byte, `The function ${quoteName([last])} of a value`, instead);
      }
      if (names.length === 1 && defined.rows.has(name)) {
        const instead = `If you mean a column, write \`${name}.${name}\`, or give the relation another alias.`;
        throw refuse(byte, `The whole row ${quoteName(names)} as a value`, instead);
      }
    },
    RangeFunction(fields, byte) {
      if (findFunctionAlias(fields) !== undefined) return;
      throw refuse(byte, 'A value in `from` without a name', 'Name it: `as`.');
    },
    // PostgreSQL reads `(value).name` as a call of any function `name`, unless it is a field.
    A_Indirection({ indirection }, byte) {
      if (list(indirection).every((item) => parseNode(item)?.kind === 'A_Indices')) return;
      throw refuse(
        byte,
        'A field of a value',
        'Call a function that returns rows in `from`, and name its columns.',
      );
    },
    FuncCall({ funcname, args, agg_distinct: distinct, agg_order: order }, byte) {
      if (distinct || order) sortedAggregates += 1;
      if (sortedAggregates > sortedAggregatesMax) {
        const what = `More than ${sortedAggregatesMax} aggregates with \`distinct\` or \`order by\``;
        throw refuse(byte, what, 'Aggregate what `select distinct` returns.');
      }
      const names = parseNames(funcname);
      const name = findBuiltinName(names);
      if (name !== undefined && allowedFunctions.has(name)) {
        if (zones.isZone(name, args)) return;
        throw refuse(byte, 'A time zone that is not a constant');
      }
      const nearest = findNearestName(names?.at(-1) ?? '', [...allowedFunctions]);
      const instead = nearest ? `Did you mean \`${nearest}\`?` : undefined;
      throw refuse(byte, `The function ${quoteName(names)}`, instead);
    },
    TypeName({ names: given }, byte) {
      const names = parseNames(given);
      const name = findBuiltinName(names);
      if (name !== undefined && allowedTypes.has(name)) return;
      const instead = `Types: ${[...allowedTypes].join(', ')}.`;
      throw refuse(byte, `The type ${quoteName(names)}`, instead);
    },
    TypeCast({ arg, typeName }, byte) {
      const type = isFields(typeName) ? findBuiltinName(parseNames(typeName.names)) : undefined;
      if (!timeTypes.has(type ?? '') || zones.isTime(arg)) return;
      const instead = 'Use `to_timestamp` or `to_date`.';
      throw refuse(byte, 'A time of a text that the statement makes', instead);
    },
    A_Expr({ name: given }, byte) {
      requireOperator(given, byte);
      if (findBuiltinName(parseNames(given)) !== '||') return;
      concatenations += 1;
      if (concatenations > concatenationsMax)
        throw refuse(byte, `More than ${concatenationsMax} times \`||\``);
    },
    SubLink: ({ operName }, byte) => {
      if (operName !== undefined) requireOperator(operName, byte);
    },
    RowExpr(_, byte, parents) {
      // Rows in rows would grow with each subquery; a comparison makes one value of two rows.
      const parent = parents.findLast(({ kind }) => kind !== 'List' && kind !== 'RowExpr');
      const operator =
        parent?.kind === 'A_Expr' ? findBuiltinName(parseNames(parent.fields.name)) : undefined;
      if (parent?.kind === 'SubLink' || (operator !== undefined && rowComparisons.has(operator))) return;
      throw refuse(byte, 'A row as a value', 'Rows can be compared with rows.');
    },
    A_ArrayExpr({ elements }, byte) {
      if (list(elements).every(isConstant)) return;
      throw refuse(byte, 'An array of other than constants');
    },
  };
}

/** Names that a statement defines in its `with` and `from` clauses. */
interface DefinedNames {
  /** Common table expressions. */
  queries: ReadonlySet<string>;
  /** Names that mean a whole row if they are used as a column. A function in `from` can return values, and is not here. */
  rows: ReadonlySet<string>;
  /**
   * Functions in `from`, each with the columns that all functions of its name have. PostgreSQL reads `alias.name` as a call
   * of any function `name` with the value, unless it is a column.
   */
  functions: ReadonlyMap<string, ReadonlySet<string>>;
}

function listDefinedNames(statement: Fields): DefinedNames {
  const queries = new Set<string>();
  const rows = new Set<string>();
  const functions = new Map<string, ReadonlySet<string>>();
  const open: unknown[] = [statement];
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (Array.isArray(value)) open.push(...value);
    if (!isFields(value)) continue;
    for (const [key, inner] of Object.entries(value)) {
      if (isFields(inner)) {
        if (key === 'CommonTableExpr') queries.add(String(inner.ctename));
        if (key === 'RangeFunction') {
          const alias = findFunctionAlias(inner) ?? '';
          const columns = listFunctionColumns(inner, alias);
          functions.set(alias, functions.get(alias)?.intersection(columns) ?? columns);
        }
        if (key === 'RangeVar' || key === 'RangeSubselect' || key === 'JoinExpr') {
          for (const alias of [inner.alias, inner.join_using_alias])
            if (isFields(alias)) rows.add(String(alias.aliasname));
          if (key === 'RangeVar' && inner.alias === undefined) rows.add(String(inner.relname));
        }
      }
      open.push(inner);
    }
  }
  return { queries, rows, functions };
}

/** Returns the name of the first function in an item of a `from` clause. Undefined for a value that is not a call. */
function findFunctionName({ functions }: Fields): string | undefined {
  const [first] = list(functions);
  const [called] = list(parseNode(first)?.fields.items);
  const call = parseNode(called);
  return call?.kind === 'FuncCall' ? parseNames(call.fields.funcname)?.at(-1) : undefined;
}

/** Returns the name by which a statement refers to a function in `from`. */
const findFunctionAlias = (fields: Fields): string | undefined =>
  isFields(fields.alias) ? String(fields.alias.aliasname) : findFunctionName(fields);

/** Columns that functions name themselves. */
const outputColumns = ['key', 'value', 'ordinality'];

/** Returns the columns of a function in `from`. A value without a name of its own has the alias as its column. */
function listFunctionColumns(fields: Fields, alias: string): ReadonlySet<string> {
  const named = isFields(fields.alias) ? (parseNames(fields.alias.colnames) ?? []) : [];
  const isNamed = named.length > 0 || findFunctionName(fields)?.startsWith('jsonb_array_elements');
  return new Set([...outputColumns, ...(isNamed ? named : [alias])]);
}
