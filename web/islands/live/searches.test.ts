import { expect, test } from 'vitest';
import { orderSearches } from './searches.ts';

test('a refresh of the last search does not replace the results of a newer one', async () => {
  const searches = orderSearches();
  const answer = Promise.withResolvers<void>();
  let shown = '';
  const read = (results: string, answered: Promise<void>) => async (signal: AbortSignal) => {
    await answered;
    if (!signal.aborted) shown = results;
  };
  const refreshed = searches.refresh(read('old', answer.promise));
  await searches.search(read('new', Promise.resolve()));
  answer.resolve();
  await refreshed;
  expect(shown).toBe('new');
});

test('a refresh waits for the search that runs, also for one that fails', async () => {
  const searches = orderSearches();
  const answer = Promise.withResolvers<void>();
  const order: string[] = [];
  const searched = searches.search(async () => {
    await answer.promise;
    order.push('search');
    throw new Error('The site does not answer.');
  });
  const refreshed = searches.refresh(async ({ aborted }) => order.push(`refresh ${aborted}`));
  answer.resolve();
  await expect(searched).rejects.toThrow('does not answer');
  await refreshed;
  expect(order).toEqual(['search', 'refresh false']);
});
