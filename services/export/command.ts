import { getErrorMessage } from '@adaptor-marketplace/adaptor';
import { Command, CommanderError } from 'commander';
import { openDatabase } from '../../db/client.ts';
import { startDataDirServer } from '../../db/embedded/data-dir-server.ts';
import { requireKnownMigrations } from '../../db/migrate.ts';
import { type Config, environment, loadConfig } from '../../lib/config/index.ts';
import { createLogger } from '../../lib/log/index.ts';
import { exportReadModel } from './export.ts';
import { openBucket } from './storage/bucket.ts';
import { parseBucketAddress } from './storage/bucket-address.ts';
import { openFolder } from './storage/folder.ts';
import type { ExportStorage } from './storage/storage.ts';

const command = new Command('npm run export --')
  .description(
    'Writes the events, the days and the views of the read model to a folder or a bucket as Parquet. Run it again to add what is new.',
  )
  .argument('[folder]', 'folder for the files; created if it is missing')
  .option('--to <address>', 'instead of a folder, a bucket with the API of S3: s3://bucket/prefix')
  // `process.exit`, as commander calls it after --help, can wait forever: https://github.com/nodejs/node/issues/54918.
  .exitOverride();

try {
  command.parse();
  await runExport(loadConfig(environment()));
} catch (error) {
  if (!(error instanceof CommanderError)) process.stderr.write(`${getErrorMessage(error)}\n`);
  process.exitCode = error instanceof CommanderError ? error.exitCode : 1;
}

async function openStorage({ objectStorage }: Config): Promise<ExportStorage> {
  const { to } = command.opts<{ to?: string }>();
  const [folder] = command.args;
  if (to !== undefined && folder === undefined)
    return await openBucket({ ...parseBucketAddress(to), ...objectStorage });
  if (folder !== undefined && to === undefined) return openFolder(folder);
  return command.error('error: give a folder, or --to s3://bucket/prefix');
}

async function runExport(config: Config): Promise<void> {
  await using closing = new AsyncDisposableStack();
  const storage = closing.use(await openStorage(config));
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
  await exportReadModel({ pool: db.sessions, storage, onDataset, signal: stop.signal });
}
