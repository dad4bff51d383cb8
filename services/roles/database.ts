import { setTimeout as delay } from 'node:timers/promises';
import { type Database, openDatabase } from '../../db/client.ts';
import { startEmbeddedServer } from '../../db/embedded/server.ts';
import { migrateDatabase } from '../../db/migrate.ts';
import { isDatabaseAway } from '../../lib/errors/database-away.ts';
import { FatalError, messageOf } from '../../lib/errors/index.ts';
import type { HttpServer } from '../../lib/http/listen.ts';
import { portOf } from './ports.ts';
import type { Process, Role } from './process.ts';
import { openWaitingRoom } from './waiting-room.ts';

/**
 * Url of the configured server, or of the embedded one; its schema up to date. Waits for a configured server that
 * cannot be reached.
 * @throws FatalError `database_unusable` where waiting cannot help: a wrong password, a database that does not exist
 */
export async function database(wanted: readonly Role[], context: Process): Promise<string> {
  const { config, closing, log, notices } = context;
  let url = config.databaseUrl;
  if (!url) {
    const server = await startEmbeddedServer({
      dir: `${config.dataDir}/postgres`,
      port: config.ports.postgres,
      notify: (notice) => notices.add(notice),
      log,
    });
    closing.defer(() => server.stop());
    url = server.url;
  }
  const db = openDatabase(url, { max: 1, name: 'migrations', log });
  try {
    if (config.databaseUrl) await migrateWhenReached(db, wanted, context);
    else await migrateDatabase(db);
  } catch (error) {
    if (!config.databaseUrl || context.stop.aborted) throw error;
    const reason = `DATABASE_URL: the database cannot be used: ${messageOf(error)}`;
    throw new FatalError('database_unusable', reason, { cause: error });
  } finally {
    await db.close();
  }
  return url;
}

const lookAgainMs = 1_000;

/** Waits for the server first. Meanwhile a gateway's port answers that it is not ready. */
async function migrateWhenReached(db: Database, wanted: readonly Role[], context: Process): Promise<void> {
  const { config, log, stop } = context;
  let room: HttpServer | undefined;
  let said: string | undefined;
  try {
    for (;;) {
      try {
        await migrateDatabase(db);
        if (said !== undefined) log.info('reached the database');
        return;
      } catch (error) {
        if (!isDatabaseAway(error)) throw error;
        if (wanted.includes('gateway'))
          room ??= await openWaitingRoom(config.host, portOf('http', 'default', context));
        const reason = messageOf(error);
        // Once for each reason: an outage would repeat it every second.
        if (reason !== said) log.warn({ reason, ...(room && { url: room.url }) }, 'waiting for the database');
        said = reason;
      }
      await delay(lookAgainMs, undefined, { signal: stop });
    }
  } finally {
    await room?.close();
  }
}
