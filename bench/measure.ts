import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';

/** The result of a benchmark, with the limit measured in the same run. */
export interface Result {
  name: string;
  unit: string;
  value: number;
  limit: number;
  /** What was measured as the limit. */
  limitName: string;
  /** `value` to `limit`, or the reverse where less is better. */
  ratio: number;
  /** Goal: the lowest acceptable ratio. */
  aim: number;
  details: Record<string, number | string>;
}

export interface Options {
  /** Share of the full size. */
  scale: number;
}

/** The value in the middle of at least one; of an even number the upper of the two. */
export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;
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
