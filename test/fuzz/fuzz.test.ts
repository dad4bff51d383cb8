import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDemoDir } from '../support/demo-dir.ts';
import { playCampaign } from './campaign.ts';
import { openDoors } from './doors.ts';
import { type OwnService, startOwnService } from './own-service.ts';

const closing = new AsyncDisposableStack();
let service: OwnService;
beforeAll(async () => {
  service = await startOwnService(closing, await createDemoDir());
});
afterAll(() => closing.disposeAsync());

/** Two batches of each door. `npm run fuzz` goes on for longer. */
const batchesPerDoor = 2;
const batchSizeMax = 40;

test('no request through any door fails the service, leaks what it knows, or holds what it took', async () => {
  const doors = await openDoors(service.host);
  const { found, counts } = await playCampaign(doors, {
    seed: 20_261_127,
    batchSizeMax,
    goesOn: ({ batches }) => batches < batchesPerDoor * doors.length,
    print: () => undefined,
  });
  expect(found).toEqual([]);
  expect(await service.listFaults()).toEqual([]);
  expect([...counts.values()].every(({ inputs }) => inputs >= batchesPerDoor * batchSizeMax)).toBe(true);
});
