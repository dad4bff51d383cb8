import { setTimeout as delay } from 'node:timers/promises';
import { getErrorMessage } from '@adaptor-marketplace/adaptor';
import { type DatabaseAddress, openDatabase } from '../../db/client.ts';
import { startDataDirServer } from '../../db/embedded/data-dir-server.ts';
import { migrateDatabase } from '../../db/migrate.ts';
import { FatalError } from '../../lib/errors/index.ts';
import type { During } from '../../lib/log/phases.ts';
import { type DemoFile, readDemoFile } from '../demo/file.ts';
import { isAnswering } from '../demo/running.ts';
import { openDatabaseWait } from './database-wait.ts';
import { bindProcessPort, type Process, type WaitingRoom } from './process.ts';
import type { Role } from './roles.ts';

/**
 * Migrates the configured database, or the embedded one, and returns its address. Waits while the server cannot be reached.
 * @throws FatalError `database_unusable` if waiting cannot help, or the code of `migrateDatabase`; `data_dir_outdated`
 * for an embedded one from before the first release
 */
export async function prepareDatabase(room: WaitingRoom, context: Process): Promise<DatabaseAddress> {
  const { config, closing, log, notices, phases } = context;
  const notify = (notice: string) => notices.add(notice);
  const start = () => startDataDirServer(config, { closing, log, notify });
  const address = config.database ?? (await phases.during('starting PostgreSQL', start));
  const db = openDatabase(address, { max: 1, name: 'migrations', log });
  try {
    await phases.during('migrating the database', () =>
      config.database ? openDatabaseWait(room, db, context)(() => migrateDatabase(db)) : migrateDatabase(db),
    );
  } catch (error) {
    if (context.stop.aborted) throw error;
    if (!config.database) throw describeUnusableDataDir(config.dataDir, error) ?? error;
    const code = error instanceof FatalError ? error.code : 'database_unusable';
    const setting = typeof config.database === 'object' ? 'DIRECT_DATABASE_URL' : 'DATABASE_URL';
    const reason = `${setting}: the database cannot be used: ${getErrorMessage(error)}`;
    throw new FatalError(code, reason, { cause: error });
  } finally {
    await db.close();
  }
  return address;
}

/** Names the folder to remove: the local network and its database belong together. */
function describeUnusableDataDir(dataDir: string, error: unknown): FatalError | undefined {
  if (!(error instanceof FatalError)) return undefined;
  const remedy = `Remove ${dataDir} to start over, or set another DATA_DIR.`;
  if (error.code === 'database_outdated') {
    const reason = `DATA_DIR: the database in ${dataDir}/postgres was made by a version from before the first release and cannot be upgraded. ${remedy}`;
    return new FatalError('data_dir_outdated', reason, { cause: error });
  }
  if (error.code === 'database_newer') {
    const reason = `DATA_DIR: a newer version has migrated the database in ${dataDir}/postgres. Start that version or a newer one. Or: ${remedy}`;
    return new FatalError('database_newer', reason, { cause: error });
  }
  return undefined;
}

/** Starts the local network, or waits for the process with the localnet role. */
export async function openDemoNetwork(
  chosen: readonly Role[],
  room: WaitingRoom,
  context: Process,
): Promise<DemoFile> {
  const { config, log, closing, phases, stop } = context;
  if (chosen.includes('localnet')) {
    // Making the demo takes up to a minute: the process ends between two phases if it is stopped.
    const during: During = async (phase, work) => {
      stop.throwIfAborted();
      return await phases.during(phase, work);
    };
    // Only this role needs the Move VM and the compiler. Others do not load them.
    const load = () => import('../demo/network.ts');
    const { startDemoNetwork } = await during('loading the local network', load);
    const network = await startDemoNetwork({
      dataDir: config.dataDir,
      host: config.host,
      publicHost: config.localnetHost,
      port: bindProcessPort('localnet', 'remembered', context),
      faucetPort: bindProcessPort('faucet', 'remembered', context),
      blobsPort: bindProcessPort('blobs', 'remembered', context),
      log,
      during,
    });
    closing.defer(() => network.close());
    const { rpcUrl, faucetUrl, blobStoreUrl } = network.demo;
    log.info({ rpcUrl, faucetUrl, blobStoreUrl }, 'the local network runs');
    return network.demo;
  }
  for (let attempt = 0; ; attempt += 1) {
    const demo = await readDemoFile(config.dataDir);
    // The file of an earlier run names ports on which no server listens now.
    if (demo && (await isAnswering(demo.blobStoreUrl))) return demo;
    if (attempt === 0) {
      const url = await room.open();
      log.info({ dataDir: config.dataDir, url }, 'waiting for the localnet role');
    }
    await delay(250, undefined, { signal: stop });
  }
}
