import fc from 'fast-check';
import { expect, test } from 'vitest';
import { findCommit, manifestSource } from './source.ts';

const commit = '0123456789abcdef0123456789abcdef01234567';
const repository = 'https://github.com/reef/contracts';
const isValid = (source: object) => manifestSource.safeParse(source).success;

test.each([
  [{ repository, commit }],
  [{ repository, commit, path: 'packages/pool' }],
  [{ repository: `${repository}.git`, commit, path: 'move/pool_v1.2' }],
  [{ repository: 'https://git.reef.example/a/b/c/', commit, path: 'pool/x@1' }],
])('%j names source', (source) => {
  expect(isValid(source)).toBe(true);
});

test.each([
  ['http://github.com/reef/contracts'],
  ['git@github.com:reef/contracts'],
  ['ssh://git@github.com/reef/contracts'],
  ['file:///etc/passwd'],
  ['https://me:secret@github.com/reef/contracts'],
  ['https://github.com@evil.example/reef/contracts'],
  ['https://github.com:8443/reef/contracts'],
  ['https://github.com/reef/contracts?token=1'],
  ['https://github.com/reef/contracts#main'],
  ['https://github.com/reef/../contracts'],
  ['https://github.com/reef/%2e%2e/contracts'],
  ['https://github.com\\reef\\contracts'],
  ['https://github.com/reef/contr\u0000acts'],
  ['https://github.com/reef/contr\nacts'],
  ['https://github.com'],
  ['https://127.0.0.1/reef/contracts'],
  ['https://[::1]/reef/contracts'],
  ['https://localhost/reef/contracts'],
  [`https://github.com/reef/${'x'.repeat(512)}`],
])('%j is not the address of a repository', (hostile) => {
  expect(isValid({ repository: hostile, commit })).toBe(false);
});

test.each([['main'], ['v1.0.0'], [commit.slice(1)], [commit.toUpperCase()], [`${commit}0`], [`${commit}\n`]])(
  '%j is not a commit',
  (hostile) => {
    expect(isValid({ repository, commit: hostile })).toBe(false);
  },
);

test.each([
  [''],
  ['/'],
  ['/etc'],
  ['..'],
  ['.'],
  ['a/../b'],
  ['a/..'],
  ['a/./b'],
  ['a//b'],
  ['a/'],
  ['C:/a'],
  ['a\\b'],
  ['a\u0000'],
  ['a\n'],
  ['a?b'],
  ['a#b'],
  ['a%2e'],
  ['\u202Ea'],
  ['a/'.repeat(16).concat('a')],
  ['a'.repeat(256)],
])('%j is not a folder', (path) => {
  expect(isValid({ repository, commit, path })).toBe(false);
});

test('a commit of GitHub and of GitLab has an archive and a page', () => {
  expect(findCommit({ repository: `${repository}.git`, commit, path: 'a/b' })).toEqual({
    archive: `https://codeload.github.com/reef/contracts/tar.gz/${commit}`,
    page: `https://github.com/reef/contracts/tree/${commit}/a/b`,
  });
  expect(findCommit({ repository: 'https://gitlab.com/reef/move/pool/', commit })).toEqual({
    archive: `https://gitlab.com/reef/move/pool/-/archive/${commit}/pool-${commit}.tar.gz`,
    page: `https://gitlab.com/reef/move/pool/-/tree/${commit}`,
  });
});

test.each([
  ['https://github.com/reef'],
  ['https://github.com/reef/contracts/tree'],
  ['https://gitlab.com/reef'],
  ['https://gitlab.com/reef/pool/-/tree'],
  ['https://github.com.evil.example/reef/contracts'],
  ['https://git.reef.example/reef/contracts'],
])('nothing is fetched from %s', (other) => {
  expect(isValid({ repository: other, commit })).toBe(true);
  expect(findCommit({ repository: other, commit })).toBeUndefined();
});

test('whatever a valid source has in it, its addresses stay on the host and below the repository', () => {
  const part = fc.stringMatching(/^[\w.~@+-]{1,8}$/);
  const parts = (size: number) =>
    fc.array(part, { minLength: 1, maxLength: size }).map((all) => all.join('/'));
  const sources = fc
    .record(
      {
        repository: fc
          .tuple(fc.constantFrom('github.com', 'gitlab.com'), parts(3))
          .map((all) => `https://${all.join('/')}`),
        commit: fc.constant(commit),
        path: parts(3),
      },
      { requiredKeys: ['repository', 'commit'] },
    )
    .filter((source) => isValid(source));
  fc.assert(
    fc.property(sources, (source) => {
      const found = findCommit(source);
      if (!found) return;
      const { hostname, pathname } = new URL(source.repository);
      for (const url of [found.archive, found.page]) {
        expect(new URL(url).href).toBe(url);
        expect(['codeload.github.com', hostname]).toContain(new URL(url).hostname);
        expect(new URL(url).pathname.startsWith(`${pathname.replace(/(?:\.git)?\/?$/, '')}/`)).toBe(true);
      }
    }),
  );
});
