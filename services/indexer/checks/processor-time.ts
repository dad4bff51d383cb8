import { workerData } from 'node:worker_threads';

// A thread that ends its process, however busy that is, once it has used `workerData` milliseconds of processor time.

const lookEveryMs = 50;

setInterval(() => {
  const { user, system } = process.cpuUsage();
  if ((user + system) / 1_000 > workerData) process.kill(process.pid, 'SIGKILL');
}, lookEveryMs);
