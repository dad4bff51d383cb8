import type { ClientBase } from 'pg';
import { type Column, createColumn } from './columns.ts';

/** Rows that were read together, one array for each. A value is as PostgreSQL writes it. */
interface RowBatch {
  columns: readonly Column[];
  rows: (string | null)[][];
}

/** Rows are read in batches of about this size, and no more than `rowsMax`. */
const batchSize = 4 * 1024 * 1024;
const rowsMax = 5_000;
const rowsAtFirst = 100;

const asText = { getTypeParser: () => (value: string) => value };

/** Reads a statement's rows through a cursor, in batches. The first batch may be empty: it has the columns. */
export async function* readRows(
  client: Pick<ClientBase, 'query'>,
  sql: string,
  values: readonly unknown[],
): AsyncGenerator<RowBatch> {
  await client.query(`declare export_rows no scroll cursor for ${sql}`, [...values]);
  let columns: Column[] | undefined;
  for (let count = rowsAtFirst; ; ) {
    const result = await client.query<(string | null)[]>({
      text: `fetch ${count} from export_rows`,
      rowMode: 'array',
      types: asText,
    });
    columns ??= result.fields.map(({ name, dataTypeID }) => createColumn(name, dataTypeID));
    const { rows } = result;
    const size = rows.reduce((sum, row) => row.reduce((own, value) => own + (value?.length ?? 0), sum), 0);
    yield { columns, rows };
    if (rows.length < count) break;
    count = Math.max(1, Math.min(rowsMax, 2 * count, Math.round((count * batchSize) / size)));
  }
  // The end of a transaction that failed closes the cursor, and a statement in it would hide the reason.
  await client.query('close export_rows');
}
