import { parentPort } from 'node:worker_threads';
import type { ProcessBounds } from './bounded.ts';

// A thread that ends its process, however busy that is, once it exceeds the bounds of the last message, or once the process
// that started it has ended.

const lookEveryMs = 50;
/** The system gives a process whose parent has ended another one, perhaps before this thread begins. */
const parent = Number(process.env.PARENT_PID);
let processorMaxMs = Number.POSITIVE_INFINITY;
let residentMaxBytes = Number.POSITIVE_INFINITY;

function readProcessorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

parentPort!.on('message', ({ processorMs, residentMb }: ProcessBounds) => {
  processorMaxMs = readProcessorMs() + processorMs;
  residentMaxBytes = residentMb === undefined ? Number.POSITIVE_INFINITY : residentMb * 1024 * 1024;
  parentPort!.postMessage('watching');
});
setInterval(() => {
  const isBeyondBounds = readProcessorMs() > processorMaxMs || process.memoryUsage.rss() > residentMaxBytes;
  if (isBeyondBounds || process.ppid !== parent) process.kill(process.pid, 'SIGKILL');
}, lookEveryMs);
