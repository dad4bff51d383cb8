import { Registry } from '@prometheus-io/client';
import { type Database, openDatabase } from '../../db/client.ts';
import { type Logger, silentLogger } from '../../lib/log/index.ts';
import type { AccessSettings } from '../../services/gateway/access/admission.ts';
import { type GatewayNetwork, type GatewayOptions, startGateway } from '../../services/gateway/start.ts';
import type { WebhookSettings } from '../../services/gateway/webhooks/deliveries.ts';
import { compareExecutors } from './compare-executors.ts';
import { createMigratedDatabase } from './database.ts';
import { address, readModelBuilder } from './read-model.ts';

export interface TestGateway {
  url: string;
  /** Database of the test itself, with other connections than those of the gateway. */
  db: Database;
  /** Database of the gateway. */
  served: Database;
  seed: ReturnType<typeof readModelBuilder>;
  /** Closes the gateway, but not its database. */
  stop(): Promise<void>;
  close(): Promise<void>;
}

/** Ids of the packages that a test gateway follows. */
export const testPackages = {
  walletPackageId: address(0xaa01),
  rulesPackageId: address(0xaa02),
  agentsPackageId: address(0xaa03),
  escrowPackageId: address(0xaa04),
};

/**
 * A gateway for testnet on a database of its own. `fill` fills the database before the gateway starts. Its graph executes
 * each query by a plan and by graphql-js, and compares the results.
 */
export async function startTestGateway(
  fill: (seed: ReturnType<typeof readModelBuilder>) => Promise<unknown> = async () => undefined,
  log: Logger = silentLogger,
  settings: Partial<GatewayNetwork> = {},
  access?: AccessSettings,
  webhooks?: (db: Database) => WebhookSettings,
  more: Partial<GatewayOptions> | ((db: Database) => Promise<Partial<GatewayOptions>>) = {},
): Promise<TestGateway> {
  const created = await createMigratedDatabase();
  const db = openDatabase(created.url, { max: 4, statementTimeoutMs: 5_000 });
  const seed = readModelBuilder(db);
  await fill(seed);
  // The gateway pipelines. The tests also copy rows, for which such connections are not made.
  const served = openDatabase(created.url, { max: 4, statementTimeoutMs: 5_000, pipeline: true });
  const gateway = await startGateway({
    db: served,
    host: '127.0.0.1',
    port: 0,
    defaultNetwork: 'testnet',
    networks: [
      {
        network: 'testnet',
        // No node listens there.
        rpcUrl: 'http://127.0.0.1:1',
        registryPackageId: address(0xeee),
        registryObjectId: address(0xfff),
        ...settings,
      },
    ],
    maxLagSeconds: 60,
    access,
    webhooks: webhooks?.(db),
    log,
    metrics: new Registry(),
    graphExecutors: compareExecutors(),
    ...(typeof more === 'function' ? await more(db) : more),
  });
  let stopped: Promise<void> | undefined;
  const stop = () => (stopped ??= gateway.close());
  const close = async () => {
    await stop();
    await served.close();
    await db.close();
    await created.drop();
  };
  return { url: gateway.url, db, served, seed, stop, close };
}
