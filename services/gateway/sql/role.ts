import type pg from 'pg';
import { problem } from '../../../lib/errors/index.ts';
import type { Logger } from '../../../lib/log/index.ts';

/** Faults of the database role, each a column that is true. A role without faults can only read the views. */
const roleFaultsQuery = `select
    rolsuper or rolbypassrls or rolcreaterole or rolcreatedb or rolreplication
      or exists (select from pg_auth_members where member = r.oid) as powerful,
    exists (
      select from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname not in ('analytics', 'information_schema') and n.nspname !~ '^pg_'
        and c.relkind in ('r', 'p', 'v', 'm', 'f')
        and has_table_privilege(c.oid, 'select, insert, update, delete, truncate')
    ) as reaches_more,
    current_setting('temp_file_limit') = '-1' as fills_disk,
    rolconnlimit < 0 as connects_without_limit
  from pg_roles r where rolname = current_user`;

/** Returns a check of a connection's role, which queries it once. */
export function createRoleCheck(log: Logger): (client: pg.PoolClient) => Promise<void> {
  const checked = new WeakSet<pg.ClientBase>();
  return async (client) => {
    if (checked.has(client)) return;
    await requireReadOnly(client, log);
    checked.add(client);
  };
}

/** @throws ProblemError if the role could do more than read the views */
async function requireReadOnly(client: pg.PoolClient, log: Logger): Promise<void> {
  const { rows } = await client.query(roleFaultsQuery);
  const faults = Object.entries(rows[0] ?? { missing: 't' }).flatMap(([fault, value]) =>
    value === 'f' ? [] : [fault],
  );
  if (faults.length === 0) return;
  log.error({ faults }, 'the role of SQL_DATABASE_URL may do more than it must; see docs/operations.md');
  throw problem(
    'sql_not_configured',
    'The database role for SQL is not set up as it must be. Tell the operator.',
  );
}
