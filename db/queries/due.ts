import type { Queryable } from './queryable.ts';

/** What is due at one moment, in order, and when something else is. */
export interface Due<Row> {
  rows: Row[];
  /** Milliseconds until then; undefined where nothing is scheduled. */
  nextMs: number | undefined;
}

interface DueStatement {
  name: string;
  /** A query whose column `nth` has the order. */
  rows: string;
  /** The moments after now at which something is due. */
  moments: { column: string; from: string };
  values: unknown[];
}

/** Reads both in one statement, so that nothing can become due between them. */
export async function readDue<Row extends object>(
  db: Queryable,
  { name, rows: due, moments: { column, from }, values }: DueStatement,
): Promise<Due<Row>> {
  const { rows } = await db.query<Row & { next_ms: number | null; nth: number | null }>({
    name,
    text: `select next_ms, due.*
      from (select (extract(epoch from min(${column}) - now()) * 1000)::float8 as next_ms
        from ${from} and ${column} > now()) next
      left join (${due}) due on true
      order by nth`,
    values,
  });
  return {
    // Where nothing is due, there is one row without any.
    rows: rows
      .filter(({ nth }) => nth !== null)
      .map(({ next_ms: _, nth: __, ...row }) => row as unknown as Row),
    nextMs: rows[0]?.next_ms ?? undefined,
  };
}
