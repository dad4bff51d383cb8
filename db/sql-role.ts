import { createHmac } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';

const file = new URL('./views/sql-role.sql', import.meta.url);

/** SQLSTATE if a process of another database changes the role concurrently: roles belong to the whole server. */
const concurrentUpdate = 'XX000';
const triesMax = 20;

/**
 * Creates the login role of `POST /api/sql` in the embedded server's database, where this process is the superuser.
 * Every process of the server sets the same password for the role, which is derived from the superuser's.
 * @returns the url of the role
 */
export async function createSqlRole(superuserUrl: string): Promise<string> {
  const url = new URL(superuserUrl);
  const password = createHmac('sha256', url.password).update('analytics_http').digest('hex');
  const sql = `${await readFile(file, 'utf8')}\nalter role analytics_http password '${password}';`;
  const client = new pg.Client({ connectionString: superuserUrl });
  await client.connect();
  try {
    for (let tries = 1; ; tries += 1) {
      try {
        await client.query(sql);
        break;
      } catch (error) {
        if (!(error instanceof pg.DatabaseError) || error.code !== concurrentUpdate || tries >= triesMax)
          throw error;
        await delay(20 * tries);
      }
    }
  } finally {
    await client.end();
  }
  url.username = 'analytics_http';
  url.password = password;
  return url.href;
}
