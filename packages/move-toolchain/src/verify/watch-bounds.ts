import { parentPort } from 'node:worker_threads';

// A thread that ends its process, however busy that is, once it has used more processor time or memory than it may. Node's
// own bound on memory does not hold for WebAssembly.

const lookEveryMs = 50;

parentPort!.on('message', ({ processorMs, memoryMb }: { processorMs: number; memoryMb: number }) => {
  setInterval(() => {
    const { user, system } = process.cpuUsage();
    const isOver =
      (user + system) / 1_000 > processorMs || process.memoryUsage.rss() > memoryMb * 1024 * 1024;
    if (isOver) process.kill(process.pid, 'SIGKILL');
  }, lookEveryMs);
  parentPort!.postMessage('watching');
});
