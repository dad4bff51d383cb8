import type { ChainClient } from '@adaptor-marketplace/adaptor/chain/client';
import { Transaction } from '@mysten/sui/transactions';

/** A call of a Move function that has no effect on the chain. */
export interface ChainRead {
  target: string;
  typeArguments?: string[];
  /** Ids of objects, and `{ id }` for ids that are plain values. */
  arguments?: (string | { id: string })[];
}

/** Calls all functions in one simulation and returns their values. Unsigned integers and booleans become numbers. */
export async function readChain(
  client: ChainClient,
  sender: string,
  reads: readonly ChainRead[],
): Promise<bigint[][]> {
  const transaction = new Transaction();
  transaction.setSender(sender);
  for (const { target, typeArguments = [], arguments: given = [] } of reads) {
    transaction.moveCall({
      target,
      typeArguments,
      arguments: given.map((value) =>
        typeof value === 'string' ? transaction.object(value) : transaction.pure.id(value.id),
      ),
    });
  }
  const include = { commandResults: true } as const;
  const { commandResults = [] } = await client.core.simulateTransaction({ transaction, include });
  return commandResults.map(({ returnValues }) => returnValues.map(({ bcs }) => littleEndian(bcs)));
}

function littleEndian(bytes: Uint8Array): bigint {
  return BigInt(`0x${Buffer.from(bytes).reverse().toString('hex')}`);
}
