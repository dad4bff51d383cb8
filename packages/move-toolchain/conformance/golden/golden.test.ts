import { execFileSync } from 'node:child_process';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { compilePackage } from '../../src/compile.ts';
import { moveToml, scratchPackages } from '../../src/scratch-packages.ts';
import { findDeployed } from './deployed.ts';
import type { Entry } from './entry.ts';
import { explain, judge, writeLine } from './judge.ts';

const id = `0x${'c3'.repeat(32)}`;
const text = (eggs: number) => `module nest::nest;\npublic fun count(): u64 { ${eggs} }\n`;

test('the source of a commit is compared with the package that was published from it, by the manifest of then', async () => {
  await using scratch = await scratchPackages({
    nest: { 'Move.toml': moveToml('nest'), 'sources/nest.move': text(1) },
  });
  const { dir } = scratch;
  const published = await compilePackage(join(dir, 'nest'));
  const folder = join(dir, 'bytecode', id.slice(0, 4), id.slice(4), 'bytecode_modules');
  await mkdir(folder, { recursive: true });
  for (const [at, module] of published.modules.entries()) await writeFile(join(folder, `${at}.mv`), module);

  const repository = join(dir, 'repositories/reef/contracts.git');
  const git = (...words: string[]) =>
    execFileSync('git', ['-C', dir, '-c', 'user.name=test', '-c', 'user.email=test@example.org', ...words], {
      encoding: 'utf8',
    }).trim();
  git('init', '--quiet', '--initial-branch=main');
  // Publishers keep a manifest for each network, and one of them is in use.
  await rename(join(dir, 'nest/Move.toml'), join(dir, 'nest/Move.mainnet.toml'));
  await writeFile(join(dir, 'nest/Move.toml'), 'broken');
  git('add', 'nest');
  git('commit', '--quiet', '--message', 'one');
  const commit = git('rev-parse', 'HEAD');
  await writeFile(join(dir, 'nest/sources/nest.move'), text(2));
  git('commit', '--quiet', '--all', '--message', 'two');
  const later = git('rev-parse', 'HEAD');
  git('clone', '--quiet', '--bare', dir, repository);

  const entry: Entry = {
    name: 'nest',
    repository: 'reef/contracts',
    commit,
    folder: 'nest',
    package: id,
    manifest: 'Move.mainnet.toml',
  };
  const deployed = await findDeployed(join(dir, 'bytecode'));
  const judgement = await judge(entry, join(dir, 'repositories'), deployed);
  expect(writeLine(entry, judgement)).toBe(
    `| nest | exact | 1.71.1 | reef/contracts ${commit.slice(0, 10)} nest | ${id} | ${judgement.sourceHash!.slice(0, 16)} |`,
  );
  const changed = await judge({ ...entry, commit: later }, join(dir, 'repositories'), deployed);
  expect(changed.verdict).toBe('differs');
  expect(explain(changed)).toEqual([expect.stringMatching(/^nest, function count: .*LdU64 1 \/ .*LdU64 2$/)]);
  const { manifest: _, ...other } = entry;
  expect(await judge(other, join(dir, 'repositories'), deployed)).toMatchObject({ verdict: 'not_built' });
});
