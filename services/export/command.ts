import { getErrorMessage } from '@adaptor-marketplace/adaptor';
import { Command, CommanderError } from 'commander';
import { openDatabase } from '../../db/client.ts';
import { startDataDirServer } from '../../db/embedded/data-dir-server.ts';
import { requireKnownMigrations } from '../../db/migrate.ts';
import { type Config, environment, loadConfig } from '../../lib/config/index.ts';
import { createLogger } from '../../lib/log/index.ts';
import { exportReadModel } from './export.ts';

const command = new Command('npm run export --')
  .description(
    'Writes the events, the days and the views of the read model to a folder as Parquet. Run it again to add what is new.',
  )
  .argument('<folder>', 'where the files go; made if it is missing')
  // `process.exit`, as commander calls it after --help, can wait forever: https://github.com/nodejs/node/issues/54918.
  .exitOverride();

try {
  command.parse();
  await exportTo(command.args[0]!, loadConfig(environment()));
} catch (error) {
  if (!(error instanceof CommanderError)) process.stderr.write(`${getErrorMessage(error)}\n`);
  process.exitCode = error instanceof CommanderError ? error.exitCode : 1;
}

async function exportTo(folder: string, config: Config): Promise<void> {
  await using closing = new AsyncDisposableStack();
  const log = createLogger(config.logLevel);
  const address = config.database ?? (await startDataDirServer(config, { closing, log }));
  const db = openDatabase(address, { max: 1, name: 'export', log });
  closing.defer(() => db.close());
  // The database may be a replica, which cannot be migrated.
  await requireKnownMigrations(db.sessions);
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
  const onDataset = (name: string, rows: number) =>
    process.stdout.write(`${JSON.stringify({ name, rows })}\n`);
  await exportReadModel({ pool: db.sessions, folder, onDataset, signal: stop.signal });
}
