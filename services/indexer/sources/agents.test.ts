import type { PoolClient } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Database, openDatabase } from '../../../db/client.ts';
import { createMigratedDatabase } from '../../../test/support/database.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { address } from '../../../test/support/read-model.ts';
import { walletRows } from '../../../test/support/wallet-rows.ts';
import { agentsSource } from './agents.ts';
import { escrowSource } from './escrow.ts';

let created: Awaited<ReturnType<typeof createMigratedDatabase>>;
let db: Database;
let seed: ReturnType<typeof walletRows>;
beforeAll(async () => {
  created = await createMigratedDatabase();
  db = openDatabase(created.url, { max: 4 });
  seed = walletRows(db);
});
afterAll(async () => {
  await db.close();
  await created.drop();
});

const network = 'testnet';
const event = {
  ...{ checkpoint: 1, txIndex: 0, eventIndex: 0, txDigest: 'd', sender: address(1), timestampMs: 1 },
  ...{ type: 't', name: 'n', contents: new Uint8Array(), decodeError: null },
};

const profileOf = (agent: string) => (client: PoolClient) => {
  const fields = { agent, name: 'Amy', description: '', skills: [], cardUrl: null, version: 1 };
  const data = { name: 'registry::AgentRegistered', fields };
  return agentsSource.append(client, network, [{ ...event, data } as never]);
};

const releaseOf = (jobId: string) => (client: PoolClient) => {
  const data = { name: 'job::JobReleased', fields: { jobId, coin: '0x2::sui::SUI' } };
  return escrowSource.append(client, network, [{ ...event, data } as never]);
};

const hasWaiting = async () => {
  const { rowCount } = await db.pool.query(
    `select from pg_locks l join pg_database d on d.oid = l.database and d.datname = current_database()
     where l.locktype = 'advisory' and not l.granted`,
  );
  expect(rowCount).toBe(1);
};

test.each([
  ['its profile is stored', 1],
  ['its job is released', 2],
])('an agent has its completed job when both are stored at once, and %s first', async (_, at) => {
  const agent = address(0xa0 + at);
  const writes = [profileOf(agent), releaseOf(await seed.job(agent, { state: 2 }))];
  const [first, second] = at === 1 ? writes : writes.toReversed();
  const clients = await Promise.all([db.pool.connect(), db.pool.connect()]);
  try {
    for (const client of clients) await client.query('begin');
    await first!(clients[0]);
    const later = second!(clients[1]);
    await eventually(hasWaiting);
    await clients[0].query('commit');
    await later;
    await clients[1].query('commit');
  } finally {
    for (const client of clients) client.release();
  }
  const { rows } = await db.pool.query('select completed_jobs from agents where agent = $1', [agent]);
  expect(rows).toEqual([{ completed_jobs: 1 }]);
});
