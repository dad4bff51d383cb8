import { expect, test } from 'vitest';
import { sourceArgument } from './source-argument.ts';

const repository = 'https://github.com/reef/contracts';
const commit = '0123456789abcdef0123456789abcdef01234567';

test('a commit and the folder of the package are read from one argument', () => {
  expect(sourceArgument(`${repository}@${commit}`)).toEqual({ repository, commit });
  expect(sourceArgument(`${repository}@${commit}:packages/p@1`)).toEqual({
    repository,
    commit,
    path: 'packages/p@1',
  });
});

test.each([
  [repository, 'Expected <url>@<commit>'],
  [`${repository}@main`, 'commit: expected the whole id of a commit'],
  [`${repository}@${commit}:../other`, 'path: expected a folder within the repository'],
  [`https://me@github.com/reef/contracts@${commit}`, 'repository: expected the https url'],
])('%s is refused before anything is requested', (text, reason) => {
  expect(() => sourceArgument(text)).toThrow(reason);
});
