import { afterEach, expect, test, vi } from 'vitest';
import { readOpened } from './session.ts';

afterEach(() => void vi.useRealTimers());

const minute = 60_000;
const hostMs = Date.UTC(2026, 0, 31, 12);

test.each([
  ['right', 0],
  ['an hour ahead', 60 * minute],
  ['an hour behind', -60 * minute],
])('a session lasts its 30 minutes in a browser whose clock is %s', async (_, aheadMs) => {
  vi.useFakeTimers({ now: hostMs + aheadMs });
  const answer = Response.json(
    { kind: 'key', integrator: 'shop', expiresMs: hostMs + 30 * minute },
    { headers: { date: new Date(hostMs).toUTCString() } },
  );
  expect(await readOpened(answer)).toEqual({
    kind: 'key',
    integrator: 'shop',
    expiresMs: hostMs + aheadMs + 30 * minute,
  });
});
