import { LRUCache } from 'lru-cache';
import type { CheckpointBucket, FileLimits } from './bucket.ts';
import type { CheckpointFile } from './checkpoint-file.ts';

/** Bytes of the decompressed files that stay in memory for the other sources. */
const cachedBytesMax = 128 * 2 ** 20;
/** Time without a read after which the files are dropped, in milliseconds. */
const idleMs = 60_000;

interface SharedRead {
  file: Promise<CheckpointFile>;
  /** Sources that wait for the file. Without any, the read is cancelled. */
  readers: number;
  cancel(): void;
}

/**
 * A bucket that several sources of one process read: sources that are near each other fetch and check each file once. One
 * that is further behind than the cache reaches fetches its files again.
 */
export function shareBucket(
  bucket: CheckpointBucket,
  { cachedBytes = cachedBytesMax }: { cachedBytes?: number } = {},
): CheckpointBucket {
  const cache = new LRUCache<number, CheckpointFile>({
    maxSize: cachedBytes,
    sizeCalculation: ({ contentBytes }) => contentBytes,
  });
  const reads = new Map<string, SharedRead>();
  const idle = setTimeout(() => cache.clear(), idleMs).unref();

  function startRead(key: string, sequence: number, limits: FileLimits): SharedRead {
    const stop = new AbortController();
    const file = bucket.read(sequence, limits, stop.signal).finally(() => {
      if (reads.get(key) === read) reads.delete(key);
    });
    file.then(
      (found) => cache.set(sequence, found),
      () => undefined,
    );
    const read: SharedRead = { file, readers: 0, cancel: () => stop.abort() };
    reads.set(key, read);
    return read;
  }

  return {
    url: bucket.url,
    nameFile: bucket.nameFile,
    async read(sequence, limits, signal) {
      signal.throwIfAborted();
      idle.refresh();
      const known = cache.get(sequence);
      if (known) return known;
      const key = `${sequence} ${limits.content}`;
      const read = reads.get(key) ?? startRead(key, sequence, limits);
      read.readers += 1;
      const aborted = Promise.withResolvers<never>();
      const onAbort = () => aborted.reject(signal.reason);
      signal.addEventListener('abort', onAbort, { once: true });
      try {
        return await Promise.race([read.file, aborted.promise]);
      } finally {
        signal.removeEventListener('abort', onAbort);
        read.readers -= 1;
        if (read.readers === 0) {
          if (reads.get(key) === read) reads.delete(key);
          read.cancel();
        }
      }
    },
  };
}
