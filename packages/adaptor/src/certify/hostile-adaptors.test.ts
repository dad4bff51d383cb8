import { beforeAll, describe, expect, test } from 'vitest';
import { hostileAdaptors } from './testing/hostile/list.ts';
import { HostileSuite } from './testing/hostile/suite.ts';

let suite: HostileSuite;

beforeAll(async () => {
  suite = await HostileSuite.compile();
});

describe('A certificate shows the plant down to the instruction, and no plant in the twin', () => {
  test.each(hostileAdaptors.map((adaptor) => [adaptor.name, adaptor] as const))('%s', (_, adaptor) => {
    expect(suite.judge(adaptor)).toEqual([]);
  });

  test('in 200 different programs', () => {
    const sources = hostileAdaptors.map((adaptor) => JSON.stringify(adaptor.write('same', 'hostile')));
    expect(new Set(sources).size).toBeGreaterThanOrEqual(200);
  });
});
