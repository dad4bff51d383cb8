import { expect, onTestFinished, test } from 'vitest';
import { createDemoDir } from '../support/demo-dir.ts';
import { simulate } from './simulate.ts';

/** Start, the minute, and the longest time until nothing differs, on a busy machine: the differences are then shown. */
const timeLimitMs = 600_000;

test(
  'what remains of a marketplace that was used and broken for a minute is what the chain says',
  async () => {
    const data = await createDemoDir();
    onTestFinished(() => data.remove());
    const lines: string[] = [];
    const report = await simulate({
      seed: 1,
      minutes: 1,
      actors: 6,
      settleSeconds: 240,
      networkDir: data.dir,
      print: (line) => lines.push(line),
    });
    expect(report.differences, lines.join('\n')).toEqual([]);
    const done = Object.values(report.acts).reduce((sum, counts) => sum + counts.done, 0);
    expect(done).toBeGreaterThan(0);
    expect(Object.values(report.faults).reduce((sum, count) => sum + count, 0)).toBeGreaterThan(0);
    expect(report.subscriptions.added).toBeGreaterThan(report.subscriptions.uncertain);
    expect(report.credentials.withdrawn).toBeGreaterThan(0);
    expect(report.runs.actions.length).toBeGreaterThan(1);
    expect(report.deliveries.events).toBeGreaterThan(0);
  },
  timeLimitMs,
);
