import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Database, openDatabase } from '../../db/client.ts';
import { createDatabase } from '../../test/support/database.ts';
import { commonProblem } from './problem.ts';

let created: Awaited<ReturnType<typeof createDatabase>>;
let db: Database;
beforeAll(async () => {
  created = await createDatabase();
  db = openDatabase(created.url, { max: 1 });
});
afterAll(async () => {
  await db.close();
  await created.drop();
});

test.each([
  ['as a text', 'select $1::text', 'a\0'],
  ['as JSON', 'select $1::jsonb', JSON.stringify({ a: '\0' })],
])('text that PostgreSQL refuses, %s, is the fault of the request', async (_, sql, value) => {
  const error = await db.pool.query(sql, [value]).catch((reason: unknown) => reason);
  expect(commonProblem(error)).toMatchObject({ status: 400, code: 'invalid_text' });
});

test('a statement that is wrong is ours', async () => {
  const error = await db.pool.query('select from nowhere').catch((reason: unknown) => reason);
  expect(commonProblem(error)).toBeUndefined();
});
