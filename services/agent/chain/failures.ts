import { getErrorMessage } from '@adaptor-marketplace/adaptor';
import { explainExecutionError, type PlatformPackages } from '@adaptor-marketplace/adaptor/transactions';
import { SimulationError, type SuiClientTypes } from '@mysten/sui/client';
import { RpcError } from '@protobuf-ts/runtime-rpc';
import { RunFailedError } from '../../../lib/agent/run-failure.ts';
import { transactionRefusals } from '../../../lib/chain/providers/refusals.ts';

/** Packages that explain aborts, and the name of the step of each call by its position, if there are several steps. */
type AbortContext = PlatformPackages & { stepOfCall?: readonly string[] };

export function toFailure({ error }: SuiClientTypes.ExecutionStatus, context: AbortContext): RunFailedError {
  return error
    ? describeFailure(error, context)
    : new RunFailedError('execution_failed', 'The chain refused the transaction without a reason.');
}

function describeFailure(error: SuiClientTypes.ExecutionError, context: AbortContext): RunFailedError {
  const { code, detail } = explainExecutionError(error, context);
  const step = error.command === undefined ? undefined : context.stepOfCall?.[error.command];
  return new RunFailedError(code, step === undefined ? detail : `${step}: ${detail}`);
}

/** Messages of a node about the coins that pay the gas. A Move name can contain "gas" too, but no space. */
const coinRefusals = /\bgas (balance|coin|object|payment|selection)\b/i;

/** Waits for a simulation. @throws RunFailedError if the node does not answer, or does not accept the transaction */
export async function awaitSimulation<T>(simulation: Promise<T>, context: AbortContext): Promise<T> {
  try {
    return await simulation;
  } catch (error) {
    if (error instanceof SimulationError && error.executionError) {
      throw describeFailure(error.executionError, context);
    }
    const cause = error instanceof RpcError ? error : (error as { cause?: unknown }).cause;
    const code = cause instanceof RpcError ? cause.code : undefined;
    const reason = getErrorMessage(error).slice(0, 300);
    if (code !== undefined && !transactionRefusals.has(code)) {
      throw new RunFailedError(
        'node_unavailable',
        `The network's node did not answer (${code}). Send the request again.`,
      );
    }
    if (coinRefusals.test(reason)) {
      throw new RunFailedError(
        'agent_out_of_gas',
        `The operator's key has no coin to pay the gas with: ${reason}`,
      );
    }
    throw new RunFailedError('not_executable', `The chain does not accept the transaction: ${reason}`);
  }
}
