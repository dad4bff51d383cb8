import { hasSqlDetails, loadModule, parseSync, scanSync } from 'libpg-query';
import { analyticsViews } from '../../../db/views/names.ts';
import { type ProblemError, problem } from '../../../lib/errors/index.ts';
import { nearestName } from '../../../lib/errors/nearest-name.ts';
import {
  allowedFunctions,
  allowedOperators,
  allowedTypes,
  concatenationsMax,
  type FieldRule,
  grammar,
  kindNames,
  nodesMax,
  relationsMax,
  rowComparisons,
  rowFunctions,
  sortedAggregatesMax,
  timeTypes,
} from './allow-list.ts';
import { estimateGrowth } from './growth.ts';
import {
  builtin,
  type Fields,
  isConstant,
  isFields,
  list,
  type Node,
  parseNames,
  parseNode,
} from './tree.ts';
import { createZoneChecks } from './zones.ts';

/** Above, PostgreSQL's parser in WebAssembly would run out of stack. Every level of nesting has a token. */
const tokensMax = 1_000;

/**
 * Checks that a text is one statement that only reads the views of `analytics`, by what PostgreSQL's own parser makes of it.
 * @returns how many sorts, hashes and buffers it may have in memory together
 * @throws ProblemError 400 `sql_invalid` for what does not parse, 422 `sql_refused` for what is not on the allow list
 */
export async function checkStatement(sql: string): Promise<number> {
  await loadModule();
  const statements = parse(sql);
  const [first, second] = statements;
  if (!first) throw invalid('The text has no statement.', undefined);
  if (second) throw refuse(sql, { byte: second.stmt_location ?? 0, what: 'More than one statement' });
  const { kind, fields } = parseNode(first.stmt) ?? { kind: 'nothing', fields: {} };
  if (kind !== 'SelectStmt') {
    throw refuse(sql, {
      byte: first.stmt_location ?? 0,
      what: `A statement other than \`select\` (${kind})`,
    });
  }
  walkStatement(sql, fields);
  const { nodes, parts, buffers } = estimateGrowth(fields);
  const counted = 'Those of a subquery count as often as its columns are used.';
  if (parts > concatenationsMax + 1) {
    throw problem('sql_refused', `The statement has more than ${concatenationsMax} times \`||\`. ${counted}`);
  }
  if (nodes > nodesMax) {
    throw problem('sql_refused', `The statement has more than ${nodesMax} terms. ${counted}`);
  }
  return buffers;
}

interface RawStatement {
  stmt: unknown;
  stmt_location?: number;
}

function parse(sql: string): RawStatement[] {
  if (sql.trim() === '') return [];
  const tokens = countTokens(sql);
  if (tokens !== undefined && tokens > tokensMax) {
    throw problem('sql_refused', `The statement has ${tokens} tokens; the limit is ${tokensMax}.`);
  }
  try {
    return (parseSync(sql).stmts ?? []) as RawStatement[];
  } catch (error) {
    if (!hasSqlDetails(error)) throw error;
    const { message, cursorPosition } = error.sqlDetails!;
    throw invalid(`${capital(message)}.`, cursorPosition < 0 ? undefined : cursorPosition + 1);
  }
}

/** Counts the tokens of a statement; undefined if a token has no end. The parser reports an error at that token too. */
function countTokens(sql: string): number | undefined {
  try {
    return scanSync(sql).tokens.length;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

function invalid(message: string, position: number | undefined): ProblemError {
  return problem('sql_invalid', message, { errors: [{ path: 'body.sql', message, position }] });
}

/** In characters from 1: nodes have bytes of UTF-8 from 0. */
function computePosition(sql: string, byte: number): number {
  return [...Buffer.from(sql).subarray(0, byte).toString()].length + 1;
}

interface Refusal {
  byte: number;
  /** Subject of `is not allowed`. */
  what: string;
  instead?: string | undefined;
}

function refuse(sql: string, { byte, what, instead }: Refusal): ProblemError {
  const position = computePosition(sql, byte);
  const message = `${what} is not allowed.${instead ? ` ${instead}` : ''}`;
  return problem('sql_refused', `Character ${position}: ${message}`, {
    errors: [{ path: 'body.sql', message, position }],
  });
}

const shown = (names: readonly string[] | undefined) => `\`${(names ?? ['?']).join('.').slice(0, 80)}\``;

function walkStatement(sql: string, statement: Fields): void {
  const made = namesMade(statement);
  const zones = createZoneChecks(statement);
  let concatenations = 0;
  let relations = 0;
  let sortedAggregates = 0;

  const checks: Readonly<Record<string, (fields: Fields, byte: number, parents: readonly Node[]) => void>> = {
    RangeVar({ schemaname, relname }, byte) {
      relations += 1;
      if (relations > relationsMax)
        throw refuse(sql, { byte, what: `A join of more than ${relationsMax} relations` });
      const name = String(relname);
      const isView = analyticsViews.has(name) && (schemaname === undefined || schemaname === 'analytics');
      // The name of a common table expression is valid in its scope alone. Beyond that, no relation of PostgreSQL has it.
      if (isView || (schemaname === undefined && made.queries.has(name))) return;
      const nearest = nearestName(name, [...analyticsViews]);
      const instead = nearest
        ? `Did you mean \`analytics.${nearest}\`?`
        : 'Use the views of the schema `analytics`.';
      const names = [schemaname, relname].filter((part) => part !== undefined).map(String);
      throw refuse(sql, { byte, what: `The relation ${shown(names)}`, instead });
    },
    RangeSubselect(_, byte) {
      relations += 1;
      if (relations > relationsMax)
        throw refuse(sql, { byte, what: `A join of more than ${relationsMax} relations` });
    },
    CommonTableExpr({ ctename }, byte) {
      if (!String(ctename).startsWith('pg_')) return;
      throw refuse(sql, { byte, what: 'A common table expression whose name begins with `pg_`' });
    },
    ColumnRef({ fields }, byte, parents) {
      const names = parseNames(fields);
      const parent = parents.at(-1);
      if (!names) throw refuse(sql, { byte, what: 'This reference' });
      if (names.at(-1) === '*' && parent?.kind !== 'ResTarget') {
        throw refuse(sql, { byte, what: 'A whole row as a value', instead: 'Name its columns.' });
      }
      const last = names.at(-1)!;
      if (names.length > 1 && rowFunctions.has(last)) {
        const instead = 'If you mean a column, name it: `as`.';
        throw refuse(sql, { byte, what: `The function ${shown([last])} of a whole row`, instead });
      }
      const [name = ''] = names;
      if (names.length === 1 && made.rows.has(name)) {
        const instead = `If you mean a column, write \`${name}.${name}\`, or give the relation another alias.`;
        throw refuse(sql, { byte, what: `The whole row ${shown(names)} as a value`, instead });
      }
    },
    FuncCall({ funcname, args, agg_distinct: distinct, agg_order: order }, byte) {
      if (distinct || order) sortedAggregates += 1;
      if (sortedAggregates > sortedAggregatesMax) {
        const what = `More than ${sortedAggregatesMax} aggregates with \`distinct\` or \`order by\``;
        throw refuse(sql, { byte, what, instead: 'Aggregate what `select distinct` returns.' });
      }
      const names = parseNames(funcname);
      const name = builtin(names);
      if (name !== undefined && allowedFunctions.has(name)) {
        if (zones.isZone(name, args)) return;
        throw refuse(sql, { byte, what: 'A time zone that is not a constant' });
      }
      const nearest = nearestName(names?.at(-1) ?? '', [...allowedFunctions]);
      const instead = nearest ? `Did you mean \`${nearest}\`?` : undefined;
      throw refuse(sql, { byte, what: `The function ${shown(names)}`, instead });
    },
    TypeName({ names: given }, byte) {
      const names = parseNames(given);
      const name = builtin(names);
      if (name !== undefined && allowedTypes.has(name)) return;
      const instead = `Types: ${[...allowedTypes].join(', ')}.`;
      throw refuse(sql, { byte, what: `The type ${shown(names)}`, instead });
    },
    TypeCast({ arg, typeName }, byte) {
      const type = isFields(typeName) ? builtin(parseNames(typeName.names)) : undefined;
      if (!timeTypes.has(type ?? '') || zones.isTime(arg)) return;
      const instead = 'Use `to_timestamp` or `to_date`.';
      throw refuse(sql, { byte, what: 'A time of a text that the statement makes', instead });
    },
    A_Expr({ name: given }, byte) {
      requireOperator(given, byte);
      if (builtin(parseNames(given)) !== '||') return;
      concatenations += 1;
      if (concatenations > concatenationsMax)
        throw refuse(sql, { byte, what: `More than ${concatenationsMax} times \`||\`` });
    },
    SubLink: ({ operName }, byte) => {
      if (operName !== undefined) requireOperator(operName, byte);
    },
    RowExpr(_, byte, parents) {
      // Rows in rows would grow with each subquery; a comparison makes one value of two rows.
      const parent = parents.findLast(({ kind }) => kind !== 'List' && kind !== 'RowExpr');
      const operator = parent?.kind === 'A_Expr' ? builtin(parseNames(parent.fields.name)) : undefined;
      if (parent?.kind === 'SubLink' || (operator !== undefined && rowComparisons.has(operator))) return;
      throw refuse(sql, { byte, what: 'A row as a value', instead: 'Rows can be compared with rows.' });
    },
    A_ArrayExpr({ elements }, byte) {
      if (list(elements).every(isConstant)) return;
      throw refuse(sql, { byte, what: 'An array of other than constants' });
    },
  };

  function requireOperator(given: unknown, byte: number): void {
    const names = parseNames(given);
    const name = builtin(names)?.replace(/^(NOT )?BETWEEN( SYMMETRIC)?$/, 'BETWEEN');
    if (name !== undefined && allowedOperators.has(name)) return;
    throw refuse(sql, { byte, what: `The operator ${shown(names)}` });
  }

  function walk(node: Node, lastByte: number, parents: readonly Node[]): void {
    const { kind, fields } = node;
    const rules = grammar[kind];
    const byte = typeof fields.location === 'number' ? fields.location : lastByte;
    if (!rules) throw refuse(sql, { byte, what: capital(kindNames[kind] ?? `\`${kind}\``) });
    checks[kind]?.(fields, byte, parents);
    const below = [...parents, node];
    for (const [name, value] of Object.entries(fields)) {
      const rule = Object.hasOwn(rules, name) ? rules[name] : undefined;
      if (rule === undefined)
        throw refuse(sql, { byte, what: capital(kindNames[name] ?? `\`${name}\` of ${kind}`) });
      walkField(rule, value, byte, below);
    }
  }

  function walkField(rule: FieldRule, value: unknown, byte: number, parents: readonly Node[]): void {
    if (rule === 'checked') return;
    if (rule === 'plain' || rule === 'name') {
      if (isScalar(value)) return;
      throw refuse(sql, { byte, what: 'This part of the statement' });
    }
    if (rule === 'node') {
      walkNode(value, byte, parents);
    } else if (rule === 'nodes') {
      if (!Array.isArray(value)) throw refuse(sql, { byte, what: 'This part of the statement' });
      for (const item of value) if (!isEmpty(item)) walkNode(item, byte, parents);
    } else if ('is' in rule) {
      if (!isFields(value)) throw refuse(sql, { byte, what: 'This part of the statement' });
      walk({ kind: rule.is, fields: value }, byte, parents);
    } else if (!rule.oneOf.has(String(value))) {
      throw refuse(sql, { byte, what: `\`${String(value)}\`` });
    }
  }

  function walkNode(value: unknown, byte: number, parents: readonly Node[]): void {
    const node = parseNode(value);
    if (!node) throw refuse(sql, { byte, what: 'This part of the statement' });
    walk(node, byte, parents);
  }

  walk({ kind: 'SelectStmt', fields: statement }, 0, []);
}

const isScalar = (value: unknown) => ['string', 'number', 'boolean'].includes(typeof value);
const isEmpty = (value: unknown) => isFields(value) && Object.keys(value).length === 0;

/**
 * Returns the names that the statement defines: those of its common table expressions, and those that mean a whole row
 * if they are used as a column. A function in `from` is not among the rows: it can return values, and then its alias
 * names a column.
 */
function namesMade(statement: Fields): { queries: ReadonlySet<string>; rows: ReadonlySet<string> } {
  const queries = new Set<string>();
  const rows = new Set<string>();
  const open: unknown[] = [statement];
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (Array.isArray(value)) open.push(...value);
    if (!isFields(value)) continue;
    for (const [key, inner] of Object.entries(value)) {
      if (isFields(inner)) {
        if (key === 'CommonTableExpr') queries.add(String(inner.ctename));
        if (key === 'RangeVar' || key === 'RangeSubselect' || key === 'JoinExpr') {
          for (const alias of [inner.alias, inner.join_using_alias])
            if (isFields(alias)) rows.add(String(alias.aliasname));
          if (key === 'RangeVar' && inner.alias === undefined) rows.add(String(inner.relname));
        }
      }
      open.push(inner);
    }
  }
  return { queries, rows };
}
