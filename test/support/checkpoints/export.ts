import { zstdCompressSync } from 'node:zlib';
import type { ChainClient } from '@adaptor-marketplace/adaptor/chain/client';
import { GrpcTypes } from '@mysten/sui/grpc';

/** The parts of a checkpoint that Sui's own exporter writes into a file. */
const filePaths = [
  'sequence_number',
  'summary.bcs.value',
  'signature',
  'contents.bcs.value',
  'transactions.transaction.bcs.value',
  'transactions.effects.bcs.value',
  'transactions.effects.unchanged_loaded_runtime_objects',
  'transactions.events.bcs.value',
  'objects.objects.bcs.value',
];

/** Reads a checkpoint with what a file has of it. */
export async function readCheckpoint(
  { ledgerService }: ChainClient,
  sequence: number,
): Promise<GrpcTypes.Checkpoint> {
  const { response } = await ledgerService.getCheckpoint({
    checkpointId: { oneofKind: 'sequenceNumber', sequenceNumber: BigInt(sequence) },
    readMask: { paths: filePaths },
  });
  if (!response.checkpoint) throw new Error(`the network answered without checkpoint ${sequence}`);
  return response.checkpoint;
}

export const toFile = (checkpoint: GrpcTypes.Checkpoint): Uint8Array =>
  zstdCompressSync(GrpcTypes.Checkpoint.toBinary(checkpoint));

/** Files of all checkpoints up to `last`, by number, as they lie in a bucket. */
export async function exportCheckpoints(client: ChainClient, last: number): Promise<Map<number, Uint8Array>> {
  const files = new Map<number, Uint8Array>();
  for (let sequence = 0; sequence <= last; sequence++) {
    files.set(sequence, toFile(await readCheckpoint(client, sequence)));
  }
  return files;
}
