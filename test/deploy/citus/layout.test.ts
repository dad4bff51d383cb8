import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { readMigrationFiles } from '../../../db/orm/drizzle.ts';
import type { Layout } from '../../support/citus/layout.ts';
import { citusFolder, readCitusLayout } from '../../support/citus/read-layouts.ts';
import { createTestDatabase } from '../../support/database.ts';

const files = ['distribute.sql', 'candidates.sql'] as const;

/** Functions and the catalog of Citus that the files use, with the checks that Citus makes on a table. */
const stubs = `
create schema citus;
create type citus.distribution_type as enum ('hash', 'range', 'append');
create table pg_dist_partition (logicalrelid regclass primary key, key text, neighbour text);
create function create_distributed_table(table_name regclass, distribution_column text,
  distribution_type citus.distribution_type default 'hash', colocate_with text default 'default', shard_count int default null)
returns void language plpgsql as $$
begin
  if not exists (select from pg_attribute where attrelid = table_name and attname = distribution_column) then
    raise 'column "%" of relation "%" does not exist', distribution_column, table_name;
  end if;
  if exists (
    select from pg_index i where i.indrelid = table_name and i.indisunique and not exists (
      select from pg_attribute a where a.attrelid = table_name and a.attname = distribution_column and a.attnum = any (i.indkey))
  ) then
    raise 'cannot create constraint on "%"', table_name;
  end if;
  if colocate_with not in ('default', 'none') and
    not exists (select from pg_dist_partition p where p.logicalrelid = colocate_with::regclass)
  then
    raise 'relation % is not distributed', colocate_with;
  end if;
  insert into pg_dist_partition values (table_name, distribution_column, colocate_with);
end $$`;

async function run(file: string, times: number): Promise<{ table: string; column: string }[]> {
  const { pool } = await createTestDatabase();
  await pool.query(stubs);
  const text = await readFile(`${citusFolder}${file}`, 'utf8');
  for (let nth = 0; nth < times; nth += 1) await pool.query(text);
  const { rows } = await pool.query(
    'select logicalrelid::text as table, key as column from pg_dist_partition order by 1',
  );
  return rows;
}

const listDistributed = ({ distributed }: Layout) =>
  [...distributed]
    .map(([table, { column }]) => ({ table, column }))
    .sort((a, b) => (a.table < b.table ? -1 : 1));

test.each(files)(
  '%s runs on a migrated database, and distributes the tables that the checks read',
  async (file) => {
    expect(await run(file, 1)).toEqual(listDistributed(await readCitusLayout(file)));
  },
);

test('distribute.sql may run again', async () => {
  expect(await run('distribute.sql', 2)).toEqual(await run('distribute.sql', 1));
});

test.each(files)(
  '%s: each unique index has the distribution column, and a group has one type',
  async (file) => {
    const { distributed, uniques, columns } = await readCitusLayout(file);
    expect(distributed.size).toBeGreaterThan(0);
    const types = new Map<string, Set<string | undefined>>();
    for (const [table, { column, group }] of distributed) {
      const lacking = (uniques.get(table) ?? []).filter((unique) => !unique.columns.includes(column));
      expect(lacking, table).toEqual([]);
      const type = columns.get(table)?.get(column);
      expect(type, `${table}.${column}`).toBeDefined();
      types.set(group, (types.get(group) ?? new Set()).add(type));
    }
    for (const [group, ofGroup] of types) expect(ofGroup.size, group).toBe(1);
  },
);

test('candidates.sql has all tables of distribute.sql, by the same columns', async () => {
  const [applied, candidates] = await Promise.all(files.map(readCitusLayout));
  expect(listDistributed(candidates!)).toEqual(expect.arrayContaining(listDistributed(applied!)));
});

test('a migration that names a distributed table waits for a look at its statements', async () => {
  // Migrations run before distribute.sql. One that comes later changes tables of Citus, whose rules for DDL are others.
  const { distributed } = await readCitusLayout('distribute.sql');
  const later = readMigrationFiles({ migrationsFolder: 'db/migrations' }).slice(1);
  const named = later
    .flatMap(({ sql }) => sql)
    .filter((one) => [...distributed.keys()].some((name) => one.includes(`"${name}"`)));
  expect(named).toEqual([]);
});
