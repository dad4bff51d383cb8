import { GrpcTypes } from '@mysten/sui/grpc';
import { Transaction } from '@mysten/sui/transactions';
import { ask } from '../../../lib/chain/answers.ts';
import { callOptions } from '../../../lib/chain/client.ts';
import { foundOf, type ToolsClient, timeoutMs } from './client.ts';

const { SimulateTransactionRequest_TransactionChecks: Checks } = GrpcTypes;
/** The most that a transaction may ask for; nobody pays it. */
const gasBudget = 50_000_000_000n;

/**
 * Whether the chain, as it is now, would let a transaction through if the sender had the gas.
 * @param kind BCS of its TransactionKind, with its objects resolved
 * @throws ProblemError 502 or 504
 */
export async function wouldSucceed(client: ToolsClient, sender: string, kind: Uint8Array): Promise<boolean> {
  const tx = Transaction.fromKind(kind);
  tx.setSender(sender);
  tx.setGasBudget(gasBudget);
  tx.setGasPrice(1_000n);
  tx.setGasPayment([]);
  // Without gas coins, the SDK would otherwise ask a node for one.
  tx.setExpiration({ None: true });
  const request = {
    transaction: { bcs: { value: await tx.build() }, signatures: [] },
    checks: Checks.DISABLED,
    readMask: { paths: ['transaction.effects.status'] },
  };
  const call = client.transactionExecutionService.simulateTransaction(request, callOptions(timeoutMs));
  return foundOf(await ask(call))?.transaction?.effects?.status?.success ?? false;
}
