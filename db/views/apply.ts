import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { ClientBase } from 'pg';

const file = new URL('./analytics.sql', import.meta.url);

/** Makes the analysts' views anew when their file has changed since they were made. */
export async function applyViews(client: ClientBase): Promise<void> {
  const sql = await readFile(file, 'utf8');
  const mark = `Made from analytics.sql ${createHash('sha256').update(sql).digest('hex')}`;
  const { rows } = await client.query(
    `select from pg_views where schemaname = 'analytics' and viewname = 'adaptors'
      and obj_description(to_regclass('analytics.adaptors'), 'pg_class') like '%' || $1`,
    [mark],
  );
  if (rows.length > 0) return;
  await client.query('begin');
  try {
    await client.query(sql);
    await client.query(
      `do $$ begin execute format('comment on view analytics.adaptors is %L',
        obj_description('analytics.adaptors'::regclass, 'pg_class') || ' ${mark}'); end $$`,
    );
    await client.query('commit');
  } catch (error) {
    await client.query('rollback');
    throw error;
  }
}
