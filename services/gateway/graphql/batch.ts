import pg, { type Connection, type Pool, type QueryConfig, type QueryResultRow } from 'pg';

type Types = NonNullable<QueryConfig['types']>;
type Parse = (text: string) => unknown;

/** A connection with the methods that the driver's own statements use. */
interface Wire extends Pick<Connection, 'stream' | 'sync'> {
  /** The text of each statement that was prepared on it, by its name. */
  parsedStatements: Record<string, string>;
  parse(message: { name: string; text: string }): void;
  bind(message: { statement: string; values: (string | null)[] }): void;
  describe(message: { type: 'P'; name: string }): void;
  execute(message: object): void;
}

/** Returns a parameter in PostgreSQL's text format. */
function encodeParameter(value: unknown): string | null {
  if (typeof value === 'string') return value;
  if (value === null || value === undefined) return null;
  if (Array.isArray(value)) return `{${value.map(encodeArrayElement).join(',')}}`;
  if (value instanceof Date) return value.toISOString();
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

function encodeArrayElement(value: unknown): string {
  if (typeof value === 'number' || Array.isArray(value)) return encodeParameter(value)!;
  const text = encodeParameter(value);
  return text === null ? 'NULL' : `"${/["\\]/.test(text) ? text.replace(/["\\]/g, '\\$&') : text}"`;
}

interface RowDescription {
  fields: readonly { name: string; dataTypeID: number }[];
}

/** The columns of a statement's rows. */
interface Columns {
  names: readonly string[];
  parsers: readonly Parse[];
  empty: QueryResultRow;
}

/**
 * Cached columns of the statements that were prepared on a connection, by name. The server need not describe these
 * again.
 */
const described = new WeakMap<Wire, Map<string, Columns>>();

/** A statement of a batch, and its result: rows or an error. */
interface Asked {
  statement: QueryConfig;
  rows: QueryResultRow[];
  error?: unknown;
}

/**
 * Statements that are sent to the database together, and answered together. Each by itself would cost a write, a read
 * and a turn of the event loop, which is more than most of them cost otherwise. The driver calls the methods.
 */
class Batch {
  /**
   * Bytes of the rows, added up as they arrive. A pass over the rows afterwards would cost a tenth of a query's time.
   */
  bytes = 0;
  readonly asked: readonly Asked[];
  /** Number of statements that have ended. */
  ended = 0;
  callback: ((error: unknown) => void) | undefined;
  readonly #types: Types;
  readonly #bytesMax: number;
  #wire: Wire | undefined;
  #columns: Columns | undefined;
  #fault: { error: unknown } | undefined;

  /** @param bytesMax rows beyond it are counted and dropped */
  constructor(statements: readonly QueryConfig[], types: Types, bytesMax: number) {
    this.asked = statements.map((statement) => ({ statement, rows: [] }));
    this.#types = types;
    this.#bytesMax = bytesMax;
  }

  submit(connection: Connection): Error | null {
    const wire = connection as unknown as Wire;
    this.#wire = wire;
    wire.stream.cork();
    try {
      for (const { statement } of this.asked) this.#send(wire, statement);
    } finally {
      // One sync for all: after an error, the server skips the statements that follow.
      wire.sync();
      wire.stream.uncork();
    }
    this.#begin();
    return null;
  }

  #send(wire: Wire, { name = '', text, values = [] }: QueryConfig): void {
    if (name === '' || wire.parsedStatements[name] === undefined) {
      wire.parse({ name, text });
      // A connection on which anything fails is not used again.
      if (name !== '') wire.parsedStatements[name] = text;
    }
    wire.bind({ statement: name, values: values.map(encodeParameter) });
    if (!described.get(wire)?.has(name)) wire.describe({ type: 'P', name: '' });
    wire.execute({});
  }

  /** Loads the cached columns of the next statement. */
  #begin(): void {
    const name = this.asked[this.ended]?.statement.name;
    this.#columns = name === undefined ? undefined : described.get(this.#wire!)?.get(name);
  }

  handleRowDescription({ fields }: RowDescription): void {
    const names = fields.map(({ name }) => name);
    const columns = {
      names,
      parsers: fields.map(({ dataTypeID }) => this.#types.getTypeParser(dataTypeID, 'text') as Parse),
      empty: Object.fromEntries(names.map((name) => [name, null])),
    };
    this.#columns = columns;
    const { name } = this.asked[this.ended]!.statement;
    if (name === undefined) return;
    const known = described.get(this.#wire!) ?? new Map<string, Columns>();
    described.set(this.#wire!, known.set(name, columns));
  }

  handleDataRow({ length, fields }: { length: number; fields: readonly (string | null)[] }): void {
    this.bytes += length;
    if (this.bytes > this.#bytesMax || this.#fault) return;
    const { names, parsers, empty } = this.#columns!;
    const row: QueryResultRow = { ...empty };
    try {
      for (let at = 0; at < fields.length; at += 1) {
        const text = fields[at] as string | null;
        if (text !== null) row[names[at]!] = parsers[at]!(text);
      }
    } catch (error) {
      this.#fault = { error };
    }
    this.asked[this.ended]!.rows.push(row);
  }

  handleCommandComplete(): void {
    if (this.#fault) this.asked[this.ended]!.error = this.#fault.error;
    this.#fault = undefined;
    this.ended += 1;
    this.#begin();
  }

  handleReadyForQuery(): void {
    this.callback?.(null);
  }

  handleError(error: unknown): void {
    this.callback?.(error);
  }
}

/**
 * Runs a batch. At run time, `query` returns a promise. Its types say that it returns the batch, as they do for every
 * statement that emits events.
 */
const runOn = (pool: Pool, batch: Batch) => pool.query(batch as never) as unknown as Promise<unknown>;

/**
 * Runs statements one after another on one connection, in one round trip. An error fails only its own statement, unless
 * the connection is lost. The statements after it take another round trip.
 * @returns the statements with their results, and the bytes of their rows
 */
export async function runTogether(
  pool: Pool,
  statements: readonly QueryConfig[],
  bytesMax: number,
): Promise<{ asked: readonly Asked[]; bytes: number }> {
  const batch = new Batch(statements, pool.options.types ?? pg.types, bytesMax);
  const { asked } = batch;
  try {
    await runOn(pool, batch);
    return { asked, bytes: batch.bytes };
  } catch (error) {
    const isOwn = error instanceof pg.DatabaseError;
    const failed = asked.slice(batch.ended, isOwn ? batch.ended + 1 : undefined);
    for (const one of failed) one.error = error;
    const done = asked.slice(0, batch.ended + failed.length);
    if (done.length === asked.length) return { asked, bytes: batch.bytes };
    const rest = await runTogether(pool, statements.slice(done.length), bytesMax - batch.bytes);
    return { asked: [...done, ...rest.asked], bytes: batch.bytes + rest.bytes };
  }
}
