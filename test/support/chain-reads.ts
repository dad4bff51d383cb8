import { Transaction } from '@mysten/sui/transactions';
import type { ChainClient } from '../../lib/chain/client.ts';

/** A call of a Move function that changes nothing. */
export interface ChainRead {
  target: string;
  typeArguments?: string[];
  /** Objects by their ids, and pure values. */
  arguments?: (string | { id: string } | { u32: number } | { u64: bigint })[];
}

/** What the functions answer now, all in one question to the node: unsigned integers and truth values as numbers. */
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
      arguments: given.map((value) => {
        if (typeof value === 'string') return transaction.object(value);
        if ('id' in value) return transaction.pure.id(value.id);
        return 'u32' in value ? transaction.pure.u32(value.u32) : transaction.pure.u64(value.u64);
      }),
    });
  }
  const include = { commandResults: true } as const;
  const { commandResults = [] } = await client.core.simulateTransaction({ transaction, include });
  return commandResults.map(({ returnValues }) => returnValues.map(({ bcs }) => littleEndian(bcs)));
}

function littleEndian(bytes: Uint8Array): bigint {
  return BigInt(`0x${Buffer.from(bytes).reverse().toString('hex')}`);
}
