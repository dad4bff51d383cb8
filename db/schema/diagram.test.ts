import { expect, test } from 'vitest';
import { createTestDatabase } from '../../test/support/database.ts';
import { tablesDocument } from './diagram.ts';

test('the diagram has every table and column of a migrated database', async () => {
  const { pool } = await createTestDatabase();
  const { rows } = await pool.query<{ column: string }>(
    `select c.table_name || '.' || c.column_name || case c.is_nullable when 'YES' then ' "null"' else '' end as column
      from information_schema.columns c join information_schema.tables t using (table_schema, table_name)
      where table_schema = 'public' and table_type = 'BASE TABLE' and table_name !~ '^webhook_log_[0-9]'`,
  );
  const drawn = [...tablesDocument().matchAll(/^ {2}(\w+) \{\n(.*?)\n {2}\}/gms)].flatMap(([, name, body]) =>
    body!.split('\n').map((line) => {
      const [, column, required] = /^ {4}\S+ (\w+)(?: PK)?( "null")?$/.exec(line)!;
      return `${name}.${column}${required ?? ''}`;
    }),
  );
  expect(drawn.sort()).toEqual(rows.map(({ column }) => column).sort());
});
