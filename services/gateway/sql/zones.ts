import { allowedFunctions, allowedTypes, passingFunctions, timeFunctions, timeTypes } from './allow-list.ts';
import { type Fields, findBuiltinName, isConstant, isFields, list, parseNames, parseNode } from './tree.ts';

/** Column names that PostgreSQL generates, beside those of functions and types. */
const namedByItself =
  /^(column\d+|\?column\?|case|coalesce|exists|greatest|key|least|nullif|ordinality|value)$/;

/**
 * Finds values that could become a time zone. PostgreSQL caches 25 kB for each until the connection ends, and reads
 * `ABC1:02:03` as one. So a zone must be a constant or stored, and not made for each row.
 */
export function createZoneChecks(statement: Fields) {
  const made = listNamedColumns(statement);

  /**
   * Returns `true` if a value has a type of time, or if it is a text that is stored or a constant.
   * @param seen names of columns that were looked at for the same value: one that is not a time has ended the search
   */
  function isTime(value: unknown, seen: Set<string>): boolean {
    const node = parseNode(value);
    if (!node) return false;
    const { kind, fields } = node;
    const all = (...values: unknown[]) => values.flat().every((one) => isTime(one, seen));
    switch (kind) {
      case 'A_Const':
      case 'SQLValueFunction':
        return true;
      case 'ColumnRef':
        return isTimeColumn(parseNames(fields.fields)?.at(-1) ?? '*', seen);
      case 'TypeCast': {
        const type = isFields(fields.typeName)
          ? findBuiltinName(parseNames(fields.typeName.names))
          : undefined;
        return timeTypes.has(type ?? '') || all(fields.arg);
      }
      case 'FuncCall': {
        const name = findBuiltinName(parseNames(fields.funcname)) ?? '';
        if (timeFunctions.has(name)) return true;
        return passingFunctions.has(name) && all(...list(fields.args), ...list(fields.agg_order));
      }
      case 'A_Expr': {
        const operator = findBuiltinName(parseNames(fields.name)) ?? '';
        if (fields.kind === 'AEXPR_NULLIF') return all(fields.lexpr);
        if (['->', '->>', '#>', '#>>'].includes(operator)) return all(fields.lexpr);
        return operator === '+' || operator === '-';
      }
      case 'CoalesceExpr':
      case 'MinMaxExpr':
        return all(...list(fields.args));
      case 'CaseExpr':
        return all(...list(fields.args), ...(fields.defresult ? [fields.defresult] : []));
      case 'CaseWhen':
        return all(fields.result);
      case 'A_ArrayExpr':
        return all(...list(fields.elements));
      case 'A_Indirection':
        return all(fields.arg);
      case 'SortBy':
        return all(fields.node);
      default:
        return false;
    }
  }

  function isTimeColumn(name: string, seen: Set<string>): boolean {
    if (seen.has(name)) return true;
    seen.add(name);
    const definitions = made.get(name);
    if (definitions) return definitions.every((value) => isTime(value, seen));
    return !allowedFunctions.has(name) && !allowedTypes.has(name) && !namedByItself.test(name);
  }

  return {
    /** Returns `true` if a function may read its time zone: it is a constant, or there is none. */
    isZone(name: string, args: unknown): boolean {
      const given = list(args);
      if (name === 'timezone') return given.length < 2 || isConstant(given[0]);
      return name !== 'date_trunc' || given.length < 3 || isConstant(given[2]);
    },
    isTime: (value: unknown) => isTime(value, new Set()),
  };
}

/** Returns, by name, the values of the columns that a statement names. A value that is not known is `undefined`. */
function listNamedColumns(statement: Fields): ReadonlyMap<string, readonly unknown[]> {
  const made = new Map<string, unknown[]>();
  const add = (name: unknown, value: unknown) =>
    made.set(String(name), [...(made.get(String(name)) ?? []), value]);
  const open: unknown[] = [statement];
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (Array.isArray(value)) open.push(...value);
    if (!isFields(value)) continue;
    const { ResTarget: target, RangeFunction: called } = value;

    if (isFields(target)) {
      const name = target.name ?? findCaseName(target.val);
      if (name !== undefined) add(name, target.val);
    }
    if (isFields(called) && isFields(called.alias)) add(called.alias.aliasname, undefined);
    for (const names of [value.colnames, value.aliascolnames]) {
      for (const name of parseNames(names) ?? []) add(name, undefined);
    }
    open.push(...Object.values(value));
  }
  return made;
}

/** Returns the name of a `case` without an alias: PostgreSQL names it after the column in its `else`. */
function findCaseName(value: unknown, inCase = false): string | undefined {
  const { kind, fields } = parseNode(value) ?? { kind: '', fields: {} };
  if (kind === 'TypeCast') return findCaseName(fields.arg, inCase);
  if (kind === 'CaseExpr') return findCaseName(fields.defresult, true);
  return inCase && kind === 'ColumnRef' ? parseNames(fields.fields)?.at(-1) : undefined;
}
