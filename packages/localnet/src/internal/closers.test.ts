import { expect, test } from 'vitest';
import { Closers } from './closers.ts';

test('what was opened last is closed first, and a failure keeps nothing open', async () => {
  const closed: string[] = [];
  const closers = new Closers();
  closers.defer(() => closed.push('first'));
  closers.defer(() => Promise.reject(new Error('stuck')));
  closers.defer(async () => closed.push('last'));
  await expect(closers.close()).rejects.toThrow('stuck');
  expect(closed).toEqual(['last', 'first']);
  await closers.close();
  expect(closed).toHaveLength(2);
});
