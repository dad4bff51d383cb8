import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ListingState } from '../components/since.ts';
import { describeChanges, parseVisits, type Visit } from './since.ts';

const first: ListingState = { version: 1, quarantined: false, deprecated: false, warned: false };

test.each<[Partial<ListingState>, Partial<ListingState>, string[]]>([
  [{}, { version: 3 }, ['It went from version 1 to version 3.']],
  [{}, { version: null }, ['The catalog no longer shows it.']],
  [{}, { version: null, quarantined: true }, ['The operator put it in quarantine.']],
  [{ version: null, quarantined: true }, {}, ['It is no longer in quarantine.']],
  [{ version: null }, {}, ['The catalog shows it, at version 1.']],
  [
    {},
    { version: 2, warned: true, deprecated: true },
    [
      'It went from version 1 to version 2.',
      'There is a warning about its code.',
      'Its publisher has deprecated it.',
    ],
  ],
])('%j, then %j is %j', (before, now, sentences) => {
  expect(describeChanges({ ...first, ...before }, { ...first, ...now })).toEqual(sentences);
});

const state = fc.record({
  version: fc.option(fc.integer({ min: 1, max: 3 })),
  quarantined: fc.boolean(),
  deprecated: fc.boolean(),
  warned: fc.boolean(),
});

test('a listing that stayed as it was has no changes, and a new version or quarantine always is one', () => {
  fc.assert(
    fc.property(state, state, (before, now) => {
      expect(describeChanges(before, before)).toEqual([]);
      const words = describeChanges(before, now).join(' ');
      if (now.version !== null && before.version !== null && now.version !== before.version)
        expect(words).toContain(`version ${now.version}`);
      if (now.quarantined && !before.quarantined) expect(words).toContain('quarantine');
    }),
  );
});

test('stored visits are read back, and anything else that a browser stores is left out', () => {
  // A page leaves out flags that are false.
  const visit: fc.Arbitrary<Visit> = fc.record(
    {
      version: fc.option(fc.nat()),
      quarantined: fc.boolean(),
      deprecated: fc.boolean(),
      warned: fc.boolean(),
      atMs: fc.nat(),
    },
    { requiredKeys: ['version', 'atMs'] },
  );
  const key = fc.string().map((text) => `testnet ${text}`);
  fc.assert(
    fc.property(fc.dictionary(key, visit), fc.jsonValue(), (visits, other) => {
      const stored: unknown = JSON.parse(JSON.stringify({ ...visits, other }));
      expect([...parseVisits(stored)]).toEqual(Object.entries(visits));
      for (const { atMs } of parseVisits(other).values()) expect(new Date(atMs).toISOString()).toBeTruthy();
    }),
  );
  expect(
    parseVisits({ a: { version: 1, quarantined: false, deprecated: false, warned: false, atMs: 9e15 } }),
  ).toEqual(new Map());
});
