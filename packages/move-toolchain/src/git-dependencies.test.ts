import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { compilePackage } from './compile.ts';
import { fetchGitPackage } from './git-dependencies.ts';
import { Manifest } from './manifest.ts';
import { readDependencies, readPackage } from './sources.ts';
import { testPackage } from './test-package.ts';

/** A new folder with a repository in it whose package `bottom` uses `base` beside it. Each has one function. */
async function createRepository() {
  const dir = await mkdtemp(join(tmpdir(), 'git-dependencies-'));
  onTestFinished(() => rm(dir, { recursive: true }));
  const write = async (path: string, text: string) => {
    await mkdir(dirname(join(dir, path)), { recursive: true });
    await writeFile(join(dir, path), text);
  };
  const git = (...words: string[]) => {
    const author = ['-c', 'user.name=test', '-c', 'user.email=test@example.org'];
    return execFileSync('git', ['-C', join(dir, 'repository'), ...author, ...words], {
      encoding: 'utf8',
    }).trim();
  };
  const commit = async (value: number) => {
    const toml = (name: string, dependencies = '') =>
      `[package]\nname = "${name}"\nedition = "2024"\n\n[dependencies]\n${dependencies}\n[addresses]\n${name} = "0x0"\n`;
    await write('repository/move/base/Move.toml', toml('base'));
    await write(
      'repository/move/base/sources/base.move',
      `module base::base;\npublic fun value(): u64 { ${value} }\n`,
    );
    await write('repository/move/bottom/Move.toml', toml('bottom', 'base = { local = "../base" }\n'));
    await write(
      'repository/move/bottom/sources/bottom.move',
      'module bottom::bottom;\npublic fun value(): u64 { base::base::value() }\n',
    );
    git('add', '--all');
    git('commit', '--quiet', '--message', `value ${value}`);
    return git('rev-parse', 'HEAD');
  };
  await mkdir(join(dir, 'repository'));
  git('init', '--quiet', '--initial-branch=main');
  const first = await commit(1);
  git('tag', '--annotate', '--message', 'a release', 'v1');
  const url = pathToFileURL(join(dir, 'repository')).href;
  const top = async (rev: string, expected: number) => {
    const source = `{ git = "${url}", subdir = "move/bottom", rev = "${rev}" }`;
    await write(
      'top/Move.toml',
      `[package]\nname = "top"\nedition = "2024"\n\n[dependencies]\nbottom = ${source}\n\n[addresses]\ntop = "0x0"\n`,
    );
    await write(
      'top/sources/top.move',
      `module top::top;\npublic fun value(): u64 { bottom::bottom::value() }\n#[test]\nfun it_is() { assert!(value() == ${expected}) }\n`,
    );
    return join(dir, 'top');
  };
  return { dir, url, git, commit, first, top, write };
}

test('a package whose dependency is in a git repository compiles, and its tests run', async () => {
  const { top, first, commit } = await createRepository();
  await commit(2);
  for (const [rev, expected] of [
    ['v1', 1],
    [first, 1],
    ['main', 2],
  ] as const) {
    const folder = await top(rev, expected);
    const names = (await readDependencies(await readPackage(folder), folder)).map(
      (files) => new Manifest(files).packageName,
    );
    expect(names).toEqual(['base', 'bottom']);
    const published = { base: '0xa', bottom: '0xb' };
    expect((await compilePackage(folder, { published })).modules).toHaveLength(1);
    expect(await testPackage(folder)).toMatchObject({ passed: 1, failed: 0 });
  }
});

test('a commit that was fetched once does not need its repository', async () => {
  const { dir, top, first } = await createRepository();
  await compilePackage(await top(first, 1), { allowUnpublished: true });
  await rename(join(dir, 'repository'), join(dir, 'moved'));
  expect((await compilePackage(await top(first, 1), { allowUnpublished: true })).modules).toHaveLength(1);
});

test.each([
  ['a tag that is absent', 'v9', 'move/bottom', /Cannot fetch .* at v9: the repository has no such tag/],
  ['an option in place of a revision', '--upload-pack=touch', 'move/bottom', /Not a git dependency/],
  ['a folder outside of the repository', 'v1', '../..', /is outside of the repository/],
])('%s is refused with the reason', async (_, rev, subdir, expected) => {
  const { url } = await createRepository();
  await expect(fetchGitPackage({ url, rev, subdir })).rejects.toThrow(expected);
});

test('a repository cannot put its files in the place of the commit of another', async () => {
  const [honest, hostile] = [await createRepository(), await createRepository()];
  const commit = await honest.commit(2);
  hostile.git('fetch', '--quiet', honest.url, 'main');
  hostile.git('tag', 'v2', commit);
  hostile.git('update-ref', 'refs/v2', await hostile.commit(666));
  const source = { rev: 'v2', subdir: 'move/base' };
  await expect(fetchGitPackage({ ...source, url: hostile.url })).rejects.toThrow(
    'the repository gave the commit',
  );
  const folder = await fetchGitPackage({ ...source, url: honest.url, rev: commit });
  expect((await readPackage(folder))['sources/base.move']).not.toContain('666');
});

test('a url cannot run a program', async () => {
  const source = { rev: 'v1', subdir: '' };
  await expect(fetchGitPackage({ ...source, url: 'ext::sh -c true' })).rejects.toThrow(
    /Cannot fetch .*not allowed/,
  );
  await expect(fetchGitPackage({ ...source, url: '--upload-pack=true' })).rejects.toThrow(
    'Not a git dependency',
  );
});

test('a git dependency becomes a local one, in any order of its keys, in a line or a table, and nothing else changes', () => {
  const keys = fc
    .shuffledSubarray(['git', 'rev', 'subdir', 'override'], { minLength: 1 })
    .filter((some) => some.includes('git'));
  fc.assert(
    fc.property(keys, fc.boolean(), fc.constantFrom('"', "'"), (order, isTable, quote) => {
      const values: Record<string, string> = {
        git: 'https://host.example/a.git',
        rev: 'v1',
        subdir: 'move/a',
      };
      const pairs = order.map(
        (key) => `${key} = ${key === 'override' ? 'true' : quote + values[key] + quote}`,
      );
      const own = isTable
        ? `[dependencies.a]\n${pairs.join('\n')}`
        : `[dependencies]\na = { ${pairs.join(', ')} }`;
      const text = `[package]\nname = "top"\n\n${own}\n\n[dependencies.b]\nlocal = "../b"\n\n[addresses]\ntop = "0x0"\n`;
      const manifest = new Manifest({ 'Move.toml': text });
      const {
        git: url,
        rev = 'HEAD',
        subdir = '',
      } = Object.fromEntries(order.map((key) => [key, values[key]!]));
      expect([...manifest.gitDependencies]).toEqual([['a', { url, rev, subdir }]]);
      const next = manifest.withLocal(new Map([['a', '/cache/a']]));
      const changed = new Manifest({ 'Move.toml': next });
      expect(changed.localDependencies.sort()).toEqual(['../b', '/cache/a']);
      expect(changed.gitDependencies.size).toBe(0);
      expect(next.includes('override = true')).toBe(order.includes('override'));
      expect(next).not.toMatch(/\b(rev|subdir)\b/);
      expect(next.startsWith('[package]\nname = "top"\n')).toBe(true);
      expect(next.endsWith('[addresses]\ntop = "0x0"\n')).toBe(true);
    }),
  );
});
