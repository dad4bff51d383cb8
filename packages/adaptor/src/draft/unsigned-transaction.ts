import { SimulationError } from '@mysten/sui/client';
import type { SuiGrpcClient } from '@mysten/sui/grpc';
import { Transaction } from '@mysten/sui/transactions';
import { toBase64 } from '@mysten/sui/utils';
import { RpcError } from '@protobuf-ts/runtime-rpc';
import { z } from 'zod';

export const unsignedTransaction = z.object({
  sender: z.string(),
  base64: z.string().nullable().meta({
    description: 'Transaction data in BCS, gas included, to be signed; null where the node did not build it.',
  }),
  json: z
    .string()
    .meta({ description: "The same call in the SDK's JSON, without gas: a wallet completes it." }),
});

/** A built transaction, or the reason why there is none. */
export interface BuiltTransaction {
  transaction: z.infer<typeof unsignedTransaction>;
  /** The reason why there are no bytes to sign, for the publisher. */
  refusal?: string;
}

const reasonLengthMax = 500;

/**
 * Builds a transaction for `sender` to sign, with the sender's gas. The node simulates it, so a call that would fail is
 * reported before it is signed.
 * @param client a client with a timeout: it is called a few times
 */
export async function buildUnsigned(
  client: SuiGrpcClient,
  sender: string,
  append: (tx: Transaction) => void,
): Promise<BuiltTransaction> {
  const tx = new Transaction();
  tx.setSender(sender);
  append(tx);
  const json = await tx.toJSON();
  try {
    const bytes = await tx.build({ client });
    return { transaction: { sender, base64: toBase64(bytes), json } };
  } catch (error) {
    return { transaction: { sender, base64: null, json }, refusal: describeRefusal(error) };
  }
}

/** The SDK reports every failure as a failed simulation. */
function describeRefusal(error: unknown): string {
  if (!(error instanceof SimulationError)) throw error;
  const { cause } = error;
  if (cause instanceof RpcError && !/^(INVALID_ARGUMENT|NOT_FOUND|FAILED_PRECONDITION)$/.test(cause.code)) {
    return 'the node could not try it out';
  }
  return error.message.replace(/[^ -~]/g, '?').slice(0, reasonLengthMax);
}
