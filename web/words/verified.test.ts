import { expect, test } from 'vitest';
import { describeVerification } from './verified.ts';

test.each([
  ['the same hash', { shown: 'a', computed: 'a', current: 'a' }, 'good', 'the same hash'],
  ['another hash', { shown: 'a', computed: 'b', current: 'a' }, 'danger', 'another hash: b. Do not trust'],
  ['a hash that is wrong everywhere', { shown: 'a', computed: 'b', current: 'c' }, 'danger', 'Do not trust'],
  ['an update since the page was made', { shown: 'a', computed: 'b', current: 'b' }, 'caution', 'Reload it'],
])('%s', (_, hashes, state, words) => {
  const [said, mark] = describeVerification(hashes);
  expect(mark).toBe(state);
  expect(said).toContain(words);
});
