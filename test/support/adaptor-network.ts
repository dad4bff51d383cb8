import type { ChainClient } from '@adaptor-marketplace/adaptor/chain/client';
import { type Localnet, startLocalnet } from '@adaptor-marketplace/localnet';
import { type Account, createAccount } from '@adaptor-marketplace/localnet/account';
import { bcs } from '@mysten/sui/bcs';
import { Transaction } from '@mysten/sui/transactions';
import { silentLogger } from '../../lib/log/index.ts';
import { withExecutor } from '../../services/demo/cast.ts';
import {
  type Adaptors,
  compilePackages,
  deployAdaptors,
  publishProtocols,
} from '../../services/demo/deploy.ts';
import { type Coins, issueCoins, publish } from '../../services/demo/publish.ts';
import { openVenues, type Venues } from '../../services/demo/venues.ts';
import { createTesterClient } from './tester-client.ts';

/** A network with the wallet, every adaptor in `move/adaptors` and an unused venue for each. */
export interface AdaptorNetwork {
  localnet: Localnet;
  client: ChainClient;
  /** The publisher of all packages, who owns the treasury of the dollars. */
  keeper: Account;
  walletPackage: string;
  coins: Coins;
  venues: Venues;
  adaptors: Adaptors;
  newAccount(): Promise<Account>;
  /** Returns a wallet's balances in the order of `coinTypes`, in base units. */
  balances(walletId: string, coinTypes: readonly string[]): Promise<bigint[]>;
  close(): Promise<void>;
}

export async function startAdaptorNetwork(): Promise<AdaptorNetwork> {
  await using starting = new AsyncDisposableStack();
  const options = { dataDir: ':memory:', port: 0, checkpointIntervalMs: 20, log: silentLogger };
  const localnet = await startLocalnet(options);
  starting.defer(() => localnet.close());
  const client = createTesterClient(localnet.rpcUrl);
  starting.defer(() => client.close());
  const known = new Map<string, unknown>();
  const newAccount = async () => withExecutor(await createAccount(client, localnet.faucetUrl), known);
  const keeper = await newAccount();

  await compilePackages();
  const { packageId: walletPackage } = await publish(keeper, 'wallet');
  const coins = await issueCoins(keeper);
  const protocols = await publishProtocols(keeper);
  const venues = await openVenues(keeper, protocols, coins);
  const publishers = { harbour: keeper, lagoon: keeper, reef: keeper, anchor: keeper };
  const packages = { ...protocols, wallet: walletPackage };
  const { adaptors } = await deployAdaptors(publishers, packages, venues);

  const running = starting.move();
  return {
    localnet,
    client,
    keeper,
    walletPackage,
    coins,
    venues,
    adaptors,
    newAccount,
    async balances(walletId, coinTypes) {
      const transaction = new Transaction();
      transaction.setSender(keeper.address);
      for (const coinType of coinTypes) {
        transaction.moveCall({
          target: `${walletPackage}::wallet::balance`,
          typeArguments: [coinType],
          arguments: [transaction.object(walletId)],
        });
      }
      const include = { commandResults: true } as const;
      const { commandResults } = await client.core.simulateTransaction({ transaction, include });
      return (commandResults ?? []).map(({ returnValues: [value] }) => BigInt(bcs.u64().parse(value!.bcs)));
    },
    close: () => running.disposeAsync(),
  };
}
