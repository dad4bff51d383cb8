import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Database, openDatabase } from '../../db/client.ts';
import { startEmbeddedServer } from '../../db/embedded/server.ts';
import { migrateDatabase } from '../../db/migrate.ts';
import { secretBox } from '../../lib/webhooks/secrets.ts';
import { openSubscriptions, type Subscriptions } from '../../lib/webhooks/subscriptions.ts';
import { adminSecret } from '../../test/support/keys.ts';
import { openTestKv } from '../../test/support/kv.ts';
import { standalone, startRedisServers } from '../../test/support/redis-server.ts';

export interface World {
  db: Database;
  redisUrl: string;
  subscriptions: Subscriptions;
  subscribe(url: string): Promise<{ id: string }>;
}

export const secrets = secretBox(adminSecret);
let made = 0;

/** A database and a key-value store of their own, until the stack unwinds. */
export async function openWorld(stack: AsyncDisposableStack): Promise<World> {
  const dir = await mkdtemp(join(tmpdir(), 'bench-dispatch-'));
  stack.defer(() => rm(dir, { recursive: true, force: true }));
  const server = await startEmbeddedServer({ dir, volatile: true });
  stack.defer(() => server.stop());
  const db = openDatabase(server.url, { max: 8 });
  stack.defer(() => db.close());
  await migrateDatabase(db);
  const redis = await startRedisServers(standalone);
  stack.defer(() => redis.stop());
  const redisUrl = redis.urls[0]!;
  const kv = await openTestKv(redisUrl);
  stack.defer(() => kv.close());
  const subscriptions = openSubscriptions(kv);

  async function subscribe(url: string) {
    const id = `wh_bench${made++}`;
    await subscriptions.add({
      id,
      owner: 'admin',
      url,
      events: ['Registered', 'Updated', 'Unlisted', 'Attested'],
      sealedSecret: secrets.seal('secret-of-the-benchmark', id),
      state: 'active',
      after: {},
      createdMs: made,
    });
    return { id };
  }
  return { db, redisUrl, subscriptions, subscribe };
}
