import { expect, test } from 'vitest';
import { createDatabase } from '../test/support/database.ts';
import { openDatabase } from './client.ts';
import { migrateDatabase } from './migrate.ts';
import { sources } from './schema/index.ts';

test('roles that start together on an empty database all find the schema in place', async () => {
  const created = await createDatabase();
  const roles = [1, 2, 3].map(() => openDatabase(created.url, { max: 1 }));
  await Promise.all(roles.map(migrateDatabase));
  for (const { orm } of roles) expect(await orm.select().from(sources)).toEqual([]);
  await Promise.all(roles.map((role) => role.close()));
  await created.drop();
});
