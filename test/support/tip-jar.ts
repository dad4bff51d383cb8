import type { Localnet } from '@adaptor-marketplace/localnet';
import { createAccount } from '@adaptor-marketplace/localnet/account';
import { publish } from '../../services/demo/publish.ts';
import { createTesterClient } from './tester-client.ts';

/** Publishes the smallest adaptor and the wallet's package, which it calls. Returns their ids. */
export async function publishTipJar({
  rpcUrl,
  faucetUrl,
}: Localnet): Promise<{ wallet: string; tipJar: string }> {
  const client = createTesterClient(rpcUrl);
  try {
    const keeper = await createAccount(client, faucetUrl);
    const wallet = (await publish(keeper, 'wallet')).packageId;
    const tipJar = (await publish(keeper, 'adaptors/tip_jar', { wallet })).packageId;
    return { wallet, tipJar };
  } finally {
    client.close();
  }
}
