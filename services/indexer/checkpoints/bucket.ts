import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { constants, zstdDecompress } from 'node:zlib';
import { getErrorMessage } from '@adaptor-marketplace/adaptor';
import { FatalError } from '../../../lib/errors/index.ts';
import { OutboundError } from '../../../lib/outbound/errors.ts';
import type { Outbound } from '../../../lib/outbound/index.ts';
import { chooseBackoff } from '../stream/node.ts';
import { type CheckpointFile, CheckpointFileError, decodeCheckpoint } from './checkpoint-file.ts';

const mebibyte = 2 ** 20;

export interface FileLimits {
  /** Bytes of the file. */
  compressed: number;
  /** Bytes of its content. A few bytes can decompress to gigabytes. */
  content: number;
  /** Binary logarithm of the memory that the decompression itself may take. */
  windowLog: number;
}

/** Limits of a file that is read beside others. Most files on a public network fit. */
export const usualLimits: FileLimits = { compressed: mebibyte, content: 4 * mebibyte, windowLog: 23 };
/** Limits of a file after small ones, of which more are read side by side. */
export const smallLimits: FileLimits = { compressed: mebibyte / 4, content: mebibyte, windowLog: 23 };
/** Limits of a file that is read alone: far above the 30 MiB that the transactions of a checkpoint can take. */
export const largestLimits: FileLimits = {
  compressed: 64 * mebibyte,
  content: 256 * mebibyte,
  windowLog: 27,
};

/** The file exceeds the limits that it was read with. */
export class FileTooLargeError extends Error {}

/** A bucket of checkpoint files, as Sui's own indexers read it: `<url>/<number>.binpb.zst`. */
export interface CheckpointBucket {
  url: string;
  /**
   * Reads and checks a file. Temporary failures are retried.
   * @throws FileTooLargeError; FatalError `bad_checkpoint_file` if its digests do not fit; Error for all else
   */
  read(sequence: number, limits: FileLimits, signal: AbortSignal): Promise<CheckpointFile>;
  /** Name of a file in messages. */
  nameFile(sequence: number): string;
}

interface BucketOptions {
  url: string;
  outbound: Pick<Outbound, 'fetchBytes'>;
  /** Milliseconds for one file. */
  timeoutMs?: number;
}

const timeoutMsDefault = 60_000;
const attemptsMax = 4;

export function openBucket({ url, outbound, timeoutMs = timeoutMsDefault }: BucketOptions): CheckpointBucket {
  const { host } = new URL(url);
  const nameFile = (sequence: number) => `${sequence}.binpb.zst of ${host}`;

  async function readOnce(sequence: number, limits: FileLimits, signal: AbortSignal) {
    const file = await outbound.fetchBytes(`${url}/${sequence}.binpb.zst`, {
      maxBytes: limits.compressed,
      timeoutMs,
      signal,
      keepAlive: true,
    });
    return decodeCheckpoint(await decompress(file, limits), sequence);
  }

  return {
    url,
    nameFile,
    async read(sequence, limits, signal) {
      for (let attempt = 1; ; attempt++) {
        try {
          return await readOnce(sequence, limits, signal);
        } catch (error) {
          signal.throwIfAborted();
          if (isTooLarge(error)) {
            throw new FileTooLargeError(`${nameFile(sequence)} is too large`, { cause: error });
          }
          const isRetryable = !(error instanceof OutboundError) || error.retryable;
          if (!isRetryable || attempt === attemptsMax) throw describe(error, nameFile(sequence));
        }
        await delay(chooseBackoff(attempt - 1), undefined, { signal });
      }
    },
  };
}

const decompressAll = promisify(zstdDecompress);

/** @throws CheckpointFileError, or an error that `isTooLarge` */
async function decompress(file: Uint8Array, { content, windowLog }: FileLimits): Promise<Uint8Array> {
  const params = { [constants.ZSTD_d_windowLogMax]: windowLog };
  try {
    return await decompressAll(file, { maxOutputLength: content, params });
  } catch (error) {
    if (isTooLarge(error)) throw error;
    throw new CheckpointFileError(`it does not decompress: ${getErrorMessage(error)}`, { cause: error });
  }
}

const tooLargeCodes = ['ERR_BUFFER_TOO_LARGE', 'ZSTD_error_frameParameter_windowTooLarge'];

function isTooLarge(error: unknown): boolean {
  if (error instanceof OutboundError) return error.kind === 'too_large';
  return error instanceof Error && 'code' in error && tooLargeCodes.includes(String(error.code));
}

function describe(error: unknown, file: string): Error {
  const message = `${file}: ${getErrorMessage(error)}`;
  if (!(error instanceof CheckpointFileError)) return new Error(message, { cause: error });
  const advice = 'The bucket is damaged, or of another chain: use another one.';
  return new FatalError('bad_checkpoint_file', `${message}. ${advice}`, { cause: error });
}
