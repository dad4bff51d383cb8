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

/** A few batches of each door. `npm run fuzz` goes on for as long as it is told. */
const requestsMin = 1_600;

test('no request through any door fails the service, leaks what it knows, or holds what it took', async () => {
  const { found, counts } = await playCampaign(await openDoors(service.host), {
    seed: 20_261_127,
    goesOn: (inputs) => inputs < requestsMin,
    print: () => undefined,
  });
  expect(found).toEqual([]);
  expect(await service.listFaults()).toEqual([]);
  expect([...counts.values()].every(({ inputs }) => inputs > 0)).toBe(true);
});
