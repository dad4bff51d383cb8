import type { ClientBase } from 'pg';
import { type Column, createColumn } from './columns.ts';

/** Rows that were read together, one array for each. A value is as PostgreSQL writes it. */
interface RowBatch {
  columns: readonly Column[];
  rows: (string | null)[][];
}

/** Approximate size of a batch in characters, and its maximum number of rows. */
const batchCharacters = 4 * 1024 * 1024;
const rowsMax = 5_000;
const firstCount = 100;

const asText = { getTypeParser: () => (value: string) => value };

/** Reads a statement's rows through a cursor, in batches. The first batch may be empty: it has the columns. */
export async function* readRows(
  client: Pick<ClientBase, 'query'>,
  sql: string,
  values: readonly unknown[],
): AsyncGenerator<RowBatch> {
  await client.query(`declare export_rows no scroll cursor for ${sql}`, [...values]);
  let columns: Column[] | undefined;
  for (let count = firstCount; ; ) {
    const result = await client.query<(string | null)[]>({
      text: `fetch ${count} from export_rows`,
      rowMode: 'array',
      types: asText,
    });
    columns ??= result.fields.map(({ name, dataTypeID }) => createColumn(name, dataTypeID));
    const { rows } = result;
    let characters = 0;
    for (const row of rows) for (const value of row) characters += value?.length ?? 0;
    yield { columns, rows };
    if (rows.length < count) break;
    count = Math.max(1, Math.min(rowsMax, 2 * count, Math.round((count * batchCharacters) / characters)));
  }
  // Not in `finally`: after an error the transaction has ended the cursor, and another statement would hide the reason.
  await client.query('close export_rows');
}
