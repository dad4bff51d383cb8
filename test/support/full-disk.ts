import type { Pool } from 'pg';

const drop = (table: string) => `drop trigger if exists full_disk on ${table}`;

/**
 * Makes a table refuse rows with `disk_full`, as on a full disk, where PostgreSQL still deletes and answers queries.
 * @param table SQL name
 */
export async function refuseRows(pool: Pool, table: string): Promise<void> {
  await pool.query(`create or replace function refuse_row() returns trigger language plpgsql as $$
      begin raise exception 'no space left on device' using errcode = 'disk_full'; end $$;
    ${drop(table)};
    create trigger full_disk before insert or update on ${table} for each row execute function refuse_row()`);
}

export async function acceptRows(pool: Pool, table: string): Promise<void> {
  await pool.query(drop(table));
}
