import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { compilePackage } from '../compile.ts';
import { moveToml, scratchPackages } from '../scratch-packages.ts';
import { placeholderId } from '../sources.ts';
import { buildSource } from './build.ts';
import { isFreeOfAddresses } from './check-addresses.ts';
import { findKeptBuild } from './kept-build.ts';
import { readSourceFolder } from './read-folder.ts';
import { prepareSource } from './source.ts';

const nest = {
  'Move.toml': moveToml('nest'),
  'sources/nest.move': 'module nest::nest;\npublic fun f(): u64 { 1 }\n',
};

/** Source of a package that nothing before can have compiled, and that uses another. */
const writeEgg = (more = '') =>
  `// ${randomUUID()}\nmodule egg::egg;\npublic fun g(): u64 { nest::nest::f() }\n${more}`;

async function prepare(text: string, { compiled }: { compiled: boolean }) {
  await using folders = await scratchPackages({
    nest,
    egg: { 'Move.toml': moveToml('egg', ['nest']), 'sources/egg.move': text },
  });
  const dir = `${folders.dir}/egg`;
  if (compiled) await compilePackage(dir, { published: { nest: '0xb7' } });
  const { files, folder } = await readSourceFolder(dir);
  const source = prepareSource(new Map([...files].reverse()), folder);
  return { ...source, isFree: isFreeOfAddresses(source.packages.values()) };
}

test('source that was compiled here, with numbers of any size, is not built again, and has the output of a build', async () => {
  const source = await prepare(writeEgg(`// ${2n ** 256n - 1n}\n`), { compiled: true });
  const kept = await findKeptBuild(source);
  expect(kept?.modules).toHaveLength(1);
  expect(kept).toEqual(await buildSource(source, '1.71.1', []));
});

test('source that was compiled nowhere, or has an address, is built', async () => {
  expect(await findKeptBuild(await prepare(writeEgg(), { compiled: false }))).toBeUndefined();
  const madeUp = placeholderId('nest');
  for (const more of [
    'public fun home(): address { @egg }\n',
    `// ${madeUp.replace('0x', '0x0_0').toUpperCase().replace('X', 'x')}\n`,
    `// 00${BigInt(madeUp)}\n`,
  ]) {
    expect(await findKeptBuild(await prepare(writeEgg(more), { compiled: true }))).toBeUndefined();
  }
});
