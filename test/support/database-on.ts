import { randomBytes } from 'node:crypto';
import pg from 'pg';

export interface CreatedDatabase {
  name: string;
  url: string;
  /** Closes the database's connections and removes it. */
  drop(): Promise<void>;
}

/** A new database on a server: empty, or a copy of a database that has no connections. */
export async function createDatabaseOn(serverUrl: string, copied?: string): Promise<CreatedDatabase> {
  const name = `test_${randomBytes(6).toString('hex')}`;
  await statement(serverUrl, `create database ${name}${copied ? ` template ${copied}` : ''}`);
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return { name, url: url.href, drop: () => statement(serverUrl, `drop database ${name} with (force)`) };
}

async function statement(serverUrl: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: serverUrl });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
