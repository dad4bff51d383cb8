import type { Account } from '@adaptor-marketplace/localnet/account';
import type { Transaction } from '@mysten/sui/transactions';
import { Registry } from '@prometheus-io/client';
import { silentLogger } from '../../lib/log/index.ts';
import { createOutbound } from '../../lib/outbound/index.ts';
import { findCreatedObject, publish } from '../../services/demo/publish.ts';
import { startGateway } from '../../services/gateway/start.ts';
import { startIndexer } from '../../services/indexer/index.ts';
import { openTestDatabase } from './database.ts';
import { eventually } from './eventually.ts';
import { type ExecutedWithEvents, startWalletPackages, type WalletPackages } from './wallet-packages.ts';

/** A network with our packages, an indexer that follows all of them, and a gateway on its database. */
export interface Story extends WalletPackages {
  /** Status and body of a GET request. */
  get(path: string): Promise<{ status: number; body: unknown }>;
}

/** Its `run` resolves when the index has all effects of the transaction, so that the next request must show them. */
export async function startStory(): Promise<Story> {
  await using starting = new AsyncDisposableStack();
  const network = await startWalletPackages();
  starting.defer(() => network.close());
  const registry = await publish(network.owner, 'registry');
  const db = await openTestDatabase();
  starting.defer(() => db.close());
  const settings = {
    network: 'testnet' as const,
    rpcUrl: network.localnet.rpcUrl,
    registryPackageId: registry.packageId,
    registryObjectId: findCreatedObject(registry, '::registry::Registry'),
    walletPackageId: network.packages.wallet,
    rulesPackageId: network.packages.rules,
    agentsPackageId: network.packages.agents,
    escrowPackageId: network.packages.escrow,
    // No fetch reaches this URL.
    aggregatorUrl: 'http://127.0.0.1:1',
  };
  const outbound = createOutbound({ allowCidrs: [] });
  starting.defer(() => outbound.close());
  const indexer = startIndexer({ db, networks: [settings], outbound, log: silentLogger });
  starting.defer(() => indexer.close());
  const gateway = await startGateway({
    db,
    host: '127.0.0.1',
    port: 0,
    defaultNetwork: 'testnet',
    networks: [settings],
    maxLagSeconds: 60,
    log: silentLogger,
    metrics: new Registry(),
  });
  starting.defer(() => gateway.close());

  /**
   * Resolves when the index has stored the transaction's events. Their consequences are stored with them, once history
   * has been read.
   */
  async function waitUntilIndexed({ digest, names }: ExecutedWithEvents): Promise<void> {
    await eventually(async () => {
      const { rows } = await db.pool.query<{ stored: number; unsettled: number }>(
        `select (select count(*)::int from events where tx_digest = $1) as stored,
           (select count(*)::int from sources where unsettled_from is not null) as unsettled`,
        [digest],
      );
      const { stored, unsettled } = rows[0]!;
      if (stored < names.length || unsettled > 0) {
        throw new Error(`${stored} of ${names.length} events are stored; ${unsettled} sources are unsettled`);
      }
    });
  }

  // Every source must have its row before the first wait for a transaction.
  await eventually(async () => {
    const { rows } = await db.pool.query('select name from sources');
    if (rows.length < 5) throw new Error(`only ${rows.length} sources have started`);
  });
  const running = starting.move();
  return {
    ...network,
    async run(account: Account, build: (tx: Transaction) => void): Promise<ExecutedWithEvents> {
      const executed = await network.run(account, build);
      await waitUntilIndexed(executed);
      return executed;
    },
    async get(path) {
      const answer = await fetch(gateway.url + path);
      return { status: answer.status, body: await answer.json() };
    },
    close: () => running.disposeAsync(),
  };
}
