import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { getErrorMessage } from '@adaptor-marketplace/adaptor';
import Table from 'cli-table3';
import type { z } from 'zod';

/** The streams and the environment of the process that runs a command. */
export interface Io {
  out(text: string): void;
  /** Progress, warnings and refusals. */
  err(text: string): void;
  env: Record<string, string | undefined>;
  /** True if `err` is a terminal on which a line can be rewritten. */
  liveErr: boolean;
  /** Width of the terminal that `out` writes to. Undefined for a file or a pipe. */
  columns?: number | undefined;
  /** Aborts when the reader of `out` closes it. What is written then is lost. */
  outClosed?: AbortSignal;
  /** The streams that show colours. By default neither does. */
  colours?: { out: boolean; err: boolean };
}

/** Writes lines with control characters escaped. */
export function say(write: Io['out'], lines: readonly string[]): void {
  write(lines.map((line) => `${escapeControls(line)}\n`).join(''));
}

/** Invalid arguments or options: exit code 2. */
export class UsageError extends Error {}

/** The command failed. The message says why and what to do: exit code 1. */
export class CommandFailedError extends Error {}

/** The command has printed its transaction instead of signing it: exit code 0. */
export class TransactionPrintedError extends Error {}

/** Parses JSON. Returns undefined for a text that is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Describes the first issue of a value that does not match its schema: its path, and what is wrong there. */
export function describeIssue({ issues }: z.core.$ZodError): string {
  const [{ path, message }] = issues as [z.core.$ZodIssue];
  return path.length === 0 ? message : `${path.join('.')}: ${message}`;
}

/** Explains why a file cannot be used, and what to do. */
export function explainFileError(path: string, error: unknown): string {
  switch ((error as NodeJS.ErrnoException | undefined)?.code) {
    case 'ENOENT':
      return `${path} does not exist.`;
    case 'ENOTDIR':
      return `Not a valid path: ${path}. One of its parents is a file.`;
    case 'EISDIR':
      return `${path} is a folder. Expected a file.`;
    case 'EACCES':
    case 'EPERM':
      return `Permission denied: ${path}. Check its permissions and those of its folder.`;
    case 'EROFS':
      return `${path} is on a read-only file system. Choose another location.`;
    case 'ENOSPC':
      return `No space left on the device for ${path}.`;
    default:
      return `Cannot use ${path}: ${getErrorMessage(error)}.`;
  }
}

/**
 * Checks that a new file can be written, before the work that produces its content.
 * @throws UsageError that says what to do
 */
export async function requireWritable(path: string): Promise<void> {
  const folder = dirname(path);
  await access(folder, constants.W_OK).catch((error: unknown) => {
    const absent = (error as NodeJS.ErrnoException).code === 'ENOENT';
    throw new UsageError(
      absent
        ? `The folder ${folder} does not exist. Create it: mkdir -p ${folder}`
        : explainFileError(path, error),
    );
  });
}

/**
 * Checks that a file can be written or replaced, before the work that produces its content.
 * @throws UsageError that says what to do
 */
export async function requireReplaceable(path: string): Promise<void> {
  await requireWritable(path);
  const found = await stat(path).catch(() => undefined);
  if (found?.isDirectory()) throw new UsageError(explainFileError(path, { code: 'EISDIR' }));
  if (!found) return;
  await access(path, constants.W_OK).catch((error: unknown) => {
    throw new UsageError(explainFileError(path, error));
  });
}

/** Explanations of connection errors. */
const connectionErrors: readonly [RegExp, string][] = [
  [/ECONNREFUSED/, 'the connection was refused'],
  [/ECONNRESET|EPIPE|socket hang up/, 'it closed the connection'],
  [/Name resolution failed|ENOTFOUND|EAI_AGAIN/, 'its host name does not resolve'],
  [/Protocol error|Parse Error|status code 4\d\d/, 'it does not speak gRPC'],
  [/wrong version number|packet length too long/, 'it does not speak TLS: use http:// instead of https://'],
  [/certificate|CERT_/i, 'its TLS certificate is not trusted'],
  [/ETIMEDOUT|DEADLINE_EXCEEDED|Deadline exceeded/, 'it did not answer in time'],
  [/EHOSTUNREACH|ENETUNREACH/, 'there is no route to it'],
];

/**
 * Explains a connection error.
 * @param reason error of gRPC, which begins with its code
 */
export function explainNodeError(reason: string): string {
  const words = connectionErrors.find(([pattern]) => pattern.test(reason))?.[1];
  return words ?? reason.replace(/\s+/g, ' ').slice(0, 300);
}

/** Creates the error of a command whose node does not answer. */
export const createNodeError = (reason: string): CommandFailedError =>
  new CommandFailedError(`The node does not answer: ${explainNodeError(reason)}. Try again.`);

/**
 * Characters that a terminal interprets or hides instead of showing: C0 and C1 controls, marks that change the
 * direction of text, invisible characters, line separators, private use, and halves of surrogate pairs. The variation
 * selector of emoji U+FE0F is allowed.
 */
const unprintable = /(?!\ufe0f)[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/** Returns a text as one line, with each unprintable character escaped by its code point, as `\u{1b}`. */
export function escapeControls(text: string): string {
  return text.replace(unprintable, (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`);
}

/** Formats a value as indented JSON. It parses to the same value, and unprintable characters have JSON escapes. */
export function formatJson(value: unknown): string {
  return JSON.stringify(value, null, 2)
    .split('\n')
    .map((line) => line.replace(unprintable, escapeJson))
    .join('\n');
}

/** Formats a value as such JSON on one line, for streams. */
export const formatJsonLine = (value: unknown): string =>
  `${JSON.stringify(value).replace(unprintable, escapeJson)}\n`;

function escapeJson(character: string): string {
  return character
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');
}

/** Quotes a word for a shell if it needs quotes. */
export const quoteForShell = (word: string): string =>
  /^[\w@:.-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;

/** Style of a table without lines. */
const plain = Object.fromEntries(
  [
    'top',
    'top-mid',
    'top-left',
    'top-right',
    'bottom',
    'bottom-mid',
    'bottom-left',
    'bottom-right',
    'left',
    'left-mid',
    'mid',
    'mid-mid',
    'right',
    'right-mid',
  ].map((part) => [part, '']),
);

/**
 * Formats a table as lines, with two blanks between columns. Column widths are those on a terminal.
 * @param columns width of the terminal. A table that is wider becomes a block of lines for each row, so that nothing is
 * cut off
 */
export function formatTable(
  header: readonly string[],
  rows: readonly (readonly string[])[],
  columns = Number.POSITIVE_INFINITY,
): string[] {
  const shown = new Table({
    chars: { ...plain, middle: '  ' },
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0 },
  });
  shown.push(...[header, ...rows].map((row) => row.map(escapeControls)));
  if (shown.width > columns) return formatBlocks(header, rows);
  return shown
    .toString()
    .split('\n')
    .map((line) => line.trimEnd());
}

/** Formats each cell as a line, after the name of its column, with an empty line between rows. */
function formatBlocks(header: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const width = Math.max(...header.map((name) => name.length));
  return rows.flatMap((row, rowIndex) => [
    ...(rowIndex === 0 ? [] : ['']),
    ...header.map((name, column) => `${name.padEnd(width)}  ${row[column] ?? ''}`.trimEnd()),
  ]);
}

/** Removes the addresses from a Move type: they would hide the part that people look for. */
export const shortenType = (type: string) => type.replace(/0x[0-9a-f]{1,64}::/g, '');
