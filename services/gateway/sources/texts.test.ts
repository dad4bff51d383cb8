import { expect, test } from 'vitest';
import { encodeContent } from '../../../db/queries/package-sources/content.ts';
import type { Queryable } from '../../../db/queries/queryable.ts';
import { createTestDatabase } from '../../../test/support/database.ts';
import { readTexts } from './texts.ts';

/** Characters of a source of nearly the largest size, four of which stay decoded. */
const length = 4_100_000;

test('source whose read waits for another is answered, however much is decoded meanwhile', async () => {
  const { pool } = await createTestDatabase();
  const hashes: string[] = [];
  for (const letter of 'abcdef') {
    const text = letter.repeat(letter === 'f' ? 1 : length);
    const stored = await encodeContent({ folder: '/a', packages: new Map([['/a', { 'a.move': text }]]) });
    await pool.query('insert into offered_sources (hash, content) values ($1, $2)', [
      stored.hash,
      stored.content,
    ]);
    hashes.push(stored.hash);
  }
  const [last, late] = [hashes.pop()!, hashes.pop()!];
  const read = async (hash: string, db: Queryable = pool) =>
    (await readTexts(db, hash))?.texts.get('a/a.move')?.length;
  for (const hash of hashes) expect(await read(hash)).toBe(length);

  const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
  const query = (async (...statement: Parameters<typeof pool.query>) => {
    await answered;
    return await pool.query(...statement);
  }) as unknown as Queryable['query'];
  const [reading, waiting] = [read(late, { query }), read(last)];
  for (const hash of hashes) expect(await read(hash)).toBe(length);
  answer();
  expect(await reading).toBe(length);
  expect(await waiting).toBe(1);
});
