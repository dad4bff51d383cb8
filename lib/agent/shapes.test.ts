import { expect, test } from 'vitest';
import { planRequest } from './shapes.ts';

test.each([
  [253_402_300_799_999, true],
  [253_402_300_800_000, false],
  [4_503_599_627_370_496, false],
])(
  'a plan may end at %i: %s, since the database does not store what is after the year 9999',
  (endsMs, accepted) => {
    const request = { owner: `0x${'1'.repeat(64)}`, plan: 'pro', endsMs };
    expect(planRequest.safeParse(request).success).toBe(accepted);
  },
);
