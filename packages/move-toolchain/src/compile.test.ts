import { join } from 'node:path';
import { deserialize } from '@mysten/move-bytecode-template';
import { describe, expect, test } from 'vitest';
import { compileFramework, compilePackage, compileSources } from './compile.ts';
import { moveToml, scratchPackages } from './scratch-packages.ts';

const id = (digit: string) => `0x${digit.repeat(64)}`;
const system = ['1', '2'].map((digit) => `0x${digit.padStart(64, '0')}`);

/** `top` calls `middle`, which calls `bottom`; each has a module `m`. */
const chain = {
  bottom: {
    'Move.toml': moveToml('bottom'),
    'sources/m.move': 'module bottom::m;\npublic fun f(): u64 { 1 }',
  },
  middle: {
    'Move.toml': moveToml('middle', ['bottom']),
    'sources/m.move': 'module middle::m;\npublic fun f(): u64 { bottom::m::f() }',
  },
  top: {
    'Move.toml': moveToml('top', ['middle']),
    'sources/m.move': 'module top::m;\npublic fun f(): u64 { middle::m::f() }',
  },
};

/** Addresses of all modules that a module names, without leading zeros. */
function addressesIn(module: Uint8Array): string[] {
  return deserialize(module).address_identifiers.map((address: string) => address.replace(/^0+/, '') || '0');
}

function nameOf(module: Uint8Array): string {
  const { module_handles, self_module_handle_idx, identifiers } = deserialize(module);
  return identifiers[module_handles[self_module_handle_idx].name];
}

describe('the framework', () => {
  test('compiles to modules at 0x1 to 0x3 that need nothing else', async () => {
    const { stdlib, sui, suiSystem } = await compileFramework();
    const parts = [stdlib, sui, suiSystem];
    for (const [name, bytes] of parts.flatMap((part) => [...part])) {
      const { module_handles, identifiers, address_identifiers } = deserialize(bytes);
      for (const handle of module_handles) {
        const part = parts[Number(BigInt(`0x${address_identifiers[handle.address]}`)) - 1];
        expect(part?.has(identifiers[handle.name]), `${name} uses ${identifiers[handle.name]}`).toBe(true);
      }
    }
    expect(stdlib.has('option') && sui.has('coin') && suiSystem.has('staking_pool')).toBe(true);
  });

  test('leaves what is for tests out of what is published', async () => {
    const { stdlib, sui } = await compileFramework();
    expect(stdlib.has('unit_test') || sui.has('test_scenario')).toBe(false);
  });
});

describe('a package', () => {
  test('that does not compile answers the diagnostics with their place', async () => {
    const files = { ...chain.bottom, 'sources/m.move': 'module bottom::m;\nfun f(): u64 { missing }' };
    await expect(compileSources(files)).rejects.toThrow(
      /sources\/m\.move:2:16[\s\S]*Unbound variable 'missing'/,
    );
  });

  test('without a Move.toml is refused', async () => {
    await using packages = await scratchPackages({});
    await expect(compilePackage(packages.dir)).rejects.toThrow('No Move.toml in');
  });

  test('that needs the network is refused', async () => {
    const dependency = 'far = { git = "https://example.com/far.git", rev = "main", subdir = "far" }';
    const toml = moveToml('bottom').replace('[dependencies]', `[dependencies]\n${dependency}`);
    await expect(compileSources({ ...chain.bottom, 'Move.toml': toml })).rejects.toThrow(
      'not available offline',
    );
    const system = toml
      .replace('example.com/far', 'github.com/MystenLabs/sui')
      .replace('subdir = "far"', 'subdir = "crates/sui-framework/packages/bridge"');
    await expect(compileSources({ ...chain.bottom, 'Move.toml': system })).rejects.toThrow(
      'The system package bridge is not available here',
    );
  });

  test('links to dependencies where they are published, also to those of dependencies', async () => {
    await using packages = await scratchPackages(chain);
    const published = { middle: id('b'), bottom: id('c') };
    const { modules, dependencies } = await compilePackage(join(packages.dir, 'top'), { published });
    expect(dependencies.sort()).toEqual([...system, id('b'), id('c')]);
    expect(modules.length).toBe(1);
    expect(addressesIn(modules[0]!)).toEqual(['0', 'b'.repeat(64)]);
  });

  test('finds the dependencies of a dependency beside that one', async () => {
    const local = (path: string) => `[dependencies]\nnext = { local = "${path}" }\n`;
    const called = (name: string, next: string) =>
      `module ${name}::m;\npublic fun f(): u64 { ${next}::m::f() }`;
    await using packages = await scratchPackages({
      'apps/app': {
        'Move.toml': moveToml('app').replace(
          '[dependencies]\n',
          local('../../libs/one').replace('next', 'one'),
        ),
        'sources/m.move': called('app', 'one'),
      },
      'libs/one': {
        'Move.toml': moveToml('one').replace('[dependencies]\n', local('../two').replace('next', 'two')),
        'sources/m.move': called('one', 'two'),
      },
      'libs/two': {
        'Move.toml': moveToml('two').replace(
          '[dependencies]\n',
          local('deep/three').replace('next', 'three'),
        ),
        'sources/m.move': called('two', 'three'),
      },
      'libs/two/deep/three': {
        ...chain.bottom,
        'Move.toml': moveToml('three'),
        'sources/m.move': 'module three::m;\npublic fun f(): u64 { 3 }',
      },
    });
    const published = { one: id('a'), two: id('b'), three: id('c') };
    const { dependencies } = await compilePackage(join(packages.dir, 'apps/app'), { published });
    expect(dependencies.sort()).toEqual([...system, id('a'), id('b'), id('c')]);
  });

  test('may use a package directly and through another one', async () => {
    await using packages = await scratchPackages({
      ...chain,
      top: { ...chain.top, 'Move.toml': moveToml('top', ['middle', 'bottom']) },
    });
    const published = { middle: id('b'), bottom: id('c') };
    const { dependencies } = await compilePackage(join(packages.dir, 'top'), { published });
    expect(dependencies.sort()).toEqual([...system, id('b'), id('c')]);
  });

  test('has no dependency in a comment', async () => {
    const toml = moveToml('bottom').replace(
      '[dependencies]',
      '[dependencies] # { local = "../a" }\n# Local = { local = "../path" }\n',
    );
    const { modules } = await compileSources({ ...chain.bottom, 'Move.toml': toml });
    expect(modules.length).toBe(1);
  });

  test('may repeat the address of a dependency that was published elsewhere', async () => {
    const address = `0x${'ab'.repeat(32)}`;
    await using packages = await scratchPackages({
      base: {
        'Move.toml': moveToml('base').replace('"0x0"', `"${address}"`),
        'sources/base.move': 'module base::base;\npublic fun one(): u64 { 1 }\n',
      },
      app: {
        'Move.toml': `${moveToml('app', ['base'])}base = "${address}"\n`,
        'sources/app.move': 'module app::app;\npublic fun two(): u64 { base::base::one() + 1 }\n',
      },
    });
    const { modules } = await compilePackage(join(packages.dir, 'app'), { published: { base: '0x9' } });
    expect(modules.length).toBe(1);
  });

  test.each([
    [
      'in a line',
      'Sui = { git = "https://github.com/MystenLabs/sui.git", subdir = "crates/sui-framework/packages/sui-framework", rev = "framework/testnet" }',
    ],
    [
      'in a table',
      '[dependencies.Sui]\ngit = "https://github.com/MystenLabs/sui.git"\nsubdir = "crates/sui-framework/packages/sui-framework"\nrev = "main"\n',
    ],
    ['as a system package', 'sui_system = { system = "sui_system", override = true }'],
    ['in a local copy', 'Sui = { local = "../../sui/crates/sui-framework/packages/sui-framework" }'],
  ])('may name the framework %s beside a local dependency', async (_, framework) => {
    await using packages = await scratchPackages(chain);
    const toml = moveToml('middle', ['bottom']).replace('\n\n[addresses]', `\n${framework}\n\n[addresses]`);
    const { dependencies } = await compileSources(
      { ...chain.middle, 'Move.toml': toml },
      { base: join(packages.dir, 'middle'), published: { bottom: id('c') } },
    );
    expect(dependencies.sort()).toEqual([...system, id('c')]);
  });

  test('may name two packages of the framework, and refuse those that it would get by itself', async () => {
    const git = (part: string) =>
      `{ git = "https://github.com/MystenLabs/sui.git", subdir = "crates/sui-framework/packages/${part}", rev = "main" }`;
    const toml = moveToml('bottom')
      .replace('edition', 'implicit-dependencies = false\nedition')
      .replace(
        '[addresses]',
        `Sui = ${git('sui-framework')}\nMoveStdlib = ${git('move-stdlib')}\n\n[addresses]`,
      );
    const { modules } = await compileSources({ ...chain.bottom, 'Move.toml': toml });
    expect(modules).toHaveLength(1);
  });

  test('uses a dependency whose tests call what only they may call', async () => {
    const tests = '#[test_only]\nmodule bottom::m_tests;\n#[test]\nfun one() { bottom::m::start() }\n';
    const source = `${chain.bottom['sources/m.move']}\nentry fun start() {}\n`;
    await using packages = await scratchPackages({
      ...chain,
      bottom: { ...chain.bottom, 'sources/m.move': source, 'tests/m_tests.move': tests },
    });
    const { modules } = await compilePackage(join(packages.dir, 'middle'), {
      published: { bottom: id('c') },
    });
    expect(modules).toHaveLength(1);
  });

  test('that was published elsewhere compiles as one that is not', async () => {
    const toml = moveToml('bottom')
      .replace('edition', 'published-at = "0xabc" # testnet\nedition')
      .replace('bottom = "0x0"', 'bottom = "0xabc"\npayee = "0xdef"');
    const lock =
      '[env.testnet]\nchain-id = "4c78adac"\noriginal-published-id = "0xabc"\nlatest-published-id = "0xabc"\npublished-version = "1"\n';
    const source =
      'module bottom::m;\npublic fun f(): u64 { 1 }\npublic fun who(): (address, address) { (@bottom, @payee) }';
    const files = {
      'Move.toml': toml,
      'Move.lock': `[move]\nversion = 3\n\n${lock}`,
      'sources/m.move': source,
    };
    const { modules } = await compileSources(files);
    expect(addressesIn(modules[0]!)).toEqual(['0']);
    expect(Buffer.from(modules[0]!).toString('hex')).toContain(`${'0'.repeat(61)}def`);
    await using packages = await scratchPackages({ bottom: files, middle: chain.middle });
    const { dependencies } = await compilePackage(join(packages.dir, 'middle'), {
      published: { bottom: id('c') },
    });
    expect(dependencies).toContain(id('c'));
  });

  test('is refused when a dependency is published nowhere, rather than linked to 0x0', async () => {
    await using packages = await scratchPackages(chain);
    const middle = join(packages.dir, 'middle');
    await expect(compilePackage(middle)).rejects.toThrow(
      'It uses the package bottom, which is not published',
    );
    const { dependencies } = await compilePackage(middle, { allowUnpublished: true });
    expect(dependencies.length).toBe(3);
  });

  test('hands out its modules in the order that publishing needs', async () => {
    const files = {
      'Move.toml': moveToml('bottom'),
      'sources/a.move': 'module bottom::a;\npublic fun f(): u64 { bottom::b::f() }',
      'sources/b.move': 'module bottom::b;\npublic fun f(): u64 { bottom::c::f() }',
      'sources/c.move': 'module bottom::c;\npublic fun f(): u64 { 1 }',
    };
    const names = (await compileSources(files)).modules.map((module) => nameOf(module));
    expect(names).toEqual(['c', 'b', 'a']);
  });

  test('compiles to the same digest again, and to another one after a change', async () => {
    const first = await compileSources(chain.bottom);
    expect(await compileSources(chain.bottom)).toEqual(first);
    const changed = { ...chain.bottom, 'sources/m.move': 'module bottom::m;\npublic fun f(): u64 { 2 }' };
    expect((await compileSources(changed)).digest).not.toBe(first.digest);
  });

  test('is compiled again when what it uses of a dependency’s dependency changed', async () => {
    const compileWith = async (number: number) => {
      const bottom = {
        'Move.toml': moveToml('bottom'),
        'sources/m.move': `module bottom::m;\npublic macro fun f(): u64 { ${number} }`,
      };
      const middle = {
        'Move.toml': moveToml('middle', ['bottom']),
        'sources/m.move': 'module middle::m;\npublic macro fun f(): u64 { bottom::m::f!() }',
      };
      const top = {
        ...chain.top,
        'sources/m.move': 'module top::m;\npublic fun f(): u64 { middle::m::f!() }',
      };
      await using packages = await scratchPackages({ bottom, middle, top });
      return (await compilePackage(join(packages.dir, 'top'), { allowUnpublished: true })).digest;
    };
    const first = await compileWith(1);
    expect(await compileWith(1)).toBe(first);
    expect(await compileWith(2)).not.toBe(first);
  });
});
