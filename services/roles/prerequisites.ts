import { setTimeout as delay } from 'node:timers/promises';
import { messageOf } from '@adaptor-marketplace/adaptor/error-message';
import { type Database, openDatabase } from '../../db/client.ts';
import { startEmbeddedServer } from '../../db/embedded/server.ts';
import { migrateDatabase } from '../../db/migrate.ts';
import { isDatabaseAway } from '../../lib/errors/database-away.ts';
import { FatalError } from '../../lib/errors/index.ts';
import { type DemoFile, readDemoFile } from '../demo/file.ts';
import { answers, startDemoNetwork } from '../demo/network.ts';
import type { WaitingRoom } from './http-servers.ts';
import { type Process, portOf, type Role } from './process.ts';

/**
 * Url of the configured server, or of the embedded one; its schema up to date. Waits for a configured server that
 * cannot be reached.
 * @throws FatalError `database_unusable` where waiting cannot help: a wrong password, a database that does not exist
 */
export async function database(room: WaitingRoom, context: Process): Promise<string> {
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
    if (config.databaseUrl) await migrateWhenReached(db, room, context);
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

/** Waits for the server first. */
async function migrateWhenReached(db: Database, room: WaitingRoom, { log, stop }: Process): Promise<void> {
  let said: string | undefined;
  for (;;) {
    try {
      await migrateDatabase(db);
      if (said !== undefined) log.info('reached the database');
      return;
    } catch (error) {
      if (!isDatabaseAway(error)) throw error;
      const url = await room.open();
      const reason = messageOf(error);
      // Once for each reason: an outage would repeat it every second.
      if (reason !== said) log.warn({ reason, url }, 'waiting for the database');
      said = reason;
    }
    await delay(lookAgainMs, undefined, { signal: stop });
  }
}

/** Starts the local network here, or waits for the process that has that role. */
export async function demoNetwork(
  wanted: readonly Role[],
  room: WaitingRoom,
  context: Process,
): Promise<DemoFile> {
  const { config, log, closing, stop } = context;
  if (wanted.includes('localnet')) {
    const network = await startDemoNetwork({
      dataDir: config.dataDir,
      host: config.host,
      publicHost: config.localnetHost,
      port: portOf('localnet', 'remembered', context),
      faucetPort: portOf('faucet', 'remembered', context),
      blobsPort: portOf('blobs', 'remembered', context),
      log,
    });
    closing.defer(() => network.close());
    const { rpcUrl, faucetUrl, blobStoreUrl } = network.demo;
    log.info({ rpcUrl, faucetUrl, blobStoreUrl }, 'the local network runs');
    return network.demo;
  }
  for (let waited = 0; ; waited += 1) {
    const demo = await readDemoFile(config.dataDir);
    // A file of an earlier run names ports on which nobody answers any more.
    if (demo && (await answers(demo.blobStoreUrl))) return demo;
    if (waited === 0) {
      const url = await room.open();
      log.info({ dataDir: config.dataDir, url }, 'waiting for the localnet role');
    }
    await delay(250, undefined, { signal: stop });
  }
}
