import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { getErrorMessage } from '@adaptor-marketplace/adaptor';
import { Counter, Gauge, type Registry } from '@prometheus-io/client';
import pg from 'pg';
import { isDatabaseAway, problem } from '../../../lib/errors/index.ts';
import type { Logger } from '../../../lib/log/index.ts';
import { callerQueue, type SqlBounds, tooLarge, tooSlow, usualBounds } from './bounds.ts';
import { type ResultFormat, toColumns } from './values.ts';

interface Statement {
  sql: string;
  /** Sorts, hashes and buffers that it may have in memory together. */
  buffers: number;
  /** Key of the caller. Statements with the same key are counted together. */
  caller: string;
  format: ResultFormat;
}

export interface SqlReader {
  /**
   * Runs a checked statement and sends its result.
   * @throws ProblemError; after the first byte of the result, the caller of this method closes the connection instead
   */
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
const settings = (bounds: SqlBounds, buffers: number) =>
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

/**
 * Query for the faults of the database role: each column that is true names one. A role without faults can only read
 * the views.
 */
const wallQuery = `select
    rolsuper or rolbypassrls or rolcreaterole or rolcreatedb or rolreplication
      or exists (select from pg_auth_members where member = r.oid) as powerful,
    exists (
      select from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname not in ('analytics', 'information_schema') and n.nspname !~ '^pg_'
        and c.relkind in ('r', 'p', 'v', 'm', 'f')
        and has_table_privilege(c.oid, 'select, insert, update, delete, truncate')
    ) as reaches_more,
    current_setting('temp_file_limit') = '-1' as fills_disk
  from pg_roles r where rolname = current_user`;

export function openSqlReader(options: SqlReaderOptions): SqlReader {
  const { url, log, metrics } = options;
  const bounds = { ...usualBounds, ...options.bounds };
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
  const queue = callerQueue(bounds);
  const checked = new WeakSet<pg.ClientBase>();
  const ended = new Counter({
    name: 'sql_statements_total',
    help: 'Statements of POST /api/sql that were allowed, by how they ended.',
    labelNames: ['outcome'],
    registers: [metrics],
  });
  new Gauge({
    name: 'sql_load',
    help: 'Statements of POST /api/sql that run, and that wait.',
    labelNames: ['state'],
    registers: [metrics],
    collect() {
      const { running, waiting } = queue.load();
      this.set({ state: 'running' }, running);
      this.set({ state: 'waiting' }, waiting);
    },
  });

  /** @throws ProblemError if the role could do more than read the views */
  async function requireWall(client: pg.PoolClient): Promise<void> {
    if (checked.has(client)) return;
    const { rows } = await client.query(wallQuery);
    const faults = Object.entries(rows[0] ?? { missing: 't' }).flatMap(([fault, value]) =>
      value === 'f' ? [] : [fault],
    );
    if (faults.length > 0) {
      log.error({ faults }, 'the role of SQL_DATABASE_URL may do more than it must; see docs/operations.md');
      throw problem(
        'sql_not_configured',
        'The database role for SQL is not set up as it must be. Tell the operator.',
      );
    }
    checked.add(client);
  }

  async function run(
    client: pg.PoolClient,
    { sql, buffers }: Statement,
    output: Output,
    signal: AbortSignal,
  ): Promise<void> {
    await requireWall(client);
    await client.query(`begin transaction read only; ${settings(bounds, buffers)}`);
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

  return {
    async send(res, statement) {
      const { caller, format } = statement;
      const controller = new AbortController();
      const { signal } = controller;
      const abort = (reason: unknown) => controller.abort(reason);
      const left = new DOMException('The caller has gone.', 'AbortError');
      const gone = () => abort(left);
      res.once('close', gone);
      let outcome = 'failed';
      try {
        const leave = await queue.enter(caller, signal);
        const deadline = setTimeout(() => abort(tooSlow(bounds)), bounds.statementMs);
        let client: pg.PoolClient | undefined;
        const cancel = () => client && cancelBackend(client);
        try {
          client = await pool.connect();
          signal.addEventListener('abort', cancel, { once: true });
          signal.throwIfAborted();
          await run(client, statement, resultOutput(res, format, bounds, { abort, signal }), signal);
          client.release();
          outcome = 'done';
        } catch (error) {
          // After any error the connection is closed, not reused.
          client?.release(true);
          throw signal.aborted ? signal.reason : sqlProblem(error, bounds);
        } finally {
          signal.removeEventListener('abort', cancel);
          clearTimeout(deadline);
          leave();
        }
      } catch (error) {
        if (error === left) outcome = 'left';
        else if (error instanceof Error && 'code' in error) outcome = String(error.code);
        throw error;
      } finally {
        res.off('close', gone);
        ended.inc({ outcome });
      }
    },
    close: () => pool.end(),
  };
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

/**
 * Ends the statement of a connection, by a cancel request of PostgreSQL and by closing the connection. If the request
 * does not arrive, the server notices the closed connection within a second.
 */
function cancelBackend(client: pg.PoolClient): void {
  const [processId, secret] = ['processID', 'secretKey'].map((name) => Reflect.get(client, name) as unknown);
  client.connection.stream.destroy();
  if (typeof processId !== 'number' || typeof secret !== 'number') return;
  const request = Buffer.alloc(16);
  request.writeInt32BE(16, 0);
  request.writeInt32BE(cancelRequestCode, 4);
  request.writeInt32BE(processId, 8);
  request.writeInt32BE(secret, 12);
  const { host, port } = client;
  const socket = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host);
  socket.on('error', () => undefined);
  socket.setTimeout(5_000, () => socket.destroy());
  socket.end(request);
}

const cancelRequestCode = 80_877_102;

interface Output {
  abort(reason: unknown): void;
  write(result: pg.QueryArrayResult<(string | null)[]>): Promise<void>;
  end(): Promise<void>;
}

/** Bytes that are buffered before the status is sent. Until then, an error can still have a status of its own. */
const headBytes = 64 * 1024;

function resultOutput(
  res: ServerResponse,
  format: ResultFormat,
  bounds: SqlBounds,
  { abort, signal }: { abort(reason: unknown): void; signal: AbortSignal },
): Output {
  let writeRow: ReturnType<ResultFormat['rows']> | undefined;
  let rows = 0;
  let bytes = 0;
  let waiting: string[] = [];
  let waitingBytes = 0;

  function add(text: string): void {
    waiting.push(text);
    waitingBytes += Buffer.byteLength(text);
  }

  async function flush(): Promise<void> {
    if (!res.headersSent)
      res.writeHead(200, { 'content-type': format.contentType, 'cache-control': 'no-store' });
    const drained = res.write(waiting.join(''));
    waiting = [];
    waitingBytes = 0;
    if (!drained) await whenDrained();
  }

  async function whenDrained(): Promise<void> {
    // The close of the response ends the statement.
    const timer = setTimeout(() => res.destroy(), bounds.drainMs);
    try {
      await once(res, 'drain', { signal });
    } finally {
      clearTimeout(timer);
    }
  }

  return {
    abort,
    async write(result) {
      if (!writeRow) {
        const columns = toColumns(result.fields);
        add(format.head(columns));
        writeRow = format.rows(columns);
      }
      for (const row of result.rows) {
        rows += 1;
        const text = writeRow(row, rows === 1);
        bytes += Buffer.byteLength(text);
        if (rows > bounds.rows || bytes > bounds.bytes) throw tooLarge(bounds);
        add(text);
        if (waitingBytes >= headBytes) await flush();
      }
    },
    async end() {
      add(format.end(rows));
      if (!res.headersSent) {
        const headers = { 'content-type': format.contentType, 'cache-control': 'no-store' };
        res.writeHead(200, { ...headers, 'content-length': waitingBytes });
      }
      res.end(waiting.join(''));
    },
  };
}

/** SQLSTATE classes of errors in the statement. The caller may see the message of PostgreSQL about them. */
const inStatement = /^(0A|21|22|2F|42)/;

/**
 * Converts an error of PostgreSQL about a statement to a problem, without what it reveals about this host. Returns
 * other errors unchanged.
 */
function sqlProblem(error: unknown, bounds: SqlBounds): unknown {
  if (!(error instanceof pg.DatabaseError) || error.code === undefined || isDatabaseAwayNotLimit(error))
    return error;
  const { code, message, hint, position } = error;
  if (code === '57014') return tooSlow(bounds);
  if (code === '53400' || code === '53200') {
    return problem(
      'sql_too_large',
      'The statement needs more memory or temporary files than it may use. Filter, or aggregate less.',
    );
  }
  if (!inStatement.test(code) && !code.startsWith('54')) return error;
  const text = `${message.charAt(0).toUpperCase()}${message.slice(1)}.${hint ? ` ${hint}` : ''}`;
  const at = position === undefined ? undefined : Number(position) - cursorPrefix.length;
  return problem('sql_failed', at === undefined ? text : `Character ${at}: ${text}`, {
    errors: [{ path: 'body.sql', message: text, position: at }],
  });
}

/**
 * Returns `true` if the database is unavailable. The limits of a statement have the same SQLSTATE class as an exhausted
 * server.
 */
const isDatabaseAwayNotLimit = (error: pg.DatabaseError) =>
  isDatabaseAway(error) && error.code !== '53400' && error.code !== '53200';
