import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { PgTable } from 'drizzle-orm/pg-core';
import type { ClientBase } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { getTableName } from '../orm/drizzle.ts';
import { nameColumns, type Property } from '../rows.ts';

type CopyValue = string | number | boolean | Uint8Array | Date | null;

/** Appends rows with COPY, which costs the server a fraction of an INSERT. */
export async function copyRows<T extends PgTable>(
  client: ClientBase,
  table: T,
  properties: readonly Property<T>[],
  rows: Iterable<readonly CopyValue[]>,
): Promise<void> {
  await copyLines(client, table, properties, Iterator.from(rows).map(copyLine));
}

/** Appends rows that are text already: each is a line of `copyText`, `copyJson` and `copyBytes` values between tabs. */
export async function copyLines<T extends PgTable>(
  client: ClientBase,
  table: T,
  properties: readonly Property<T>[],
  lines: Iterable<string>,
): Promise<void> {
  const stream = client.query(
    copyFrom(`copy ${getTableName(table)} (${nameColumns(table, properties)}) from stdin`),
  );
  await pipeline(Readable.from(batchLines(lines)), stream);
}

/** Characters of a piece: the server stores one piece while the next is written. */
const pieceLength = 64 * 1024;

function* batchLines(lines: Iterable<string>): Generator<string> {
  let text = '';
  for (const line of lines) {
    text += line;
    if (text.length < pieceLength) continue;
    yield text;
    text = '';
  }
  if (text !== '') yield text;
}

/** One row in COPY's text format. */
function copyLine(row: readonly CopyValue[]): string {
  let line = '';
  for (let i = 0; i < row.length; i++) line += (i === 0 ? '' : '\t') + copyField(row[i] ?? null);
  return `${line}\n`;
}

function copyField(value: CopyValue): string {
  if (value === null) return copyNull;
  if (typeof value === 'string') return copyText(value);
  if (value instanceof Uint8Array) return copyBytes(value);
  if (value instanceof Date) return value.toISOString();
  return String(value);
}

export const copyNull = '\\N';

export const copyText = (text: string) => (special.test(text) ? text.replace(specials, escapeChar) : text);

/**
 * Returns a value as JSON in COPY's text format. The backslash is the only character that JSON text contains and COPY
 * escapes.
 */
export function copyJson(value: object): string {
  const json = JSON.stringify(value);
  return json.includes('\\') ? json.replaceAll('\\', '\\\\') : json;
}

export const copyBytes = ({ buffer, byteOffset, byteLength }: Uint8Array) =>
  `\\\\x${Buffer.from(buffer, byteOffset, byteLength).toString('hex')}`;

const special = /[\\\t\n\r]/;
const specials = new RegExp(special, 'g');
const escapes: Record<string, string> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };
const escapeChar = (char: string) => escapes[char] ?? char;
