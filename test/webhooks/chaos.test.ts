import { expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { useForFile } from '../support/use-for-file.ts';
import { runChaos } from '../support/webhook-chaos/run.ts';
import { openDispatching } from '../support/webhooks.ts';

const world = useForFile(openDispatching);

test('a receiver that answers 2xx has every event it asked for, and gets one again only if a kill lost the answer', async () => {
  const report = await runChaos({
    ...world,
    events: 60,
    subscriptionsCount: 30,
    nextKill: (kills, requests) => eventually(() => expect(requests()).toBeGreaterThan((kills + 1) * 300)),
    killsMax: 4,
    seed: 7,
  });
  expect(report).toMatchObject({
    missing: 0,
    missingAfterChange: 0,
    wrongRows: 0,
    wrongSuccesses: 0,
    unexplained: 0,
  });
  expect(report.repeated).toBe(report.lost);
  expect(report.kills).toBe(4);
  expect(report.failedChanges).toBeGreaterThan(0);
});
