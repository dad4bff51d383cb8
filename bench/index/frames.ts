/** Writes the frames of a source of a generated chain into a file, each behind its length and checkpoint. Runs as a worker. */

import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { GrpcTypes } from '@mysten/sui/grpc';
import { chainTransactions, type GeneratedTransaction } from '../../test/support/frames/chain.ts';
import { marketTransactions } from '../../test/support/frames/market/generate.ts';
import { transactionMessage } from '../../test/support/frames/messages.ts';
import { packageIds } from '../../test/support/frames/packages.ts';

export interface FrameWork {
  source: 'registry' | 'wallet';
  events: number;
  seed: number;
  path: string;
}

export interface WrittenFrames {
  /** Bytes of the file. */
  size: number;
  transactions: number;
  /** Checkpoint of the last one. */
  last: number;
  /** Offsets of some frames in the file, in order: each is the first one of its checkpoint. */
  offsets: { checkpoint: number; offset: number }[];
}

/** Bytes before a frame: its length and its checkpoint, 32 bits each. */
export const headLength = 8;
/** Transactions from one of the offsets to the next, at least. */
const offsetEvery = 200;

/** The cursor of a frame: where it begins in its file. */
export const encodePlace = (place: number) => Buffer.from(`bench ${place}`);
export const decodePlace = (cursor: Uint8Array) => Number(Buffer.from(cursor).toString().split(' ')[1]);

/** That many events of the wallet package. One in fifty sets up a wallet, the others use them. */
function* walletTransactions({ seed, events }: FrameWork): Generator<GeneratedTransaction> {
  const all = marketTransactions({
    seed: seed + 1,
    transactions: Math.ceil(events / 3),
    size: 200,
    wallets: Math.ceil(events / 50 / 5),
    actions: 0.95,
  });
  let left = events;
  for (const transaction of all) {
    const own = transaction.events.filter(({ type }) => type.startsWith(packageIds.wallet)).slice(0, left);
    // After the registry's transactions in each checkpoint.
    const txIndex = transaction.txIndex + 10_000;
    if (own.length > 0) yield { ...transaction, txIndex, events: own };
    left -= own.length;
    if (left === 0) return;
  }
  throw new Error(`the generated chain holds ${left} events too few`);
}

async function writeFrames(work: FrameWork): Promise<WrittenFrames> {
  const written: WrittenFrames = { size: 0, transactions: 0, last: -1, offsets: [] };
  function* pieces() {
    for (const made of work.source === 'wallet' ? walletTransactions(work) : chainTransactions(work)) {
      const frame = GrpcTypes.ListTransactionsResponse.toBinary({
        transaction: transactionMessage(made),
        watermark: { cursor: encodePlace(written.size), checkpoint: BigInt(made.checkpoint - 1) },
      });
      const head = Buffer.alloc(headLength);
      head.writeUInt32LE(frame.length);
      head.writeUInt32LE(made.checkpoint, 4);
      if (made.checkpoint !== written.last && written.transactions >= written.offsets.length * offsetEvery) {
        written.offsets.push({ checkpoint: made.checkpoint, offset: written.size });
      }
      written.size += headLength + frame.length;
      written.transactions++;
      written.last = made.checkpoint;
      yield Buffer.concat([head, frame]);
    }
  }
  await pipeline(Readable.from(pieces()), createWriteStream(work.path));
  return written;
}

if (parentPort) parentPort.postMessage(await writeFrames(workerData));
