import { expect, onTestFinished, test } from 'vitest';
import { createDemoDir } from '../support/demo-dir.ts';
import { simulate } from './simulate.ts';

/** Start, failovers, and the longest time until nothing differs, on a busy machine: the differences are then shown. */
const timeLimitMs = 900_000;

test(
  'a failover of a synchronous cluster loses and doubles nothing that the chain has, and no client gets a wrong answer',
  async () => {
    const data = await createDemoDir();
    onTestFinished(() => data.remove());
    const lines: string[] = [];
    const report = await simulate({
      seed: 1,
      minutes: 0,
      faults: [],
      failovers: 2,
      replication: 'synchronous',
      actors: 3,
      settleSeconds: 240,
      networkDir: data.dir,
      print: (line) => lines.push(line),
    });
    // The times depend on the machine.
    console.log(report.failovers);
    expect(report.differences, lines.join('\n')).toEqual([]);
    expect(report.failovers).toHaveLength(2);
    expect(report.runs.done).toBeGreaterThan(0);
    expect(report.deliveries.events).toBeGreaterThan(0);
    expect(report.answers.answered).toBeGreaterThan(0);
  },
  timeLimitMs,
);
