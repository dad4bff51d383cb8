import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { compilePackage } from './compile.ts';
import { compileTogether } from './compile-together.ts';
import { moveToml, scratchPackages } from './scratch-packages.ts';

// Unlike any sources before, or what is compared would be what an earlier run left in the cache.
const source = (name: string, uses: string) =>
  `// ${randomUUID()}\nmodule ${name}::m;\npublic fun f(): vector<u8> { vector[${name.length}, ${uses}] }`;

/** `top` uses `middle`, which uses `bottom`; each has a module `m`. */
const packages = {
  bottom: { 'Move.toml': moveToml('bottom'), 'sources/m.move': source('bottom', '1') },
  middle: {
    'Move.toml': moveToml('middle', ['bottom']),
    'sources/m.move': source('middle', 'bottom::m::f()[0]'),
  },
  staker: {
    'Move.toml': moveToml('staker'),
    'sources/m.move': source('staker', 'sui_system::voting_power::total_voting_power() as u8'),
  },
  top: { 'Move.toml': moveToml('top', ['middle']), 'sources/m.move': source('top', 'middle::m::f()[0]') },
};

test('packages compiled together are byte for byte what each of them is alone', async () => {
  await using scratch = await scratchPackages(packages);
  const dirs = Object.keys(packages).map((name) => join(scratch.dir, name));
  const options = { allowUnpublished: true };
  const alone = await Promise.all(dirs.map((dir) => compilePackage(dir, { ...options, uncached: true })));
  await compileTogether(dirs);
  expect(await Promise.all(dirs.map((dir) => compilePackage(dir, options)))).toEqual(alone);
});

test('an address written out beside the name for it is one constant, as in a package alone', async () => {
  const both = (name: string) =>
    `${source(name, '1')}\npublic fun same(): (address, address, vector<u8>) { (@${name}, @0x0, b"after") }`;
  await using scratch = await scratchPackages({
    one: { 'Move.toml': moveToml('one'), 'sources/m.move': both('one') },
    two: { 'Move.toml': moveToml('two'), 'sources/m.move': both('two') },
  });
  const dirs = ['one', 'two'].map((name) => join(scratch.dir, name));
  const alone = await Promise.all(dirs.map((dir) => compilePackage(dir, { uncached: true })));
  await compileTogether(dirs);
  expect(await Promise.all(dirs.map((dir) => compilePackage(dir)))).toEqual(alone);
});
