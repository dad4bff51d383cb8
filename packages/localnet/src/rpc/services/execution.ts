import { GrpcTypes, type SuiGrpcClient } from '@mysten/sui/grpc';
import type { CommandOutput } from '../../execution/types.ts';
import type { ChainView } from '../convert/chain-view.ts';
import { argumentMessage } from '../convert/command.ts';
import { bcsMessage } from '../convert/common.ts';
import { draftOf } from '../convert/draft.ts';
import { executedMessage } from '../convert/executed.ts';
import { ReadMask } from '../convert/read-mask.ts';
import { bindService } from '../server/service.ts';
import { GrpcError, GrpcStatusCode } from '../server/status.ts';
import { missingField } from '../server/status-details.ts';

const { SimulateTransactionRequest_TransactionChecks: Checks } = GrpcTypes;

/** Maximum number of bytes of what a simulation's commands returned and changed. */
const maxOutputBytes = 16 * 1024 * 1024;

/** Executes signed transactions, and tries out drafts. */
export function executionService(view: ChainView) {
  const { ledger } = view;
  return bindService<SuiGrpcClient['transactionExecutionService']>(GrpcTypes.TransactionExecutionService, {
    async executeTransaction({ transaction, signatures, readMask }) {
      const { ExecutedTransaction } = GrpcTypes;
      const mask = ReadMask.parse(ExecutedTransaction, readMask, 'effects.status,checkpoint');
      const bytes = transaction?.bcs?.value;
      if (!bytes) throw missingField('transaction.bcs', 'missing (give the signed transaction as BCS)');
      const executed = await ledger.execute(bytes, signatures.map(signatureBytes));
      return { transaction: executedMessage(view.answer(), executed, mask) };
    },

    async simulateTransaction({ transaction, readMask, checks, doGasSelection }) {
      const mask = ReadMask.parse(GrpcTypes.SimulateTransactionResponse, readMask, '*');
      const wantsOutputs = mask.has('command_outputs');
      const simulated = ledger.simulate(draftOf(transaction), {
        checks: checks !== Checks.DISABLED,
        selectGas: doGasSelection ?? false,
        maxOutputBytes: wantsOutputs ? maxOutputBytes : 0,
      });
      if (wantsOutputs && !simulated.commandOutputs) throw outputsTooLarge();
      const answer = view.answer();
      return mask.apply({
        transaction: executedMessage(
          answer,
          simulated.transaction,
          mask.at('transaction', GrpcTypes.ExecutedTransaction),
          simulated.writtenObjects,
        ),
        commandOutputs: commandResults(answer, simulated.commandOutputs ?? []),
        suggestedGasPrice: simulated.suggestedGasPrice,
      });
    },
  });
}

function signatureBytes({ bcs }: GrpcTypes.UserSignature): Uint8Array {
  if (!bcs?.value) throw missingField('signatures', 'give the signature as serialized bytes in bcs');
  return bcs.value;
}

const outputsTooLarge = () =>
  new GrpcError(
    GrpcStatusCode.RESOURCE_EXHAUSTED,
    `the command outputs are above ${maxOutputBytes} bytes: leave command_outputs out of the read mask`,
  );

function commandResults(view: ChainView, commandOutputs: CommandOutput[]): GrpcTypes.CommandResult[] {
  const output = ({ type, bytes }: { type: string; bytes: Uint8Array }): GrpcTypes.CommandOutput => {
    const json = view.json(type, bytes);
    return { value: bcsMessage(type, bytes), ...(json && { json }) };
  };
  return commandOutputs.map(({ returnValues, mutatedByRef }) => ({
    returnValues: returnValues.map(output),
    mutatedByRef: mutatedByRef.map((changed) => ({
      ...output(changed),
      argument: argumentMessage(changed.argument),
    })),
  }));
}
