import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import vm from 'node:vm';
import { manifestHash } from '@adaptor-marketplace/adaptor/manifest';
import type { Localnet } from '@adaptor-marketplace/localnet';
import { startTestLocalnet } from '@adaptor-marketplace/localnet/testing/start';
import { moveToml } from '@adaptor-marketplace/move-toolchain/scratch-packages';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { packPackage } from '../../packages/pack.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../..');
const folders = ['move-toolchain', 'adaptor', 'localnet', 'cli'];

/** An empty folder with nothing of the repository in reach, where the tarballs of all packages are installed. */
let project: string;

const write = async (path: string, text: string) => {
  await mkdir(dirname(join(project, path)), { recursive: true });
  await writeFile(join(project, path), text);
};

/** Runs the example of a package's README, as it stands. */
async function runExample(folder: string, ...args: string[]): Promise<string> {
  const readme = await readFile(
    join(project, `node_modules/@adaptor-marketplace/${folder}/README.md`),
    'utf8',
  );
  const [, example] = /```js\n(.*?)```/s.exec(readme)!;
  await write('example.js', example!);
  return (await run(process.execPath, ['example.js', ...args], { cwd: project })).stdout;
}

beforeAll(async () => {
  project = await mkdtemp(join(tmpdir(), 'installed-'));
  const tarballs = await Promise.all(folders.map((folder) => packPackage(folder, project)));
  await write('package.json', JSON.stringify({ type: 'module', private: true }));
  await run(
    'npm',
    ['install', '--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts', ...tarballs],
    {
      cwd: project,
    },
  );
  await write('hello/Move.toml', moveToml('hello'));
  await write(
    'hello/sources/hello.move',
    'module hello::hello;\n\npublic fun one(): u64 { 1 }\n\n#[test]\nfun is_one() { assert!(one() == 1) }\n',
  );
});
afterAll(() => rm(project, { recursive: true }));

test('move-toolchain compiles and tests a package', async () => {
  const output = await runExample('move-toolchain');
  expect(output).toContain("'hello'");
  expect(output).toContain('1 passed, 0 failed');
});

describe('with a local network', () => {
  let network: Localnet;
  beforeAll(async () => {
    network = await startTestLocalnet();
  });
  afterAll(() => network.close());

  test('adaptor checks a manifest and introspects a package', async () => {
    const manifest = {
      ...{ name: 'Hello', category: 'Other', summary: 'Says hello.', networks: ['testnet'], ops: [] },
      ...{ packageId: `0x${'1'.repeat(64)}`, serviceType: `0x${'1'.repeat(64)}::hello::Hello` },
    };
    await write('manifest.json', JSON.stringify(manifest));
    const output = await runExample('adaptor', network.rpcUrl, '0x2', manifestHash(manifest));
    expect(output).toContain('verified Hello');
    expect(output).toMatch(/::coin::\w+ (not )?executable/);
    expect(await runExample('adaptor', network.rpcUrl, '0x2', '0'.repeat(64))).toContain('mismatch');
  });
});

test('localnet executes the transaction of an unchanged client', async () => {
  expect(await runExample('localnet')).toMatch(/^[1-9A-HJ-NP-Za-km-z]{40,50}\n$/);
});

describe('the command line', () => {
  const bin = () => join(project, 'node_modules/.bin/adaptor-marketplace');
  const cli = (...words: string[]) => run(bin(), words, { cwd: project });

  test('shows its commands, and the options of one', async () => {
    expect((await cli('--help')).stdout).toContain('  catalog ');
    expect((await cli('catalog', '--help')).stdout).toContain('--url');
    expect((await cli('localnet', '--help')).stdout).toContain('--faucet-port');
  });

  test('reads the catalog of a marketplace', async () => {
    const marketplace = createServer((request, response) => {
      response.setHeader('content-type', 'application/json');
      response.statusCode = request.url?.split('?')[0] === '/api/adaptors' ? 200 : 404;
      response.end(JSON.stringify({ network: 'testnet', count: 0, adaptors: [] }));
    });
    await once(marketplace.listen(0, '127.0.0.1'), 'listening');
    onTestFinished(() => void marketplace.close());
    const { port } = marketplace.address() as AddressInfo;
    const { stdout } = await cli('catalog', '--url', `http://127.0.0.1:${port}`);
    expect(stdout).toMatch(/no adaptor/i);
  });
});

test('the declarations of every export hold', async () => {
  const imports: string[] = [];
  for (const folder of folders) {
    if (folder === 'cli') continue;
    const path = join(project, `node_modules/@adaptor-marketplace/${folder}/package.json`);
    const { name, exports } = JSON.parse(await readFile(path, 'utf8'));
    for (const subpath of Object.keys(exports)) {
      // A program: loading it starts a network.
      if (subpath === './command') continue;
      imports.push(`export * as m${imports.length} from '${name}${subpath.slice(1)}';`);
    }
  }
  expect(imports.length).toBeGreaterThan(60);
  await write('all.ts', `${imports.join('\n')}\n`);
  const options = ['--noEmit', '--strict', '--skipLibCheck', '--module', 'nodenext', '--target', 'esnext'];
  const tsc = join(root, 'node_modules/.bin/tsc');
  await run(tsc, [...options, 'all.ts'], { cwd: project });
  await run(process.execPath, ['--input-type=module', '--eval', imports.join('\n')], { cwd: project });
});

/** What needs Node; all else of the package is for browsers too. */
const needsNode = /^\.\/(secret-file|chain\/client|introspect\/(introspect|listed-witness))$/;

test("what a browser uses of the adaptor package needs none of Node's modules", async () => {
  const path = join(project, 'node_modules/@adaptor-marketplace/adaptor/package.json');
  const { name, exports } = JSON.parse(await readFile(path, 'utf8'));
  const subpaths = Object.keys(exports).filter((subpath) => !needsNode.test(subpath));
  const lines = subpaths.map((subpath, at) => `import * as m${at} from '${name}${subpath.slice(1)}';`);
  const all = subpaths.map((subpath, at) => `${JSON.stringify(subpath)}: m${at}`);
  await write('browser.js', `${lines.join('\n')}\nglobalThis.adaptor = { ${all.join(', ')} };\n`);
  const { outputFiles } = await build({
    ...{ entryPoints: [join(project, 'browser.js')], bundle: true, format: 'iife', write: false },
    ...{ platform: 'browser', target: 'es2022', logLevel: 'silent' },
  });
  // A browser's globals, and none of Node's.
  const web = {
    TextEncoder,
    TextDecoder,
    URL,
    AbortSignal,
    AbortController,
    crypto,
    atob,
    btoa,
    setTimeout,
    fetch,
  };
  const page = vm.createContext({
    ...web,
    clearTimeout,
    performance,
    Event,
    EventTarget,
  });
  vm.runInContext(outputFiles[0]!.text, page);
  const manifest = { name: 'Hello' };
  const hash = vm.runInContext(`adaptor['./manifest'].manifestHash(${JSON.stringify(manifest)})`, page);
  expect(hash).toBe(manifestHash(manifest));
});
