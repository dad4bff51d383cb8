import { ask } from '@adaptor-marketplace/adaptor/chain/answers';
import { foundOf } from '@adaptor-marketplace/adaptor/chain/found';
import { Transaction } from '@mysten/sui/transactions';
import { type ToolsClient, timeoutMs } from '../options.ts';

/**
 * Whether the chain, as it is now, would let a transaction through if the sender had the gas.
 * @param kind BCS of its TransactionKind, with its objects resolved
 * @throws ProblemError 502 or 504
 */
export async function wouldSucceed(client: ToolsClient, sender: string, kind: Uint8Array): Promise<boolean> {
  const transaction = Transaction.fromKind(kind);
  transaction.setSender(sender);
  const signal = AbortSignal.timeout(timeoutMs);
  const simulated = client.simulateTransaction({ transaction, checksEnabled: false, signal });
  const answer = await ask(simulated.then((response) => ({ response })));
  return foundOf(answer)?.$kind === 'Transaction';
}
