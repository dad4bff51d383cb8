import { type ChainClient, createChainClient } from '@adaptor-marketplace/adaptor/chain/client';
import type { Localnet } from '@adaptor-marketplace/localnet';
import { type Account, createAccount, execute } from '@adaptor-marketplace/localnet/account';
import { startTestLocalnet } from '@adaptor-marketplace/localnet/testing/start';
import type { NetworkSettings } from '../../../lib/config/networks.ts';
import { findCreatedObject, publish } from '../../../services/demo/publish.ts';

/** A local network with a registry, which makes a checkpoint only when told to. */
export interface RegistryNetwork {
  localnet: Localnet;
  client: ChainClient;
  publisher: Account;
  settings: NetworkSettings;
  /** Newest checkpoint. */
  tip(): Promise<number>;
  /** Registers so many service types in one transaction, and makes a checkpoint with it. */
  register(count: number): Promise<void>;
  close(): Promise<void>;
}

export async function startRegistryNetwork(): Promise<RegistryNetwork> {
  await using starting = new AsyncDisposableStack();
  const localnet = await startTestLocalnet();
  starting.defer(() => localnet.close());
  const client = createChainClient({ url: localnet.rpcUrl });
  starting.defer(() => client.close());
  const publisher = await createAccount(client, localnet.faucetUrl);
  const published = await publish(publisher, 'registry');
  localnet.ledger.createCheckpoint();
  const { packageId } = published;
  const registryObjectId = findCreatedObject(published, '::registry::Registry');
  let registered = 0;
  const running = starting.move();
  return {
    localnet,
    client,
    publisher,
    settings: {
      network: 'testnet',
      rpcUrl: localnet.rpcUrl,
      registryPackageId: packageId,
      registryObjectId,
      aggregatorUrl: 'http://127.0.0.1:9',
    },
    async tip() {
      const { response } = await client.ledgerService.getServiceInfo({});
      return Number(response.checkpointHeight);
    },
    async register(count) {
      await execute(publisher, (tx) => {
        for (let made = 0; made < count; made++) {
          tx.moveCall({
            target: `${packageId}::registry::register`,
            arguments: [
              tx.object(registryObjectId),
              tx.pure.address(packageId),
              tx.pure.string(`${packageId}::service::S${registered++}`),
              tx.pure.string('walrus://none'),
              tx.pure.vector('u8', new Uint8Array(32)),
              tx.object.clock(),
            ],
          });
        }
      });
      localnet.ledger.createCheckpoint();
    },
    close: () => running.disposeAsync(),
  };
}
