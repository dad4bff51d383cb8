import { compileSources } from '@adaptor-marketplace/move-toolchain';
import { deserialize, serialize } from '@mysten/move-bytecode-template';
import { beforeAll, expect, test } from 'vitest';
import type { ModuleJson } from '../module.ts';
import { comparePackages } from './package.ts';

const toml = '[package]\nname = "nest"\nedition = "2024"\n[addresses]\nnest = "0x0"\n';
const eggs = 'module nest::eggs;\npublic fun count(): u64 { 3 }\n';
const nest =
  'module nest::nest;\npublic fun twice(): u64 { let eggs = nest::eggs::count(); assert!(eggs > 2); eggs * 2 }\n';
const id = 'ab'.repeat(32);

const compile = async (files: Record<string, string>) =>
  (await compileSources({ 'Move.toml': toml, ...files })).modules;
const source = { 'sources/eggs.move': eggs, 'sources/nest.move': nest };

let built: Uint8Array[];
/** The same modules at the id of the package's first version, which a later version keeps as its own address. */
let onChain: Uint8Array[];

beforeAll(async () => {
  built = await compile(source);
  onChain = built.map((bytes) => {
    const module: ModuleJson = deserialize(bytes);
    module.address_identifiers[module.module_handles[module.self_module_handle_idx]!.address] = id;
    return serialize(module);
  });
});

test('the modules of a package are compared in any order', () => {
  expect(comparePackages(onChain, built)).toMatchObject({ verdict: 'exact', missing: [], extra: [] });
  expect(comparePackages(onChain.toReversed(), built).modules.map(({ module }) => module)).toEqual([
    'eggs',
    'nest',
  ]);
});

test('the verdict of a package is the worst of its modules', async () => {
  const lower = await compile({
    ...source,
    'sources/nest.move': nest.replace('public', '// A comment.\npublic'),
  });
  expect(comparePackages(onChain, lower)).toMatchObject({
    verdict: 'same_but_error_lines',
    modules: [{ verdict: 'exact' }, { verdict: 'same_but_error_lines' }],
  });
  const other = await compile({ ...source, 'sources/eggs.move': eggs.replace('3', '4') });
  expect(comparePackages(onChain, other)).toMatchObject({
    verdict: 'differs',
    modules: [{ verdict: 'differs', differences: [{ declaration: 'function count' }] }, { verdict: 'exact' }],
  });
});

test('a module that one side does not have is named, and differs', async () => {
  const less = await compile({ 'sources/eggs.move': eggs });
  expect(comparePackages(onChain, less)).toMatchObject({ verdict: 'differs', missing: ['nest'], extra: [] });
  const chainOfOne = onChain.filter((_, at) => comparePackages([onChain[at]!], less).verdict === 'exact');
  expect(comparePackages(chainOfOne, built)).toMatchObject({
    verdict: 'differs',
    missing: [],
    extra: ['nest'],
  });
  expect(comparePackages([], []).verdict).toBe('differs');
});

test('two modules of one name are refused', () => {
  expect(() => comparePackages([...onChain, onChain[0]!], built)).toThrow('two modules have the name');
});

test('modules at several addresses are refused: calls between them lead to another package on chain', async () => {
  const decoy = `0x${'b7'.repeat(32)}`;
  const elsewhere = await compile({
    'sources/eggs.move': eggs.replace('nest::eggs', `${decoy}::eggs`),
    'sources/nest.move': nest.replace('nest::eggs::', `${decoy}::eggs::`),
  });
  const published = elsewhere.map((bytes) => {
    const module: ModuleJson = deserialize(bytes);
    module.address_identifiers[module.module_handles[module.self_module_handle_idx]!.address] = id;
    return serialize(module);
  });
  expect(() => comparePackages(published, elsewhere)).toThrow('another address');
});
