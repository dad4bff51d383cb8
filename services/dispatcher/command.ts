import { messageOf } from '@adaptor-marketplace/adaptor/error-message';
import { type Network, networks } from '@adaptor-marketplace/adaptor/networks';
import { Registry } from '@prometheus-io/client';
import { Command, InvalidArgumentError, Option } from 'commander';
import { openDatabase } from '../../db/client.ts';
import { startEmbeddedServer } from '../../db/embedded/server.ts';
import { migrateDatabase } from '../../db/migrate.ts';
import { forgetMissing as forgetLanes } from '../../db/queries/webhooks/lanes.ts';
import { environment } from '../../lib/config/environment.ts';
import { type Config, type KvSettings, loadConfig } from '../../lib/config/index.ts';
import { FatalError } from '../../lib/errors/index.ts';
import { createKv, KvUnavailableError } from '../../lib/kv/index.ts';
import { createLogger } from '../../lib/log/index.ts';
import { webhookOutbound } from '../../lib/webhooks/outbound.ts';
import { secretBox } from '../../lib/webhooks/secrets.ts';
import { openSubscriptions } from '../../lib/webhooks/subscriptions.ts';
import { createDispatcher } from './dispatcher.ts';

const command = new Command('npm run dispatch --')
  .description('Writes and sends the webhooks that are due, once, and prints what it did. For schedulers.')
  .addOption(new Option('--network <network>', 'only this network').choices(networks))
  .option('--seconds <seconds>', 'begin nothing after so long', wholeSeconds, 30)
  .option('--forget-missing', 'first, give up the subscriptions that the key-value store has lost')
  .parse();

try {
  const config = loadConfig(environment());
  await dispatchAll(config, command.opts());
} catch (error) {
  const cause = error instanceof KvUnavailableError && error.cause ? ` ${messageOf(error.cause)}` : '';
  process.stderr.write(`${messageOf(error)}${cause}\n`);
  process.exitCode = 1;
}

interface Options {
  network?: Network;
  seconds: number;
  forgetMissing?: true;
}

async function dispatchAll(config: Config, { network, seconds, forgetMissing }: Options) {
  const settings = sharedStore(config);
  await using closing = new AsyncDisposableStack();
  const log = createLogger(config.logLevel);
  const metrics = new Registry();
  let url = config.databaseUrl;
  if (!url) {
    const dir = `${config.dataDir}/postgres`;
    const server = await startEmbeddedServer({ dir, port: config.ports.postgres, log });
    closing.defer(() => server.stop());
    url = server.url;
  }
  const db = openDatabase(url, { max: 8, name: 'dispatch', log });
  closing.defer(() => db.close());
  await migrateDatabase(db);
  const kv = await createKv(settings, { log, metrics });
  closing.defer(() => kv.close());
  const outbound = webhookOutbound(config.outboundAllowCidrs);
  closing.defer(() => outbound.close());
  const served =
    config.networks.length > 0 ? config.networks.map((one) => one.network) : ['testnet' as const];
  const subscriptions = openSubscriptions(kv);
  if (forgetMissing) {
    const { present } = await subscriptions.survey();
    process.stdout.write(`${JSON.stringify({ forgotten: await forgetLanes(db.pool, present) })}\n`);
  }
  const dispatcher = createDispatcher({
    db,
    networks: served,
    subscriptions,
    secrets: config.adminSecret === undefined ? undefined : secretBox(config.adminSecret),
    outbound,
    log,
    metrics,
  });
  closing.defer(() => dispatcher.close());
  for (const each of network ? [network] : served) {
    const report = await dispatcher.dispatch(each, seconds * 1_000);
    process.stdout.write(`${JSON.stringify(report)}\n`);
  }
}

function wholeSeconds(text: string): number {
  if (/^[1-9]\d{0,4}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('expected a whole number of seconds from 1 to 99999');
}

/** @throws FatalError where there is no store, or one that no other process sees */
function sharedStore({ kv }: Config): KvSettings {
  if (kv && kv.kind !== 'memory') return kv;
  throw new FatalError(
    'bad_settings',
    'Webhooks are in the key-value store: set REDIS_URL to a Redis, or KV_REST_API_URL with KV_REST_API_TOKEN.',
  );
}
