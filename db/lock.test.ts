import { expect, test } from 'vitest';
import { useTestDatabase } from '../test/support/database.ts';
import { withLock } from './lock.ts';

const db = useTestDatabase();
const never = new AbortController().signal;

test('the result of the work stands although the connection breaks before the lock is released', async () => {
  const work = withLock(db.pool, 'one', never, async (client) => {
    client.connection.stream.destroy();
    return 7;
  });
  expect(await work).toBe(7);
  expect(await withLock(db.pool, 'one', never, async () => 8)).toBe(8);
});

test('a failure of the work is reported, and releases the lock', async () => {
  const work = withLock(db.pool, 'one', never, async (client) => {
    client.connection.stream.destroy();
    throw new Error('the work failed');
  });
  await expect(work).rejects.toThrow('the work failed');
  expect(await withLock(db.pool, 'one', never, async () => 8)).toBe(8);
});
