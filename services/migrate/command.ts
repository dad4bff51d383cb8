import { getErrorMessage } from '@adaptor-marketplace/adaptor';
import { Command, CommanderError } from 'commander';
import { openDatabase } from '../../db/client.ts';
import { type Config, environment, loadConfig } from '../../lib/config/index.ts';
import { FatalError } from '../../lib/errors/index.ts';
import { createLogger } from '../../lib/log/index.ts';
import { migrateStopped } from './migrate.ts';

const command = new Command('npm run migrate --')
  .description('Migrates the database of DATABASE_URL before the roles of a new version start, and ends.')
  // `process.exit`, as commander calls it after --help, can wait forever: https://github.com/nodejs/node/issues/54918.
  .exitOverride();

try {
  command.parse();
  await migrate(loadConfig(environment()));
} catch (error) {
  if (!(error instanceof CommanderError)) process.stderr.write(`${getErrorMessage(error)}\n`);
  process.exitCode = error instanceof CommanderError ? error.exitCode : 1;
}

async function migrate(config: Config): Promise<void> {
  if (!config.database) {
    throw new FatalError(
      'bad_settings',
      'Set DATABASE_URL: an embedded database migrates when a role starts.',
    );
  }
  const log = createLogger(config.logLevel);
  const db = openDatabase(config.database, { max: 1, name: 'migrations', log });
  try {
    await migrateStopped(db);
  } finally {
    await db.close();
  }
  process.stdout.write('The database has the schema of this version.\n');
}
