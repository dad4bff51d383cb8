import { expect, inject, test } from 'vitest';
import { createMigratedDatabase } from '../../../test/support/database.ts';
import { createDatabaseOn } from '../../../test/support/database-on.ts';
import { openDatabase } from '../../client.ts';
import { inTransaction } from '../../transaction.ts';
import { advanceCatalog, lockCatalog } from './revision.ts';

/** Makes revisions, and returns their numbers. */
async function revise(url: string, count: number): Promise<number[]> {
  const db = openDatabase(url, { max: 1 });
  const revisions: number[] = [];
  for (let nth = 0; nth < count; nth++) {
    await inTransaction(db.pool, async (client) => {
      const catalog = await lockCatalog(client, 'testnet');
      revisions.push(catalog.revision);
      await advanceCatalog(client, catalog);
    });
  }
  await db.close();
  return revisions;
}

test('a database that was made from another one skips its revisions once, and the other one does not', async () => {
  const original = await createMigratedDatabase();
  expect(await revise(original.url, 3)).toEqual([1, 2, 3]);
  const copy = await createDatabaseOn(inject('postgresUrl'), original.name);
  const [skipped, next] = await revise(copy.url, 2);
  expect(skipped).toBe(1_000_004);
  expect(next).toBe(skipped! + 1);
  expect(await revise(original.url, 1)).toEqual([4]);
  await Promise.all([original.drop(), copy.drop()]);
});
