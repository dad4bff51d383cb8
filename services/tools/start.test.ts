import { expect, test } from 'vitest';
import { rejectLate } from './start.ts';

test('work that takes longer than its time times out, also if it fails later', async () => {
  const late = new AbortController();
  const work = Promise.withResolvers<string>();
  const answer = rejectLate(work.promise, late.signal);
  late.abort();
  await expect(answer).rejects.toMatchObject({ status: 504, code: 'node_timeout' });
  work.reject(new Error('later'));
  await expect(answer).rejects.toMatchObject({ code: 'node_timeout' });
});

test('work that ends in time is answered, or refused by its own words', async () => {
  const { signal } = new AbortController();
  await expect(rejectLate(Promise.resolve('drafted'), signal)).resolves.toBe('drafted');
  await expect(rejectLate(Promise.reject(new Error('no')), signal)).rejects.toThrow('no');
});
