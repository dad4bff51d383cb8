import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, readFile, symlink } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import vm from 'node:vm';
import { manifestHash } from '@adaptor-marketplace/adaptor/manifest';
import { moveToml } from '@adaptor-marketplace/move-toolchain/scratch-packages';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { SuiGrpcClient } from '@mysten/sui/grpc';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { packageFolders as folders } from '../../packages/pack.ts';
import { runBlocks, shellBlocks } from '../support/cli/run-blocks.ts';
import { createWalletRepository } from '../support/cli/wallet-repository.ts';
import { createDemoDir } from '../support/demo-dir.ts';
import { eventually } from '../support/eventually.ts';
import { type InstalledProject, installProject } from '../support/installed-project.ts';
import { ready, type Service, startService, stopService } from '../support/service.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../..');

/** The folder in which the tarballs of all packages are installed. */
let installed: InstalledProject;
let project: string;
let write: InstalledProject['write'];
/** The oldest supported Node, with which the installed packages run. */
let node: string;
/** Environment whose PATH finds that Node first. */
let env: NodeJS.ProcessEnv;
/** A marketplace with its local network, as `npm start` runs it. */
let marketplace: Service;
let data: Awaited<ReturnType<typeof createDemoDir>>;

/** Runs the example of a package's README, unchanged. */
async function runExample(folder: string, ...args: string[]): Promise<string> {
  const readme = await readFile(
    join(project, `node_modules/@adaptor-marketplace/${folder}/README.md`),
    'utf8',
  );
  const [, example] = /```js\n(.*?)```/s.exec(readme)!;
  await write('example.js', example!);
  return (await run(node, ['example.js', ...args], { cwd: project })).stdout;
}

beforeAll(async () => {
  data = await createDemoDir();
  // The marketplace starts while the packages are built and installed.
  marketplace = startService(data.dir, ['localnet', 'indexer', 'gateway']);
  installed = await installProject(folders);
  ({ dir: project, node, write } = installed);
  env = { ...process.env, PATH: `${dirname(node)}${delimiter}${process.env.PATH}` };
  await write('hello/Move.toml', moveToml('hello'));
  await write(
    'hello/sources/hello.move',
    'module hello::hello;\n\npublic fun one(): u64 { 1 }\n\n#[test]\nfun is_one() { assert!(one() == 1) }\n',
  );
  await write(
    'compile.js',
    `import { writeFileSync } from 'node:fs';
import { compilePackage } from '@adaptor-marketplace/move-toolchain';
writeFileSync('hello.mv', (await compilePackage('./hello')).modules[0]);
`,
  );
});
afterAll(async () => {
  await stopService(marketplace);
  await data.remove();
  await installed.remove();
});

test('the packages run on the oldest Node that they support', async () => {
  expect((await run(node, ['--version'])).stdout).toMatch(/^v22\./);
  for (const folder of folders) {
    const path = join(root, 'packages', folder, 'package.json');
    expect(JSON.parse(await readFile(path, 'utf8')).engines.node).toMatch(/^>=22\b/);
  }
});

test('process listens on a free port and shows log entries as lines', async () => {
  expect(await runExample('process')).toMatch(/INFO.*listening.*http:\/\/127\.0\.0\.1:\d+/);
});

test('move-toolchain compiles and tests a package', async () => {
  const output = await runExample('move-toolchain');
  expect(output).toContain('modules: 1');
  expect(output).toContain('1 passed, 0 failed');
});

test('move-bytecode parses a module', async () => {
  await run(node, ['compile.js'], { cwd: project });
  expect(await runExample('move-bytecode', 'hello.mv')).toContain('hello::one is Public');
});

test('mcp serves the tools of a marketplace', async () => {
  const { baseUrl } = await ready(marketplace, data.dir);
  const readme = await readFile(join(root, 'packages/mcp/README.md'), 'utf8');
  await write('serve.js', /```js\n(.*?)```/s.exec(readme)![1]!);
  const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } });
  const served = { command: node, args: ['serve.js', baseUrl], cwd: project };
  await client.connect(new StdioClientTransport(served));
  onTestFinished(() => client.close());
  const { structuredContent } = await client.callTool({ name: 'search_adaptors', arguments: { limit: 1 } });
  expect(structuredContent).toMatchObject({ network: 'testnet' });
});

test('adaptor checks a manifest and introspects a package', async () => {
  const { rpcUrl } = await ready(marketplace, data.dir);
  const manifest = {
    name: 'Hello',
    category: 'Other',
    summary: 'Says hello.',
    networks: ['testnet'],
    ops: [],
    packageId: `0x${'1'.repeat(64)}`,
    serviceType: `0x${'1'.repeat(64)}::hello::Hello`,
  };
  await write('manifest.json', JSON.stringify(manifest));
  const output = await runExample('adaptor', rpcUrl, '0x2', manifestHash(manifest));
  expect(output).toContain('verified Hello');
  expect(output).toMatch(/::coin::\w+ (not )?executable/);
  expect(await runExample('adaptor', rpcUrl, '0x2', '0'.repeat(64))).toContain('mismatch');
});

test('sdk searches a marketplace and verifies what it finds', async () => {
  const { baseUrl, rpcUrl, packages, objects } = await ready(marketplace, data.dir);
  await eventually(async () => {
    const output = await runExample('sdk', baseUrl, rpcUrl, packages.registry, objects.registry);
    expect(output).toContain('Reef Vault verified\n');
  });
});

test('localnet executes the transaction of an unchanged client', async () => {
  expect(await runExample('localnet')).toMatch(/^[1-9A-HJ-NP-Za-km-z]{40,50}\n$/);
});

describe('the command line', () => {
  const bin = () => join(project, 'node_modules/.bin/adaptor-marketplace');
  const cli = (...words: string[]) => run(bin(), words, { cwd: project, env });

  test('lists its commands, and the options of one', async () => {
    expect((await cli('--help')).stdout).toContain('  catalog ');
    expect((await cli('catalog', '--help')).stdout).toContain('--url');
    expect((await cli('localnet', '--help')).stdout).toContain('--faucet-port');
    expect((await cli('--version')).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  test('reads the catalog of a marketplace', async () => {
    const { baseUrl } = await ready(marketplace, data.dir);
    const { stdout } = await cli('catalog', '--url', baseUrl);
    const listed = await (await fetch(`${baseUrl}/api/adaptors`)).json();
    expect(listed.count).toBeGreaterThan(0);
    for (const { manifest } of listed.adaptors) expect(stdout).toContain(manifest.name);
  });

  test('walks through docs/build-an-adaptor.md, from an empty folder to a listing', async () => {
    const { baseUrl } = await ready(marketplace, data.dir);
    const folder = join(project, 'walk');
    await mkdir(folder);
    await symlink(data.dir, join(folder, '.data'));
    await symlink(join(root, 'move'), join(folder, 'move'));
    const document = await readFile(join(root, 'docs/build-an-adaptor.md'), 'utf8');
    const program = join(project, 'node_modules/adaptor-marketplace/dist/run.js');
    const out = await runBlocks(folder, shellBlocks(document), { program });
    expect(out).toMatch(/^in the catalog as Nest Egg, version 1$/m);
    const { adaptors } = await (await fetch(`${baseUrl}/api/adaptors?q=nest%20egg`)).json();
    expect(adaptors).toMatchObject([{ manifest: { name: 'Nest Egg' }, publisherVerified: true }]);
  });

  test('makes an adaptor that is tested outside of the repository', async () => {
    const repository = await createWalletRepository();
    onTestFinished(() => repository.remove());
    await cli('new', 'outside');
    const tested = await run(bin(), ['test', 'outside', '--json'], {
      cwd: project,
      env: { ...env, ...repository.env },
    });
    expect(JSON.parse(tested.stdout)).toMatchObject({ passed: 2, failed: 0 });
    expect(await readdir(join(project, 'outside'))).toEqual(
      expect.arrayContaining(['.github', '.gitignore']),
    );
  });

  test('starts a local network', async () => {
    const child = spawn(bin(), ['localnet', '--port', '0', '--faucet-port', '0'], { cwd: project, env });
    onTestFinished(() => void child.kill('SIGKILL'));
    const exited = once(child, 'exit');
    let url = '';
    for await (const line of createInterface(child.stdout)) {
      url = / (http:\S+)$/.exec(line)?.[1] && line.includes('gRPC') ? line.split(' ').at(-1)! : url;
      if (line.startsWith('Ready')) break;
    }
    const client = new SuiGrpcClient({ network: 'localnet', baseUrl: url });
    expect((await client.ledgerService.getServiceInfo({})).response.chainId).toBeDefined();
    child.kill('SIGTERM');
    expect((await exited)[0]).toBe(0);
  });
});

test('the declarations of every export hold', async () => {
  const imports: string[] = [];
  for (const folder of folders) {
    if (folder === 'cli') continue;
    const path = join(project, `node_modules/@adaptor-marketplace/${folder}/package.json`);
    const { name, exports } = JSON.parse(await readFile(path, 'utf8'));
    for (const subpath of Object.keys(exports)) {
      // This subpath is a program: loading it starts a network.
      if (subpath === './command') continue;
      imports.push(`export * as m${imports.length} from '${name}${subpath.slice(1)}';`);
    }
  }
  expect(imports.length).toBeGreaterThan(30);
  await write('all.ts', `${imports.join('\n')}\n`);
  const options = ['--noEmit', '--strict', '--skipLibCheck', '--module', 'nodenext', '--target', 'esnext'];
  const tsc = join(root, 'node_modules/.bin/tsc');
  await run(tsc, [...options, 'all.ts'], { cwd: project });
  await run(node, ['--input-type=module', '--eval', imports.join('\n')], { cwd: project });
});

/** The subpaths that need Node. All others also run in browsers. */
const needsNode = /^\.\/(secret-file|chain\/client)$/;

test("what a browser uses of the adaptor package needs none of Node's modules", async () => {
  const path = join(project, 'node_modules/@adaptor-marketplace/adaptor/package.json');
  const { name, exports } = JSON.parse(await readFile(path, 'utf8'));
  const subpaths = Object.keys(exports).filter((subpath) => !needsNode.test(subpath));
  const lines = subpaths.map((subpath, at) => `import * as m${at} from '${name}${subpath.slice(1)}';`);
  const all = subpaths.map((subpath, at) => `${JSON.stringify(subpath)}: m${at}`);
  await write('browser.js', `${lines.join('\n')}\nglobalThis.adaptor = { ${all.join(', ')} };\n`);
  const { outputFiles } = await build({
    entryPoints: [join(project, 'browser.js')],
    bundle: true,
    format: 'iife',
    write: false,
    platform: 'browser',
    target: 'es2022',
    logLevel: 'silent',
  });
  // The globals of a browser, without those of Node.
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

  await run(node, ['compile.js'], { cwd: project });
  page.hello = new Uint8Array(await readFile(join(project, 'hello.mv')));
  const introspection = await vm.runInContext(
    `const id = '0x' + '0'.repeat(64);
    const content = { id, originalId: id, version: 1n, modules: new Map([['hello', hello]]), typeOrigins: new Map(),
      linkage: new Map() };
    adaptor['./introspect'].introspect({ read: async () => content }, id)`,
    page,
  );
  expect(introspection.ops).toMatchObject([{ module: 'hello', entry: 'one' }]);
});
