import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';

/** The result of a benchmark, with the limit measured in the same run. */
export interface Result {
  name: string;
  unit: string;
  value: number;
  limit: number;
  /** Description of the limit. */
  limitName: string;
  /** `value` divided by `limit`, or the reverse if less is better. */
  ratio: number;
  /** Goal: the lowest acceptable ratio. */
  aim: number;
  details: Record<string, number | string>;
}

export interface Options {
  /** Share of the full size. */
  scale: number;
  /** Round trip to the node, in milliseconds, for benchmarks that talk to one. */
  delay: number;
}

/** The median of at least one value; for an even number of values, the upper of the two in the middle. */
export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;
}

/** Resources that a process used since it began, and delays of its event loop since the last request of the parent. */
export interface Usage {
  cpuMicros: number;
  rssBytes: number;
  loop: {
    /** Wall-clock delay, in milliseconds. With few cores, other processes increase it too. */
    p99Ms: number;
    maxMs: number;
    /**
     * Highest processor time of the main thread between two turns, in milliseconds. Other processes do not increase it.
     */
    busyMaxMs: number;
    /** Turns with more than 10 ms of processor time. */
    busyTurns: number;
  };
}

/**
 * Answers each message `usage` of the parent process with the usage of this process. After a message with `busyMs`, a loop
 * holds the event loop for that time, as a control of what is measured.
 */
export function answerUsage(): void {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  let [busyMaxMs, busyTurns] = [0, 0];
  const cpuMs = () => {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1_000;
  };
  let before = cpuMs();
  setInterval(() => {
    const now = cpuMs();
    busyMaxMs = Math.max(busyMaxMs, now - before);
    if (now - before > 10) busyTurns++;
    before = now;
  }, 1).unref();
  process.on('message', (message: 'usage' | { busyMs: number }) => {
    if (message !== 'usage') {
      for (const end = cpuMs() + message.busyMs; cpuMs() < end; );
      return;
    }
    const { user, system } = process.cpuUsage();
    const loop = { p99Ms: delay.percentile(99) / 1e6, maxMs: delay.max / 1e6, busyMaxMs, busyTurns };
    const usage: Usage = { cpuMicros: user + system, rssBytes: process.memoryUsage.rss(), loop };
    process.send?.(usage);
    delay.reset();
    [busyMaxMs, busyTurns] = [0, 0];
  });
}

/** Usage of a process that runs `answerUsage`. */
export async function fetchUsage(child: ChildProcess): Promise<Usage> {
  const answered = once(child, 'message');
  child.send('usage');
  return (await answered)[0] as Usage;
}

/** Answers every message of the parent process with the processor time of this process in microseconds. */
export function answerCpuTime(): void {
  process.on('message', () => {
    const { user, system } = process.cpuUsage();
    process.send?.({ cpuMicros: user + system });
  });
}

/** Processor time of a process that runs `answerCpuTime`, in seconds. */
export async function cpuSeconds(child: ChildProcess): Promise<number> {
  const answered = once(child, 'message');
  child.send('cpu');
  const [{ cpuMicros }] = (await answered) as [{ cpuMicros: number }];
  return cpuMicros / 1e6;
}

/** The value below which a share of the values lies. There must be at least one. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!;
}

/**
 * Starts a process of a benchmark, and returns it with its first message. The stack ends the process, which must exit
 * when it is disconnected.
 * @param file absolute, or below this folder
 * @throws Error if it ends before its first message
 */
export async function startChild(
  file: string,
  args: readonly (string | number)[],
  stack: AsyncDisposableStack,
) {
  // The image sets `NODE_ENV` too. Without it, the library under PostGraphile checks more.
  const env = { ...process.env, NODE_ENV: 'production' };
  const child = fork(resolve(import.meta.dirname, file), args.map(String), { env });
  stack.defer(async () => {
    const exited = once(child, 'exit');
    child.disconnect();
    await exited;
  });
  const ended = once(child, 'exit').then(() => {
    throw new Error(`${file} ended before it was ready`);
  });
  const [said] = await Promise.race([once(child, 'message'), ended]);
  return { process: child, said };
}
