import { Transaction } from '@mysten/sui/transactions';
import { SUI } from '../../services/demo/coins.ts';
import type { DemoTools } from './demo-tools.ts';

/** Enough for any action, in MIST. */
const gasBudget = 100_000_000n;

/**
 * Signs a drafted transaction as the address that acts for the wallet, the host paying the gas, and executes it,
 * no matter what a simulation would say.
 * @param transactionKind base64
 */
export async function sendSponsored(
  { client, host, actor }: Pick<DemoTools, 'client' | 'host' | 'actor'>,
  walletId: string,
  transactionKind: string,
) {
  const sender = actor(walletId);
  const transaction = Transaction.fromKind(transactionKind);
  transaction.setSender(sender.address);
  transaction.setGasOwner(host.address);
  // With all of its gas named, the client has nothing to ask the node before it signs.
  const { objects } = await client.listCoins({ owner: host.address, coinType: SUI });
  transaction.setGasPayment(objects.slice(0, 10));
  transaction.setGasBudget(gasBudget);
  transaction.setGasPrice((await client.getReferenceGasPrice()).referenceGasPrice);
  const bytes = await transaction.build({ client });
  const signed = await Promise.all([sender, host].map(({ keypair }) => keypair.signTransaction(bytes)));
  const signatures = signed.map(({ signature }) => signature);
  const done = await client.executeTransaction({ transaction: bytes, signatures });
  const { digest } = done.$kind === 'Transaction' ? done.Transaction : done.FailedTransaction;
  await client.waitForTransaction({ digest });
  return done;
}
