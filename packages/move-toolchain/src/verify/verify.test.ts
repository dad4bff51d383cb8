import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cp, mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';
import { compileFramework, compilePackage } from '../compile.ts';
import { linkPackage } from '../link.ts';
import type { PackageFiles } from '../package-files.ts';
import { moveToml, scratchPackages } from '../scratch-packages.ts';
import { hashSource } from './hash.ts';
import { judgeSource, type SourceVerification } from './judge.ts';
import { nodeHost } from './node-host.ts';
import { packSourceFolder } from './pack-folder.ts';
import { readSourceFolder } from './read-folder.ts';
import { runBuild } from './run-build.ts';
import { type PreparedSource, prepareSource } from './source.ts';
import { verifySource } from './verify.ts';
import { readZip } from './zip.ts';

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

/** Verifies source as `verifySource` does, with builds in this process: a start of the compiler takes longer than a build. */
const verifyHere = (onChain: readonly Uint8Array[], source: PreparedSource): Promise<SourceVerification> =>
  judgeSource(onChain, source, ({ folder, packages, isFree }, compiler, chain, ids = new Map()) =>
    runBuild(nodeHost, { compiler, folder, packages, isFree, onChain: chain, ids }),
  );

/**
 * Verifies the text of `egg` against the bytecode of what is on chain, which was compiled from `published`.
 * @param check verifies the source; default: with builds in this process
 */
async function verify(
  text: string,
  {
    published = egg,
    more = {},
    check = verifyHere,
  }: {
    published?: string;
    more?: Record<string, PackageFiles>;
    check?: typeof verifyHere;
  } = {},
) {
  await using chain = await scratchPackages(packages(published));
  const { modules } = await compilePackage(`${chain.dir}/egg`, { published: { nest: nestId } });
  await using offered = await scratchPackages({ ...packages(text), ...more });
  const { files, folder } = await readSourceFolder(`${offered.dir}/egg`);
  return check(modules, prepareSource(files, folder));
}

const withFunctions = (bodies: Record<string, string>) =>
  egg +
  Object.entries(bodies)
    .map(([name, body]) => `public fun ${name}(): ${body}\n`)
    .join('');
const withFunction = (body: string) => withFunctions({ constant: body });

describe('source with addresses', () => {
  const isOnChain = `bool { @nest == @${nestId} }`;

  test('of a dependency has those of the chain, in constants and in what the compiler computes', async () => {
    const text = { named: 'address { @nest }', written: `address { @${nestId} }`, computed: isOnChain };
    const published = { named: 'address { @nest }', written: 'address { @nest }', computed: 'bool { true }' };
    expect(await verify(withFunctions(text), { published: withFunctions(published) })).toMatchObject({
      verdict: 'exact',
    });
  });

  test('of a dependency that the chain does not have differs, in constants and in what the compiler computes', async () => {
    const madeUp = `@0x${createHash('sha256').update('nest').digest('hex')}`;
    const text = { named: 'address { @nest }', made_up: `address { ${madeUp} }`, computed: isOnChain };
    const published = {
      named: 'address { @nest }',
      made_up: 'address { @nest }',
      computed: 'bool { false }',
    };
    const { verdict, comparison } = await verify(withFunctions(text), {
      published: withFunctions(published),
    });
    expect(verdict).toBe('differs');
    const differing = comparison!.modules.flatMap(({ differences }) => differences);
    expect(differing.map(({ declaration }) => declaration).sort()).toEqual([
      'function computed',
      'function made_up',
    ]);
  });

  test('made up from the name of a dependency does not become the id of that on chain', async () => {
    const digits = createHash('sha256').update('nest').digest('hex');
    const bytes = (hex: string) => withFunction(`vector<u8> { x"${hex}" }`);
    expect(await verify(bytes(digits), { published: bytes(nestId.slice(2)) })).toMatchObject({
      verdict: 'differs',
    });
    for (const address of [`0x${digits}`, String(BigInt(`0x${digits}`))]) {
      const pay = `module ${address}::pay;\npublic fun pay(): u64 { 1 }\n`;
      const nest = { ...packages('').nest, 'sources/pay.move': pay };
      expect(await verify(withFunction(`u64 { ${address}::pay::pay() }`), { more: { nest } })).toMatchObject({
        verdict: 'not_built',
        reason: expect.stringContaining(`declares 0x${digits}::pay at a fixed address`),
      });
    }
  });

  test('that modules on chain do not have is not built: it would show code that never runs', async () => {
    const fixed = `0x${'b7'.repeat(32)}`;
    const pay = (name: string) => `module ${name};\npublic fun pay(): u64 { 1 }\n`;
    const text = withFunction(`u64 { ${fixed}::pay::pay() }`);
    const withModule = (dir: string, name: string) => ({
      more: { [dir]: { ...packages(text)[dir as 'egg' | 'nest'], 'sources/pay.move': pay(name) } },
    });
    expect(await verify(text, withModule('egg', `${fixed}::pay`))).toMatchObject({
      verdict: 'not_built',
      reason: expect.stringContaining('declares modules at several addresses'),
    });
    expect(await verify(text, withModule('nest', `${fixed}::pay`))).toMatchObject({
      verdict: 'not_built',
      reason: expect.stringContaining(`declares ${fixed}::pay at a fixed address`),
    });
    const system = withFunction('u64 { 0x2::eggs::pay() }');
    expect(
      await verify(system, {
        more: { nest: { ...packages('').nest, 'sources/pay.move': pay('0x2::eggs') } },
      }),
    ).toMatchObject({
      verdict: 'not_built',
      reason: expect.stringContaining('2::eggs at a fixed address'),
    });
  });
});

test('source that names an address as its own in a comment has the value of that address', async () => {
  const treasury = `0x${'b7'.repeat(32)}`;
  const named = (dir: 'egg' | 'nest', text: string) => {
    const own = packages(text)[dir];
    const manifest = `${own['Move.toml']}treasury = "${treasury}"\n`;
    return {
      [dir]: { ...own, 'Move.toml': manifest, 'sources/notes.move': '/*\nmodule treasury::notes\n*/\n' },
    };
  };
  const text = withFunction('address { @treasury }');
  const more = named('egg', text);
  expect(await verify(text, { published: withFunction('address { @0x0 }'), more })).toMatchObject({
    verdict: 'differs',
  });
  expect(await verify(text, { published: withFunction(`address { @${treasury} }`), more })).toMatchObject({
    verdict: 'exact',
  });
  const published = withFunction('address { @0x0 }');
  expect(await verify(text, { published, more: named('nest', text) })).toMatchObject({
    verdict: 'not_built',
    reason: expect.stringContaining('nest declares modules by the address treasury'),
  });
});

test.each([
  ['', `0x${'b7'.repeat(32)}`, 'exact'],
  ['// Owned by @ treasury.\n', `0x${'b7'.repeat(32)}`, 'not_built'],
  ['public fun home(): address { @treasury }\n', nestId, 'exact'],
  ['public fun home(): address { @treasury }\n', `0x${'b7'.repeat(32)}`, 'not_built'],
])(
  'source with %j names the address of a dependency otherwise, with the value %s: %s',
  async (read, value, expected) => {
    const rename = (text: string) => text.replaceAll('nest::nest', 'treasury::nest');
    const more = {
      nest: {
        'Move.toml': moveToml('nest').replace('nest = "0x0"', `treasury = "${value}"`),
        'sources/nest.move': rename(nest) + read,
      },
    };
    const { verdict, reason } = await verify(rename(egg), { more });
    expect(verdict).toBe(expected);
    if (verdict === 'not_built') expect(reason).toContain('nest declares modules by the address treasury');
  },
);

describe('source whose manifest has a value for its own address', () => {
  const withAddress = (text: string, address: string) => {
    const files = { ...packages(text).egg };
    files['Move.toml'] = files['Move.toml'].replace('egg = "0x0"', `egg = "${address}"`);
    return { egg: files };
  };
  const own = `0x${'ab'.repeat(32)}`;

  test('has that value in constants and in what the compiler computes', async () => {
    const text = withFunctions({ named: 'address { @egg }', computed: `bool { @egg == @${own} }` });
    const more = withAddress(text, own);
    const published = { named: `address { @${own} }`, computed: 'bool { true }' };
    expect(await verify(text, { published: withFunctions(published), more })).toMatchObject({
      verdict: 'exact',
    });
    const other = { named: 'address { @0x0 }', computed: 'bool { false }' };
    const { verdict, comparison } = await verify(text, { published: withFunctions(other), more });
    expect(verdict).toBe('differs');
    const differing = comparison!.modules.flatMap(({ differences }) => differences);
    expect(differing.map(({ declaration }) => declaration).sort()).toEqual([
      'function computed',
      'function named',
    ]);
  });

  test('that only tests read is exact', async () => {
    const text = `${egg}#[test_only]\npublic fun home(): address { @egg }\n`;
    expect(await verify(text, { more: withAddress(text, own) })).toMatchObject({ verdict: 'exact' });
  });

  test('that is the id of a dependency is not built: the modules of both would be one package', async () => {
    const text = withFunction('address { @egg }');
    expect(await verify(text, { more: withAddress(text, nestId) })).toMatchObject({ verdict: 'not_built' });
  });
});

test.each([
  ['', nestId, 'exact'],
  ['', `0x${'b7'.repeat(32)}`, 'exact'],
  ['public fun home(): address { @nest }\n', nestId, 'exact'],
  ['public fun home(): address { @nest }\n', `0x${'b7'.repeat(32)}`, 'not_built'],
])(
  'source with %j whose dependency leaves its address open, to which the package gives %s: %s',
  async (read, value, expected) => {
    const own = packages(egg).egg;
    const more = {
      nest: {
        'Move.toml': moveToml('nest').replace('nest = "0x0"', 'nest = "_"'),
        'sources/nest.move': nest + read,
      },
      egg: { ...own, 'Move.toml': `${own['Move.toml']}nest = "${value}"\n` },
    };
    expect(await verify(egg, { more })).toMatchObject({ verdict: expected });
  },
);

test('source whose manifest has the id of a dependency, by a name of another case than that of the package, is exact', async () => {
  const named = (manifest: string) => manifest.replaceAll(/nest(?= = \{)|(?<=name = ")nest/g, 'Nest');
  const { nest, egg: own } = packages(egg);
  const more = {
    nest: { ...nest, 'Move.toml': named(nest['Move.toml']) },
    egg: { ...own, 'Move.toml': `${named(own['Move.toml'])}nest = "${nestId}"\n` },
  };
  expect(await verify(egg, { more })).toMatchObject({ verdict: 'exact', dependencies: { Nest: nestId } });
});

/** Source that the compilers of version 6 of bytecode take. */
async function prepareOld(text: string) {
  const toml = (...words: Parameters<typeof moveToml>) => moveToml(...words).replace('2024', '2024.beta');
  // Sui 1.26 has modules in braces only.
  const braces = (module: string) => `${module.replace(';', ' {')}}\n`;
  await using offered = await scratchPackages({
    nest: { 'Move.toml': toml('nest'), 'sources/nest.move': braces(nest) },
    egg: { 'Move.toml': toml('egg', ['nest']), 'sources/egg.move': braces(text) },
  });
  const { files, folder } = await readSourceFolder(`${offered.dir}/egg`);
  return prepareSource(files, folder);
}

/** Bytecode of version 6 of `egg`, as it is on chain. */
async function publishBefore(version: '1.58.3' | '1.26.2'): Promise<Uint8Array[]> {
  const anyModule = [...(await compileFramework()).stdlib.values()][0]!;
  const { folder, packages } = await prepareOld(egg);
  const input = { folder, packages, isFree: true, compiler: version, onChain: [anyModule], ids: new Map() };
  const build = await runBuild(nodeHost, input);
  if ('reason' in build) throw new Error(build.reason);
  const placeholder = build.dependencies[0]!.address;
  const built = { modules: build.modules, dependencies: [], digest: '' };
  const { modules } = linkPackage(built, new Map([[placeholder, nestId]]));
  expect(modules[0]![4]).toBe(6);
  return modules;
}

describe('source', () => {
  test('that was published is exact, linked to the package on chain that its dependency stands for', async () => {
    expect(await verify(egg, { check: verifySource })).toMatchObject({
      verdict: 'exact',
      compiler: '1.71.1',
      sourceHash: expect.stringMatching(/^[0-9a-f]{64}$/),
      dependencies: { nest: nestId },
      comparison: { missing: [], extra: [] },
    });
  });

  test('that was published from here is exact, whatever the order of the ids that its dependencies have', async () => {
    const names = ['nest', 'tree', 'sky'];
    const uses = names.map((name) => `${name}::${name}::f()`).join(' + ');
    const folders = Object.fromEntries(
      names.map((name) => [
        name,
        {
          'Move.toml': moveToml(name),
          'sources/m.move': `module ${name}::${name};\npublic fun f(): u64 { 1 }\n`,
        },
      ]),
    );
    const top = {
      'Move.toml': moveToml('egg', names),
      'sources/egg.move': `module egg::egg;\npublic fun sum(): u64 { ${uses} }\n`,
    };
    await using chain = await scratchPackages({ ...folders, egg: top });
    const { files, folder } = await readSourceFolder(`${chain.dir}/egg`);
    for (const order of [names, names.toReversed()]) {
      const published = Object.fromEntries(order.map((name, at) => [name, `0x${String(at + 1).repeat(64)}`]));
      const { modules } = await compilePackage(`${chain.dir}/egg`, { published, uncached: true });
      expect(await verifyHere(modules, prepareSource(files, folder))).toMatchObject({
        verdict: 'exact',
        dependencies: published,
      });
    }
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

  test.each([
    ['1.58.3', verifySource],
    ['1.26.2', verifyHere],
  ] as const)('that was published by the compiler of Sui %s is exact', async (version, check) => {
    const modules = await publishBefore(version);
    expect(await check(modules, await prepareOld(egg))).toMatchObject({ verdict: 'exact' });
  });

  test('that was published by an older compiler differs with one other token, whichever compiler is tried', async () => {
    const modules = await publishBefore('1.26.2');
    const other = await verifyHere(modules, await prepareOld(egg.replace('eggs + 1', 'eggs + 2')));
    expect(other.verdict).toBe('differs');
    expect(other.comparison!.modules[0]!.differences).toMatchObject([{ declaration: 'function lay_many' }]);
  });

  test('with a dependency without a name is not built, for that reason', async () => {
    const more = { nest: { ...packages(egg).nest, 'Move.toml': '[package]\nedition = "2024"\n' } };
    expect(await verify(egg, { more })).toMatchObject({
      verdict: 'not_built',
      reason: 'The Move.toml has no package name.',
    });
  });

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
    const { modules } = await compilePackage(join(dir, 'egg'), { published: { nest: nestId } });
    const source = `{ git = "${pathToFileURL(repository).href}", subdir = "move/nest", rev = "main" }`;
    const manifest = moveToml('egg', ['nest']).replace('{ local = "../nest" }', source);
    await writeFile(join(dir, 'egg/Move.toml'), manifest);
    const { files, folder, gitFolders } = await readSourceFolder(join(dir, 'egg'));
    expect(await verifyHere(modules, prepareSource(files, folder, gitFolders))).toMatchObject({
      verdict: 'exact',
      sourceHash: hashSource(
        new Map([
          ['Move.toml', Buffer.from(manifest)],
          ['sources/egg.move', Buffer.from(egg)],
        ]),
      ),
    });
    // Packed, it is complete: nothing is fetched again.
    const packed = await readZip(await packSourceFolder({ files, folder, gitFolders }));
    expect(await verifyHere(modules, prepareSource(packed, folder))).toMatchObject({ verdict: 'exact' });
    await writeFile(join(dir, 'egg/Move.toml'), manifest.replace('"main"', '"other"'));
    await expect(readSourceFolder(join(dir, 'egg'))).rejects.toThrow('no such tag and no such branch');
  });

  test.each(['sources', 'sources/more', 'sources/egg.move'])('with a link at %s is refused', async (path) => {
    await using folders = await scratchPackages(packages(egg));
    const place = join(folders.dir, 'egg', path);
    await rm(place, { recursive: true, force: true });
    await symlink(join(folders.dir, 'nest/sources'), place);
    await expect(readSourceFolder(join(folders.dir, 'egg'))).rejects.toThrow(`${place} is a link`);
  });

  test('with another module, or one less, differs', async () => {
    const { verdict, comparison } = await verify(egg.replaceAll('egg::egg', 'egg::other'));
    expect(verdict).toBe('differs');
    expect(comparison).toMatchObject({ missing: ['egg'], extra: ['other'], modules: [] });
  });

  test('whose dependency has a name that would be read as a report is not built', async () => {
    const name = `nest is ${nestId}, verified; nest`;
    const nest = { ...packages(egg).nest, 'Move.toml': moveToml('nest').replace('"nest"', `"${name}"`) };
    expect(await verify(egg, { more: { nest } })).toMatchObject({
      verdict: 'not_built',
      reason: expect.stringContaining('is not the name of a package'),
    });
  });

  test('that does not compile is not built, with the diagnostics', async () => {
    const { verdict, reason } = await verify(egg.replace('eggs + 1', 'missing'), { check: verifySource });
    expect(verdict).toBe('not_built');
    expect(reason).toMatch(/sources\/egg\.move:4[\s\S]*Unbound variable 'missing'/);
  });

  test('that no chain takes is not built', async () => {
    const long = ['a', 'b', 'c'].map(
      (letter) => `public fun ${letter}(): vector<u8> { b"${letter.repeat(60_000)}" }\n`,
    );
    expect(await verify(egg + long.join(''))).toMatchObject({
      verdict: 'not_built',
      reason: expect.stringContaining('expected at most 131072'),
    });
  });

  test('that takes more time or memory than the bounds is not built', async () => {
    const macros = Array.from(
      { length: 24 },
      (_, at) => `macro fun m${at + 1}(): u64 { m${at}!() + m${at}!() }`,
    );
    const endless = `module egg::egg;\nmacro fun m0(): u64 { 1 }\n${macros.join('\n')}\npublic fun f(): u64 { m24!() }\n`;
    // The compiler alone takes more than 64 MB.
    for (const [source, bounds] of [
      [endless, { processorMs: 1_000, memoryMb: 512 }],
      [`${egg}public fun unbuilt(): u64 { 64 }\n`, { processorMs: 20_000, memoryMb: 64 }],
    ] as const) {
      const check: typeof verifyHere = (modules, source) => verifySource(modules, source, bounds);
      expect(await verify(source, { check })).toMatchObject({
        verdict: 'not_built',
        reason: `The build took more than ${bounds.processorMs / 1_000} s of processor time or ${bounds.memoryMb} MB of memory.`,
      });
    }
  });
});
