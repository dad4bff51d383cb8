import { expect, test } from 'vitest';
import { render } from './html.ts';
import { peopleStat } from './marks.ts';

const read = (all: number, fresh: number) => render(peopleStat('Hirers', all, fresh)).replace(/<.*?>/g, '');

test('a number of people does not run into the number of new ones', () => {
  expect(read(1, 1)).toBe('Hirers1 (1 new)');
  expect(read(1_200, 1_100)).toBe('Hirers1,200 (1,100 new)');
  expect(read(5, 0)).toBe('Hirers5');
});
