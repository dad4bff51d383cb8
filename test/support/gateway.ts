import { type Database, openDatabase } from '../../db/client.ts';
import { type GatewayNetwork, type GatewayOptions, startGateway } from '../../services/gateway/start.ts';
import { compareExecutors } from './compare-executors.ts';
import { createMigratedDatabase } from './database.ts';
import { offlineGateway, offlineNetwork } from './offline-gateway.ts';
import { address, readModelBuilder } from './read-model.ts';
import { useForFile } from './use-for-file.ts';

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

interface TestGatewayOptions extends Partial<GatewayOptions> {
  /** Settings of testnet that differ from those of the tests. */
  network?: Partial<GatewayNetwork>;
}

/**
 * A gateway for testnet on a database of its own. Its graph executes each query by a plan and by graphql-js, and compares
 * the results.
 * @param fill fills the database before the gateway starts
 * @param more options that differ from those of the tests, or a function that makes them for the database
 */
export async function startTestGateway(
  fill: (seed: ReturnType<typeof readModelBuilder>) => Promise<unknown> = async () => undefined,
  more: TestGatewayOptions | ((db: Database) => TestGatewayOptions | Promise<TestGatewayOptions>) = {},
): Promise<TestGateway> {
  const created = await createMigratedDatabase();
  const db = openDatabase(created.url, { max: 4, statementTimeoutMs: 5_000 });
  const seed = readModelBuilder(db);
  await fill(seed);
  const { network, ...options } = typeof more === 'function' ? await more(db) : more;
  // The gateway pipelines. The tests also copy rows, for which such connections are not made.
  const served = openDatabase(created.url, { max: 4, statementTimeoutMs: 5_000, pipeline: true });
  const gateway = await startGateway({
    db: served,
    ...offlineGateway(),
    networks: [{ ...offlineNetwork, ...network }],
    graphExecutors: compareExecutors(),
    ...options,
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

/** A test gateway for the tests of the file, or of the suite. */
export const useTestGateway = (...options: Parameters<typeof startTestGateway>): TestGateway =>
  useForFile(() => startTestGateway(...options));
