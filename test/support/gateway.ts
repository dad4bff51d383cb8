import { Registry } from 'prom-client';
import { type Database, openDatabase } from '../../db/client.ts';
import { migrateDatabase } from '../../db/migrate.ts';
import { type Logger, silentLogger } from '../../lib/log/index.ts';
import { startGateway } from '../../services/gateway/start.ts';
import { createDatabase } from './database.ts';
import { address, readModelBuilder } from './read-model.ts';

export interface TestGateway {
  url: string;
  db: Database;
  seed: ReturnType<typeof readModelBuilder>;
  /** Closes the gateway alone. */
  stop(): Promise<void>;
  close(): Promise<void>;
}

/** A gateway for testnet over a database of its own, filled by `fill` before it starts. */
export async function startTestGateway(
  fill: (seed: ReturnType<typeof readModelBuilder>) => Promise<unknown> = async () => undefined,
  log: Logger = silentLogger,
): Promise<TestGateway> {
  const created = await createDatabase();
  const db = openDatabase(created.url, { max: 4, statementTimeoutMs: 1_000 });
  await migrateDatabase(db);
  const seed = readModelBuilder(db);
  await fill(seed);
  const gateway = await startGateway({
    db,
    host: '127.0.0.1',
    port: 0,
    defaultNetwork: 'testnet',
    networks: [{ network: 'testnet', registryPackageId: address(0xeee), registryObjectId: address(0xfff) }],
    maxLagSeconds: 60,
    log,
    metrics: new Registry(),
  });
  let stopped: Promise<void> | undefined;
  const stop = () => (stopped ??= gateway.close());
  const close = async () => {
    await stop();
    await db.close();
    await created.drop();
  };
  return { url: gateway.url, db, seed, stop, close };
}
