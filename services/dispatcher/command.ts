import { getErrorMessage, type Network, networks } from '@adaptor-marketplace/adaptor';
import { Registry } from '@prometheus-io/client';
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { startDataDirServer } from '../../db/embedded/data-dir-server.ts';
import { migrateDatabase } from '../../db/migrate.ts';
import {
  forgetMissingSubscriptions,
  readExpectedSubscriptions,
} from '../../db/queries/webhooks/subscriptions.ts';
import { type Config, environment, loadConfig } from '../../lib/config/index.ts';
import { FatalError } from '../../lib/errors/index.ts';
import { createKv } from '../../lib/kv/index.ts';
import { KvUnavailableError } from '../../lib/kv/kv.ts';
import { createLogger } from '../../lib/log/index.ts';
import { openWebhooks } from './dispatcher.ts';
import { resealSecrets } from './reseal.ts';

const command = new Command('npm run dispatch --')
  .description('Writes and sends the webhooks that are due, once, and prints what it did. For schedulers.')
  .addOption(new Option('--network <network>', 'only this network').choices(networks))
  .option('--seconds <seconds>', 'start no request after this time', parseWholeSeconds, 30)
  .option(
    '--forget-missing',
    'first, accept that the subscriptions missing from the key-value store are lost',
  )
  .option('--reseal-secrets', 'first, encrypt the secrets of webhooks again under MARKETPLACE_ADMIN_SECRET')
  // `process.exit`, as commander calls it after --help, can wait forever: https://github.com/nodejs/node/issues/54918.
  .exitOverride();

try {
  command.parse();
  const config = loadConfig(environment());
  await dispatchAll(config, command.opts());
} catch (error) {
  const cause = error instanceof KvUnavailableError && error.cause ? ` ${getErrorMessage(error.cause)}` : '';
  if (!(error instanceof CommanderError)) process.stderr.write(`${getErrorMessage(error)}${cause}\n`);
  process.exitCode = error instanceof CommanderError ? error.exitCode : 1;
}

interface Options {
  network?: Network;
  seconds: number;
  forgetMissing?: true;
  resealSecrets?: true;
}

async function dispatchAll(config: Config, { network, seconds, forgetMissing, ...options }: Options) {
  const settings = requireSharedStore(config);
  await using closing = new AsyncDisposableStack();
  const log = createLogger(config.logLevel);
  const metrics = new Registry();
  const address = config.database ?? (await startDataDirServer(config, { closing, log }));
  const kv = await createKv(settings, { log, metrics });
  closing.defer(() => kv.close());
  const served =
    config.networks.length > 0 ? config.networks.map((one) => one.network) : ['testnet' as const];
  const { db, subscriptions, secrets, dispatcher } = openWebhooks(address, served, kv, {
    config,
    log,
    metrics,
    closing,
  });
  await migrateDatabase(db);
  if (forgetMissing) {
    const expected = await readExpectedSubscriptions(db.pool);
    const { present } = await subscriptions.survey();
    const missing = expected.filter((id) => !present.has(id));
    process.stdout.write(
      `${JSON.stringify({ forgotten: await forgetMissingSubscriptions(db.pool, missing) })}\n`,
    );
  }
  if (options.resealSecrets) {
    if (!secrets) throw new FatalError('bad_settings', 'Set MARKETPLACE_ADMIN_SECRET to reseal secrets.');
    process.stdout.write(`${JSON.stringify(await resealSecrets(subscriptions, secrets))}\n`);
  }
  for (const each of network ? [network] : served) {
    const report = await dispatcher.dispatch(each, seconds * 1_000);
    process.stdout.write(`${JSON.stringify(report)}\n`);
  }
}

function parseWholeSeconds(text: string): number {
  if (/^[1-9]\d{0,4}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('expected a whole number of seconds from 1 to 99999');
}

/** @throws FatalError without a store, or with one in memory, which no other process sees */
function requireSharedStore({ kv }: Config): NonNullable<Config['kv']> {
  if (kv && kv.kind !== 'memory') return kv;
  throw new FatalError(
    'bad_settings',
    'Webhook subscriptions are in the key-value store: set REDIS_URL to a Redis, or KV_REST_API_URL with KV_REST_API_TOKEN.',
  );
}
