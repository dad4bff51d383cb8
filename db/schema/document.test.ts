import { expect, test } from 'vitest';
import { createTestDatabase } from '../../test/support/database.ts';
import { renderTablesDocument } from './document.ts';

test('the document has every table and column of a migrated database', async () => {
  const { pool } = await createTestDatabase();
  const { rows } = await pool.query<{ column: string }>(
    `select c.table_name || '.' || c.column_name || case c.is_nullable when 'YES' then ' null' else '' end as column
      from information_schema.columns c join information_schema.tables t using (table_schema, table_name)
      where table_schema = 'public' and table_type = 'BASE TABLE' and table_name !~ '^webhook_log_[0-9]'`,
  );
  const listed = [...renderTablesDocument().matchAll(/^### (\w+)\n\n(.*?)\n\n/gms)].flatMap(
    ([, name, table]) =>
      table!
        .trim()
        .split('\n')
        .slice(2)
        .map((line) => {
          const [, column, note] = /^\| (\w+) \| \S.*? \| (.*) \|$/.exec(line)!;
          return `${name}.${column}${note === 'may be null' ? ' null' : ''}`;
        }),
  );
  expect(listed.sort()).toEqual(rows.map(({ column }) => column).sort());
});
