import { GrpcTypes, type SuiGrpcClient } from '@mysten/sui/grpc';
import type { CommandOutput } from '../../execution/types.ts';
import type { SimulatedTransaction } from '../../ledger/types.ts';
import type { ChainView } from '../chain-view.ts';
import { argumentMessage } from '../convert/command.ts';
import { bcsMessage } from '../convert/common.ts';
import { draftOf } from '../convert/draft.ts';
import { executedMessage } from '../convert/executed.ts';
import { ReadMask } from '../read-mask.ts';
import { bindService } from '../server/service.ts';
import { invalidArgument } from '../server/status.ts';

const { SimulateTransactionRequest_TransactionChecks: Checks } = GrpcTypes;

/** Executes signed transactions, and tries out drafts. */
export function executionService(view: ChainView) {
  const { ledger } = view;
  return bindService<SuiGrpcClient['transactionExecutionService']>(GrpcTypes.TransactionExecutionService, {
    async executeTransaction({ transaction, signatures, readMask }) {
      const { ExecutedTransaction } = GrpcTypes;
      const mask = ReadMask.parse(ExecutedTransaction, readMask, 'effects.status,checkpoint');
      const bytes = transaction?.bcs?.value;
      if (!bytes) throw invalidArgument('transaction.bcs: missing (a signed transaction goes as BCS)');
      const executed = await ledger.execute(bytes, signatures.map(signatureBytes));
      return { transaction: executedMessage(view, executed, mask) };
    },

    async simulateTransaction({ transaction, readMask, checks, doGasSelection }) {
      const mask = ReadMask.parse(GrpcTypes.SimulateTransactionResponse, readMask, '*');
      const simulated = ledger.simulate(draftOf(transaction), {
        checks: checks !== Checks.DISABLED,
        selectGas: doGasSelection ?? false,
      });
      return mask.apply({
        transaction: executedMessage(
          view,
          simulated.transaction,
          mask.at('transaction', GrpcTypes.ExecutedTransaction),
          simulated.writtenObjects,
        ),
        commandOutputs: mask.has('command_outputs') ? commandResults(view, simulated) : [],
        suggestedGasPrice: simulated.suggestedGasPrice,
      });
    },
  });
}

function signatureBytes({ bcs }: GrpcTypes.UserSignature): Uint8Array {
  if (!bcs?.value) throw invalidArgument('signatures: a signature goes as its serialized bytes in bcs');
  return bcs.value;
}

function commandResults(
  view: ChainView,
  { commandOutputs }: SimulatedTransaction,
): GrpcTypes.CommandResult[] {
  const output = ({ type, bytes }: { type: string; bytes: Uint8Array }): GrpcTypes.CommandOutput => {
    const json = view.json(type, bytes);
    return { value: bcsMessage(type, bytes), ...(json && { json }) };
  };
  return commandOutputs.map(({ returnValues, mutatedByRef }: CommandOutput) => ({
    returnValues: returnValues.map(output),
    mutatedByRef: mutatedByRef.map((changed) => ({
      ...output(changed),
      argument: argumentMessage(changed.argument),
    })),
  }));
}
