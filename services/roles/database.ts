import { openDatabase } from '../../db/client.ts';
import { startEmbeddedServer } from '../../db/embedded/server.ts';
import { migrateDatabase } from '../../db/migrate.ts';
import { FatalError, messageOf } from '../../lib/errors/index.ts';
import type { Process } from './process.ts';

/** Url of the configured server, or of the embedded one; its schema up to date. */
export async function database({ config, closing, log }: Process): Promise<string> {
  let url = config.databaseUrl;
  if (!url) {
    const server = await startEmbeddedServer({ dir: `${config.dataDir}/postgres`, log });
    closing.defer(() => server.stop());
    url = server.url;
  }
  const db = openDatabase(url, { max: 1, name: 'migrations', log });
  try {
    await migrateDatabase(db);
  } catch (error) {
    if (!config.databaseUrl) throw error;
    const reason = `DATABASE_URL: the database cannot be used: ${messageOf(error)}`;
    throw new FatalError('database_unusable', reason, { cause: error });
  } finally {
    await db.close();
  }
  return url;
}
