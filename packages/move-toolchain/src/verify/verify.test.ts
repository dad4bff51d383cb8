import { execFileSync } from 'node:child_process';
import { cp, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';
import { compileFramework, compilePackage } from '../compile.ts';
import { linkPackage } from '../link.ts';
import { moveToml, scratchPackages } from '../scratch-packages.ts';
import { buildSource } from './build.ts';
import { hashSource } from './hash.ts';
import { readSourceFolder } from './read-folder.ts';
import { prepareSource } from './source.ts';
import { verifySource } from './verify.ts';

const nest = `module nest::nest;
public struct Nest has key, store { id: UID, eggs: u64 }
public fun make(ctx: &mut TxContext): Nest { Nest { id: object::new(ctx), eggs: 0 } }
public fun add(nest: &mut Nest, eggs: u64) { assert!(eggs > 0); nest.eggs = nest.eggs + eggs; }
`;
const egg = `module egg::egg;
use nest::nest::{Self, Nest};
public fun lay(nest: &mut Nest) { nest.add(1); }
public fun lay_many(nest: &mut Nest, eggs: u64) { nest.add(eggs); nest::add(nest, eggs + 1); }
`;
const packages = (text: string) => ({
  nest: { 'Move.toml': moveToml('nest'), 'sources/nest.move': nest },
  egg: { 'Move.toml': moveToml('egg', ['nest']), 'sources/egg.move': text },
});
const nestId = `0x${'a1'.repeat(32)}`;

/** Verifies the text of `egg` against the bytecode of what is on chain. */
async function verify(text: string, bounds?: Parameters<typeof verifySource>[2]) {
  await using chain = await scratchPackages(packages(egg));
  const { modules } = await compilePackage(`${chain.dir}/egg`, {
    published: { nest: nestId },
    uncached: true,
  });
  await using offered = await scratchPackages(packages(text));
  const { files, folder } = await readSourceFolder(`${offered.dir}/egg`);
  return verifySource(modules, prepareSource(files, folder), bounds);
}

describe('source', () => {
  test('that was published is exact, linked to the package on chain that its dependency stands for', async () => {
    expect(await verify(egg)).toMatchObject({
      verdict: 'exact',
      compiler: '1.71.1',
      sourceHash: expect.stringMatching(/^[0-9a-f]{64}$/),
      dependencies: { nest: nestId },
      comparison: { missing: [], extra: [] },
    });
  });

  test('with one other token differs, and the verdict names the function and the instruction', async () => {
    const { verdict, comparison } = await verify(egg.replace('eggs + 1', 'eggs + 2'));
    expect(verdict).toBe('differs');
    expect(comparison!.modules[0]!.differences).toEqual([
      {
        declaration: 'function lay_many',
        onChain: expect.stringMatching(/^instruction \d+, LdU64 1$/),
        built: expect.stringMatching(/^instruction \d+, LdU64 2$/),
      },
    ]);
  });

  test.each(['1.58.3', '1.26.2'] as const)(
    'that was published by the compiler of Sui %s is exact, and differs with one other token',
    async (version) => {
      const beta = (files: Record<string, string>) => ({
        ...files,
        'Move.toml': files['Move.toml']!.replace('2024', '2024.beta'),
      });
      // Sui 1.26 has modules in braces only.
      const braces = (text: string) => `${text.replace(';', ' {')}}\n`;
      const files = (text: string) => ({
        nest: beta({ 'Move.toml': moveToml('nest'), 'sources/nest.move': braces(nest) }),
        egg: beta({ 'Move.toml': moveToml('egg', ['nest']), 'sources/egg.move': braces(text) }),
      });
      const prepare = async (text: string) => {
        await using offered = await scratchPackages(files(text));
        const read = await readSourceFolder(`${offered.dir}/egg`);
        return prepareSource(read.files, read.folder);
      };
      const anyModule = [...(await compileFramework()).stdlib.values()][0]!;
      const build = await buildSource(await prepare(egg), version, [anyModule]);
      if ('reason' in build) throw new Error(build.reason);
      const placeholder = build.dependencies[0]!.placeholder;
      const { modules } = linkPackage(
        { modules: build.modules, dependencies: [], digest: '' },
        new Map([[placeholder, nestId]]),
      );
      expect(modules[0]![4]).toBe(6);
      expect(await verifySource(modules, await prepare(egg))).toMatchObject({ verdict: 'exact' });
      const other = await verifySource(modules, await prepare(egg.replace('eggs + 1', 'eggs + 2')));
      expect(other.verdict).toBe('differs');
      expect(other.comparison!.modules[0]!.differences).toMatchObject([{ declaration: 'function lay_many' }]);
    },
  );

  test('whose dependency is in a git repository is exact, with the hash of the manifest as it is written', async () => {
    await using folders = await scratchPackages(packages(egg));
    const { dir } = folders;
    const repository = join(dir, 'repository');
    await mkdir(repository);
    await cp(join(dir, 'nest'), join(repository, 'move/nest'), { recursive: true });
    const git = (...words: string[]) =>
      execFileSync('git', [
        '-C',
        repository,
        '-c',
        'user.name=test',
        '-c',
        'user.email=test@example.org',
        ...words,
      ]);
    git('init', '--quiet', '--initial-branch=main');
    git('add', '--all');
    git('commit', '--quiet', '--message', 'nest');
    const { modules } = await compilePackage(join(dir, 'egg'), {
      published: { nest: nestId },
      uncached: true,
    });
    const source = `{ git = "${pathToFileURL(repository).href}", subdir = "move/nest", rev = "main" }`;
    const manifest = moveToml('egg', ['nest']).replace('{ local = "../nest" }', source);
    await writeFile(join(dir, 'egg/Move.toml'), manifest);
    const { files, folder, gitFolders } = await readSourceFolder(join(dir, 'egg'));
    expect(await verifySource(modules, prepareSource(files, folder, gitFolders))).toMatchObject({
      verdict: 'exact',
      sourceHash: hashSource(
        new Map([
          ['Move.toml', Buffer.from(manifest)],
          ['sources/egg.move', Buffer.from(egg)],
        ]),
      ),
    });
    await writeFile(join(dir, 'egg/Move.toml'), manifest.replace('"main"', '"other"'));
    await expect(readSourceFolder(join(dir, 'egg'))).rejects.toThrow('no such tag and no such branch');
  });

  test('with another module, or one less, differs', async () => {
    const { verdict, comparison } = await verify(egg.replaceAll('egg::egg', 'egg::other'));
    expect(verdict).toBe('differs');
    expect(comparison).toMatchObject({ missing: ['egg'], extra: ['other'], modules: [] });
  });

  test('that does not compile is not built, with the diagnostics', async () => {
    const { verdict, reason } = await verify(egg.replace('eggs + 1', 'missing'));
    expect(verdict).toBe('not_built');
    expect(reason).toMatch(/sources\/egg\.move:4[\s\S]*Unbound variable 'missing'/);
  });

  test('that takes more time or memory than the bounds is not built', async () => {
    const macros = Array.from(
      { length: 24 },
      (_, at) => `macro fun m${at + 1}(): u64 { m${at}!() + m${at}!() }`,
    );
    const endless = `module egg::egg;\nmacro fun m0(): u64 { 1 }\n${macros.join('\n')}\npublic fun f(): u64 { m24!() }\n`;
    const reason = 'The build took more than 3 s of processor time or 512 MB of memory.';
    expect(await verify(endless, { processorMs: 3_000, memoryMb: 512 })).toMatchObject({
      verdict: 'not_built',
      reason,
    });
  });
});
