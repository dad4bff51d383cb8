import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { isMainThread } from 'node:worker_threads';

/** Usage of the service, which it reports when it is asked. */
export interface Usage {
  /** Bytes of memory after a collection of garbage. */
  heapBytes: number;
  rssBytes: number;
  /** Highest processor time of the main thread between two turns of its event loop since the last report, in milliseconds. */
  busyMaxMs: number;
}

const intervalMs = 5;

/** Answers each message `usage` of the fuzzer with the usage of this process. */
function answerUsage(): void {
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc') as () => void;
  const readCpuMs = () => {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1_000;
  };
  let busyMaxMs = 0;
  let before = readCpuMs();
  setInterval(() => {
    const now = readCpuMs();
    busyMaxMs = Math.max(busyMaxMs, now - before);
    before = now;
  }, intervalMs).unref();
  process.on('message', () => {
    const busy = busyMaxMs;
    collectGarbage();
    const { heapUsed, external, rss } = process.memoryUsage();
    const usage: Usage = { heapBytes: heapUsed + external, rssBytes: rss, busyMaxMs: busy };
    process.send?.(usage);
    // The collection is not the service's own work.
    before = readCpuMs();
    busyMaxMs = 0;
  });
  // The channel to the fuzzer does not keep the process running.
  process.channel?.unref();
}

// `--import` also loads this file into the processes and threads that the service starts.
if (isMainThread && process.argv[1]?.endsWith('services/main.ts')) answerUsage();
