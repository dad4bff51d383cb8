import { hasSqlDetails, loadModule, parseSync, scanSync } from 'libpg-query';
import { problem } from '../../../lib/errors/index.ts';
import {
  concatenationsMax,
  type FieldRule,
  grammar,
  kindNames,
  nodesMax,
  productsMax,
} from './allow-list.ts';
import { estimateGrowth } from './growth.ts';
import { createNodeChecks } from './node-checks.ts';
import { capitalize, invalid, refuse as refuseAt } from './refusals.ts';
import { type Fields, isFields, type Node, parseNode } from './tree.ts';

/** Above, PostgreSQL's parser in WebAssembly would run out of stack. Every level of nesting has a token. */
const tokensMax = 1_000;

/**
 * Checks that a text only reads the views of `analytics`. Returns how many sorts and hashes it may have in memory.
 * @throws ProblemError 400 `sql_invalid` for what does not parse, 422 `sql_refused` for what is not allowed
 */
export async function checkStatement(sql: string): Promise<number> {
  await loadModule();
  const statements = parse(sql);
  const [first, second] = statements;
  if (!first) throw invalid('The text has no statement.', undefined);
  if (second) throw refuseAt(sql, { byte: second.stmt_location ?? 0, what: 'More than one statement' });
  const { kind, fields } = parseNode(first.stmt) ?? { kind: 'nothing', fields: {} };
  if (kind !== 'SelectStmt') {
    throw refuseAt(sql, { byte: first.stmt_location ?? 0, what: 'A statement other than `select`' });
  }
  walkStatement(sql, fields);
  const { nodes, parts, products, buffers } = estimateGrowth(fields);
  const note = 'Those of a subquery count as often as its columns are used.';
  if (parts > concatenationsMax + 1) {
    throw problem('sql_refused', `The statement has more than ${concatenationsMax} times \`||\`. ${note}`);
  }
  if (nodes > nodesMax) {
    throw problem('sql_refused', `The statement has more than ${nodesMax} terms. ${note}`);
  }
  if (products > productsMax) {
    const counts = 'multiplications, divisions, powers, roots and logarithms';
    throw problem('sql_refused', `The statement has more than ${productsMax} ${counts}. ${note}`);
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
    throw invalid(`${capitalize(message)}.`, cursorPosition < 0 ? undefined : cursorPosition + 1);
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

/** Walks the tree of a statement by the grammar, which names what is allowed. */
function walkStatement(sql: string, statement: Fields): void {
  const checks = createNodeChecks(sql, statement);
  const refuse = (byte: number, what = 'This part of the statement') => refuseAt(sql, { byte, what });

  function walk(node: Node, lastByte: number, parents: readonly Node[]): void {
    const { kind, fields } = node;
    const rules = grammar[kind];
    const byte = typeof fields.location === 'number' ? fields.location : lastByte;
    if (!rules) throw refuse(byte, capitalize(kindNames[kind] ?? `\`${kind}\``));
    checks[kind]?.(fields, byte, parents);
    const below = [...parents, node];
    for (const [name, value] of Object.entries(fields)) {
      const rule = Object.hasOwn(rules, name) ? rules[name] : undefined;
      if (rule === undefined) throw refuse(byte, capitalize(kindNames[name] ?? `\`${name}\` of ${kind}`));
      walkField(rule, value, byte, below);
    }
  }

  function walkField(rule: FieldRule, value: unknown, byte: number, parents: readonly Node[]): void {
    if (rule === 'checked') return;
    if (rule === 'plain' || rule === 'name') {
      if (isScalar(value)) return;
      throw refuse(byte);
    }
    if (rule === 'node') {
      walkNode(value, byte, parents);
    } else if (rule === 'nodes') {
      if (!Array.isArray(value)) throw refuse(byte);
      for (const item of value) if (!isEmpty(item)) walkNode(item, byte, parents);
    } else if ('is' in rule) {
      if (!isFields(value)) throw refuse(byte);
      walk({ kind: rule.is, fields: value }, byte, parents);
    } else if (!rule.oneOf.has(String(value))) {
      throw refuse(byte, `\`${String(value)}\``);
    }
  }

  function walkNode(value: unknown, byte: number, parents: readonly Node[]): void {
    const node = parseNode(value);
    if (!node) throw refuse(byte);
    walk(node, byte, parents);
  }

  walk({ kind: 'SelectStmt', fields: statement }, 0, []);
}

const isScalar = (value: unknown) => ['string', 'number', 'boolean'].includes(typeof value);
const isEmpty = (value: unknown) => isFields(value) && Object.keys(value).length === 0;
