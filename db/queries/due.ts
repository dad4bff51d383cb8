import type { Queryable } from './queryable.ts';

/** Items that are due now, in order, and the time until the next one. */
export interface DueItems<Row> {
  rows: Row[];
  /** Milliseconds until the next item is due; undefined if nothing is scheduled. */
  nextMs: number | undefined;
}

interface DueStatement {
  name: string;
  /** Query of the due items; its column `nth` has the order. */
  rows: string;
  /** Column and `from` clause of all due times, of which those after now are read. */
  moments: { column: string; from: string };
  values: unknown[];
}

/** Reads the due items and the next due time in one statement, so that nothing becomes due between two reads. */
export async function readDue<Row extends object>(
  db: Queryable,
  { name, rows: due, moments: { column, from }, values }: DueStatement,
): Promise<DueItems<Row>> {
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
    // If nothing is due, there is one row without an item.
    rows: rows
      .filter(({ nth }) => nth !== null)
      .map(({ next_ms: _, nth: __, ...row }) => row as unknown as Row),
    nextMs: rows[0]?.next_ms ?? undefined,
  };
}
