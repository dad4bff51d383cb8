import { expect, onTestFinished, test } from 'vitest';
import { createDatabase } from '../test/support/database.ts';
import { openDatabase } from './client.ts';

test('a connection that breaks between two queries fails the second one, not the process', async () => {
  const created = await createDatabase();
  const db = openDatabase(created.url, { max: 2 });
  onTestFinished(async () => {
    await db.close();
    await created.drop();
  });
  const client = await db.pool.connect();
  onTestFinished(() => client.release(true));
  // Not events.once: it would listen for errors too.
  const ended = new Promise((resolve) => client.once('end', () => resolve(undefined)));
  const { rows } = await client.query('select pg_backend_pid() as pid');
  await db.pool.query('select pg_terminate_backend($1)', [rows[0].pid]);
  await ended;
  await expect(client.query('select 1')).rejects.toThrow();
});
