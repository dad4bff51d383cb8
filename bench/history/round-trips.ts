import { setImmediate as turn } from 'node:timers/promises';
import { GrpcTypes } from '@mysten/sui/grpc';
import { RpcOutputStreamController } from '@protobuf-ts/runtime-rpc';
import { openFilteredReader } from '../../services/indexer/stream/filtered-reader.ts';
import type { LedgerNode } from '../../services/indexer/stream/node.ts';
import { readStretches } from '../../services/indexer/stream/stretches.ts';
import { listMatches } from './node-lists.ts';
import { type ChainShape, SparseChain } from './sparse-chain.ts';

/** Turns of the event loop after which everything that follows from the answers has been requested. */
const settledTurns = 5;

/**
 * Counts the round trips for which the indexer's own reader waits one after another, and its lists, when it reads a whole
 * chain. All lists that were requested are answered at the same time, and their matches are taken at once: only the distance
 * counts, so the numbers are the same on every machine.
 */
export async function countRoundTrips(
  shape: ChainShape,
  scanTransactions: number,
): Promise<{ roundTrips: number; lists: number }> {
  const chain = new SparseChain(shape, 0);
  const createMessage = (match: number) =>
    GrpcTypes.ExecutedTransaction.create({ checkpoint: BigInt(chain.findCheckpoint(match)) });
  const options = { chain, tip: shape.checkpoints - 1, scanTransactions, createMessage };
  let waiting: (() => void)[] = [];
  let lists = 0;
  const listTransactions = (request: GrpcTypes.ListTransactionsRequest) => {
    const responses = new RpcOutputStreamController<GrpcTypes.ListTransactionsResponse>();
    lists += 1;
    waiting.push(() => {
      for (const frame of listMatches(options, request)) responses.notifyMessage(frame);
      responses.notifyComplete();
    });
    return { headers: Promise.resolve({}), responses };
  };
  const node = { url: 'node', client: { ledgerService: { listTransactions }, subscriptionService: {} } };
  const reader = openFilteredReader(node as unknown as LedgerNode, ['0x1::registry'], { idleMs: 60_000 });
  const sink = { push: () => undefined, ready: async () => undefined };
  let isRead = false;
  const range = { from: 0, to: shape.checkpoints };
  const reading = readStretches(reader, range, sink, new AbortController().signal).finally(() => {
    isRead = true;
  });
  let roundTrips = 0;
  for (;;) {
    for (let n = 0; n < settledTurns; n += 1) await turn();
    if (isRead) break;
    const answered = waiting;
    waiting = [];
    for (const answer of answered) answer();
    roundTrips += 1;
  }
  await reading;
  return { roundTrips, lists };
}
