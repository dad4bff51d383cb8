import type { ServerResponse } from 'node:http';
import { getErrorMessage } from '@adaptor-marketplace/adaptor';
import { Counter, Gauge, type Registry } from '@prometheus-io/client';
import pg from 'pg';
import { cancelBackend, readProcessId } from '../../../db/cancel.ts';
import type { Logger } from '../../../lib/log/index.ts';
import { watchBackends } from './backends.ts';
import { createCallerQueue, type SqlBounds, tooLarge, tooSlow, usualBounds } from './bounds.ts';
import { type Output, openOutput } from './output.ts';
import { createSqlProblem, isInternalError } from './problems.ts';
import { createRoleCheck } from './role.ts';
import type { ResultFormat } from './values.ts';

interface Statement {
  sql: string;
  /** Sorts, hashes and buffers that it may have in memory together. */
  buffers: number;
  /** Key of the caller. Statements with the same key are counted together. */
  caller: string;
  format: ResultFormat;
}

export interface SqlReader {
  /** Runs a checked statement and sends its result. After its first byte, a failure closes the connection. */
  send(res: ServerResponse, query: Statement): Promise<void>;
  close(): Promise<void>;
}

interface SqlReaderOptions {
  /** Database url of the role that `db/views/sql-role.sql` creates. */
  url: string;
  bounds?: Partial<SqlBounds>;
  log: Logger;
  metrics: Registry;
}

const cursorPrefix = 'declare result no scroll cursor for\n';

/**
 * Settings of the transaction, beside those of the role. A caller cannot change them, since `set` and `set_config` are
 * refused. The parser that checks a statement also reads texts under `standard_conforming_strings`.
 */
const formatSettings = (bounds: SqlBounds, buffers: number) =>
  Object.entries({
    statement_timeout: bounds.statementMs,
    idle_in_transaction_session_timeout: bounds.statementMs,
    lock_timeout: 1_000,
    work_mem: Math.max(1_024, Math.min(16 * 1_024, Math.floor(statementMemoryKb / buffers))),
    hash_mem_multiplier: 1,
    max_parallel_workers_per_gather: 0,
    jit: 'off',
    cursor_tuple_fraction: 1,
    search_path: 'analytics',
    standard_conforming_strings: 'on',
    transform_null_equals: 'off',
    timezone: "'UTC'",
    datestyle: "'ISO, YMD'",
    intervalstyle: "'iso_8601'",
    extra_float_digits: 1,
    // The server checks whether this process is still connected. It cannot on Windows, where any value but 0 is
    // refused.
    client_connection_check_interval: process.platform === 'win32' ? 0 : 1_000,
  })
    .map(([name, value]) => `set local ${name} = ${value};`)
    .join(' ');

/** Memory for all sorts and hashes of a statement together. */
const statementMemoryKb = 64 * 1_024;

export function openSqlReader(options: SqlReaderOptions): SqlReader {
  const { url, log, metrics } = options;
  const bounds = { ...usualBounds, ...options.bounds };
  const pool = openPool(url, bounds, log);
  const queue = createCallerQueue(bounds);
  const backends = watchBackends({ url, log });
  const requireRole = createRoleCheck(log);
  const ended = countEnded(metrics);
  showLoad(metrics, queue.load);

  /** Runs a statement when the queue has room for it. */
  async function run(res: ServerResponse, statement: Statement, controller: AbortController): Promise<void> {
    const { signal } = controller;
    const abort = (reason: unknown) => controller.abort(reason);
    const leave = await queue.enter(statement.caller, signal);
    const deadline = setTimeout(() => abort(tooSlow(bounds)), bounds.statementMs);
    let client: pg.PoolClient | undefined;
    const cancel = () => client && cancelBackend(client);
    try {
      client = await pool.connect();
      signal.addEventListener('abort', cancel, { once: true });
      signal.throwIfAborted();
      const output = openOutput(res, statement.format, bounds, { abort, signal });
      await requireRole(client);
      await readResult(client, statement, bounds, output, signal);
      client.release();
    } catch (error) {
      // After any error the connection is closed, not reused.
      client?.release(true);
      if (signal.aborted) throw signal.reason;
      if (isInternalError(error)) log.error({ err: error }, 'PostgreSQL failed to run a statement');
      throw createSqlProblem(error, bounds, cursorPrefix);
    } finally {
      signal.removeEventListener('abort', cancel);
      clearTimeout(deadline);
      const processId = signal.aborted && client ? readProcessId(client) : undefined;
      if (processId === undefined) leave();
      // The caller gets its error now. The slot stays taken while the server still works.
      else void backends.whenEnded(processId).then(leave);
    }
  }

  return {
    async send(res, statement) {
      const controller = new AbortController();
      const departure = new DOMException('The caller has disconnected.', 'AbortError');
      const abort = () => controller.abort(departure);
      res.once('close', abort);
      let outcome = 'failed';
      try {
        await run(res, statement, controller);
        outcome = 'done';
      } catch (error) {
        if (error === departure) outcome = 'left';
        else if (error instanceof Error && 'code' in error) outcome = String(error.code);
        throw error;
      } finally {
        res.off('close', abort);
        ended.inc({ outcome });
      }
    },
    async close() {
      await Promise.all([pool.end(), backends.close()]);
    },
  };
}

function openPool(url: string, bounds: SqlBounds, log: Logger): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    max: bounds.running,
    application_name: 'sql',
    connectionTimeoutMillis: 5_000,
    // The server process of a connection caches what it has read of time zones and patterns.
    maxUses: 50,
    // Values stay the text that the server sends, because each format maps types itself.
    types: { getTypeParser: () => (text: string) => text },
  });
  pool.on('error', (error) => log.debug({ reason: getErrorMessage(error) }, 'an idle connection broke'));
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}

function countEnded(metrics: Registry): Counter<'outcome'> {
  return new Counter({
    name: 'sql_statements_total',
    help: 'Statements of POST /api/sql that were allowed, by how they ended.',
    labelNames: ['outcome'],
    registers: [metrics],
  });
}

function showLoad(metrics: Registry, load: () => { running: number; waiting: number }): void {
  new Gauge({
    name: 'sql_load',
    help: 'Statements of POST /api/sql that run, and that wait.',
    labelNames: ['state'],
    registers: [metrics],
    collect() {
      const { running, waiting } = load();
      this.set({ state: 'running' }, running);
      this.set({ state: 'waiting' }, waiting);
    },
  });
}

/** Runs a statement on a connection, and writes the rows as they are fetched. */
async function readResult(
  client: pg.PoolClient,
  { sql, buffers }: Statement,
  bounds: SqlBounds,
  output: Output,
  signal: AbortSignal,
): Promise<void> {
  await client.query(`begin transaction read only; ${formatSettings(bounds, buffers)}`);
  // The extended protocol accepts one statement. A cursor accepts only a query, and none that writes.
  const declare = { text: cursorPrefix + sql, queryMode: 'extended' };
  await client.query(declare);
  let fetched = 16;
  for (;;) {
    const received = countBytes(client, bounds.fetchBytes, () => output.abort(tooLarge(bounds)));
    const result = await client
      .query<(string | null)[]>({ text: `fetch ${fetched} from result`, rowMode: 'array' })
      .finally(received.stop);
    signal.throwIfAborted();
    await output.write(result);
    if (result.rows.length < fetched) break;
    const rowBytes = Math.max(1, received.bytes() / fetched);
    fetched = Math.max(1, Math.min(1_000, Math.floor(fetchBytesAim / rowBytes)));
  }
  await client.query('commit');
  await client.query('discard all');
  await output.end();
}

/** Target size of one fetch. The number of rows is chosen for it. */
const fetchBytesAim = 256 * 1024;

/** Counts the bytes that the server sends. Calls `onMore` once, when they exceed `max`. */
function countBytes(client: pg.PoolClient, max: number, onMore: () => void) {
  const { stream } = client.connection;
  let bytes = 0;
  const count = (chunk: Buffer) => {
    const before = bytes;
    bytes += chunk.length;
    if (before <= max && bytes > max) onMore();
  };
  stream.on('data', count);
  return { bytes: () => bytes, stop: () => void stream.off('data', count) };
}
