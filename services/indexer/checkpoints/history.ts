import { getErrorMessage } from '@adaptor-marketplace/adaptor';
import { toBase58 } from '@mysten/sui/utils';
import { RpcError } from '@protobuf-ts/runtime-rpc';
import { FatalError } from '../../../lib/errors/index.ts';
import type { Frame, FrameSink } from '../stream/frames.ts';
import type { LedgerNode } from '../stream/node.ts';
import type { LedgerHistory, LedgerRange } from '../stream/reader.ts';
import {
  type CheckpointBucket,
  type FileLimits,
  FileTooLargeError,
  largestLimits,
  smallLimits,
  usualLimits,
} from './bucket.ts';
import type { CheckpointFile } from './checkpoint-file.ts';
import { createTransactionDecoder } from './transactions.ts';

/**
 * Bytes of files that are requested ahead, which hides the distance to the bucket. Each counts with its limits: that is
 * 64 files with the usual ones, and 256 small files.
 */
const aheadBytesMax = 320 * 2 ** 20;
const countBytes = ({ compressed, content }: FileLimits) => compressed + content;
/** Files of a chain grow slowly. One that exceeds the limits of a small file is read alone. */
const suggestLimits = ({ contentBytes }: CheckpointFile) =>
  contentBytes <= smallLimits.content / 4 ? smallLimits : usualLimits;

/** Number of checkpoints after which the next digest is requested from an archive. */
const proofEvery = 1_000;
/** Number of frames that wait for a proof, from which it is requested at once. */
const unprovenMax = 2_000;

/**
 * History of the chain from a bucket. Files are read side by side and used in order. Each must name the digest of the one
 * before, so that one known digest at the end proves all of them. The cursor is the number and the digest of the last
 * checkpoint: a history that is resumed continues the same chain.
 * @param eventTypes prefixes (`0x..::registry`) of events that are followed
 * @param archive proves the files in stretches before their frames are sent, as far as it has the digests
 */
export function openBucketHistory(
  bucket: CheckpointBucket,
  eventTypes: readonly string[],
  archive?: Pick<LedgerNode, 'url' | 'readDigest'>,
): LedgerHistory {
  const decode = createTransactionDecoder(eventTypes);

  /** Reads a file beside others, or alone if it is too large for that. */
  async function awaitFile(reading: Promise<CheckpointFile>, sequence: number, signal: AbortSignal) {
    try {
      return await reading;
    } catch (error) {
      if (!(error instanceof FileTooLargeError)) throw error;
      return await bucket.read(sequence, largestLimits, signal);
    }
  }

  function toFrames({ sequence, digest, timestampMs, transactions }: CheckpointFile): Frame[] {
    const frames: Frame[] = [];
    try {
      for (const [index, transaction] of transactions.entries()) {
        const decoded = decode(transaction, { checkpoint: sequence, index, timestampMs });
        if (decoded) frames.push({ transaction: decoded });
      }
    } catch (cause) {
      const message = `${bucket.nameFile(sequence)}: ${getErrorMessage(cause)}`;
      throw new FatalError('bad_checkpoint_file', message, { cause });
    }
    frames.push({ covered: sequence, cursor: encodeCursor(sequence, digest) });
    return frames;
  }

  /** Reads the digest of a checkpoint from the archive; undefined if there is none, or if it does not have it. */
  async function readProof(sequence: number, signal: AbortSignal) {
    try {
      return await archive?.readDigest(sequence, signal);
    } catch (error) {
      if (error instanceof RpcError && absentCodes.has(error.code)) return undefined;
      throw error;
    }
  }

  async function readRange(
    { after, from, to, lastDigest }: LedgerRange,
    sink: FrameSink,
    signal: AbortSignal,
  ) {
    const ahead: { reading: Promise<CheckpointFile>; bytes: number }[] = [];
    let aheadBytes = 0;
    let limits = usualLimits;
    let next = from;
    let previous = after ? decodeCursor(after, from - 1) : undefined;
    let unproven: Frame[] = [];
    let provenUpTo = from - 1;
    for (let sequence = from; sequence < to; sequence++) {
      await sink.ready();
      const bytes = countBytes(limits);
      for (; next < to && aheadBytes + bytes <= aheadBytesMax; aheadBytes += bytes) {
        const reading = bucket.read(next++, limits, signal);
        // It may fail while an earlier one is awaited.
        reading.catch(() => undefined);
        ahead.push({ reading, bytes });
      }
      const first = ahead.shift()!;
      const file = await awaitFile(first.reading, sequence, signal);
      aheadBytes -= first.bytes;
      limits = suggestLimits(file);
      if (previous) requireContinues(file, previous);
      previous = file.digest;
      unproven.push(...toFrames(file));
      const isLast = sequence === to - 1;
      const mayWait =
        archive !== undefined && sequence - provenUpTo < proofEvery && unproven.length < unprovenMax;
      if (mayWait && !isLast) continue;
      if (isLast && lastDigest !== undefined) requireProven(file, lastDigest, 'the node');
      else requireProven(file, await readProof(sequence, signal), archive?.url);
      for (const frame of unproven) sink.push(frame);
      unproven = [];
      provenUpTo = sequence;
    }
  }

  function requireContinues({ sequence, previousDigest }: CheckpointFile, previous: Uint8Array): void {
    if (previousDigest && Buffer.compare(previousDigest, previous) === 0) return;
    const named = previousDigest ? toBase58(previousDigest) : 'no checkpoint';
    throw new FatalError(
      'bad_checkpoint_file',
      `${bucket.nameFile(sequence)} continues ${named}, and checkpoint ${sequence - 1} that was read before has digest ` +
        `${toBase58(previous)}. The bucket is damaged, or of another chain: use another bucket and another database.`,
    );
  }

  function requireProven(
    { sequence, digest }: CheckpointFile,
    expected: string | undefined,
    witness: string | undefined,
  ): void {
    if (expected === undefined || toBase58(digest) === expected) return;
    throw new FatalError(
      'archive_disagrees',
      `${bucket.nameFile(sequence)} has digest ${toBase58(digest)}, and ${witness} gives ${expected} for this checkpoint. ` +
        'What was read from the bucket is not of this chain: use another bucket and another database.',
    );
  }

  return {
    url: bucket.url,
    indexed: false,
    async readDigest(checkpoint, signal) {
      const reading = bucket.read(checkpoint, usualLimits, signal);
      return toBase58((await awaitFile(reading, checkpoint, signal)).digest);
    },
    async sendHistory(range, sink, signal) {
      const stop = new AbortController();
      try {
        await readRange(range, sink, AbortSignal.any([signal, stop.signal]));
      } finally {
        stop.abort();
      }
    },
  };
}

/** Codes of a node that does not have a checkpoint. */
const absentCodes = new Set(['NOT_FOUND', 'OUT_OF_RANGE']);

/** Bytes of the number in a cursor; the digest follows. */
const numberBytes = 8;

function encodeCursor(sequence: number, digest: Uint8Array): Uint8Array {
  const cursor = Buffer.alloc(numberBytes + digest.length);
  cursor.writeBigUInt64BE(BigInt(sequence));
  cursor.set(digest, numberBytes);
  return cursor;
}

/** Returns the digest of a cursor, if it is of this checkpoint. */
function decodeCursor(cursor: Uint8Array, sequence: number): Uint8Array | undefined {
  const bytes = Buffer.from(cursor);
  if (bytes.length <= numberBytes || bytes.readBigUInt64BE() !== BigInt(sequence)) return undefined;
  return bytes.subarray(numberBytes);
}
