import { parentPort } from 'node:worker_threads';

// A thread that ends its process, however busy that is, once it has used as many more milliseconds of processor time as the
// last message says.

const lookEveryMs = 50;
let limitMs = Number.POSITIVE_INFINITY;

function readUsedMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

parentPort!.on('message', (moreMs: number) => {
  limitMs = readUsedMs() + moreMs;
});
setInterval(() => {
  if (readUsedMs() > limitMs) process.kill(process.pid, 'SIGKILL');
}, lookEveryMs);
