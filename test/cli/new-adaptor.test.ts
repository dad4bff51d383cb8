import { execFileSync } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { runBlocks, shellBlocks } from '../support/cli/run-blocks.ts';
import { createWalletRepository, type WalletRepository } from '../support/cli/wallet-repository.ts';
import { type DemoMarketplace, startDemoMarketplace } from '../support/demo-marketplace.ts';
import { eventually } from '../support/eventually.ts';

let marketplace: DemoMarketplace;
let repository: WalletRepository;
/** An empty folder outside of the repository. */
let folder: string;
let env: Record<string, string>;

beforeAll(async () => {
  repository = await createWalletRepository();
  folder = await mkdtemp(join(tmpdir(), 'newcomer-'));
  marketplace = await startDemoMarketplace(['localnet', 'indexer', 'gateway']);
  const { demo, dataDir } = marketplace;
  // DATA_DIR stands for .data of the checkout in which npm start runs: the faucet is found there.
  env = { ...repository.env, MARKETPLACE_URL: demo.baseUrl, DATA_DIR: dataDir };
});
afterAll(async () => {
  await marketplace?.close();
  await repository.remove();
  await rm(folder, { recursive: true });
});

const read = (path: string) => readFile(join(folder, path), 'utf8');

test('five commands of the document lead from an empty folder to a verified listing', async () => {
  const document = await readFile(join(import.meta.dirname, '../../docs/new-adaptor.md'), 'utf8');
  const [five, ...more] = shellBlocks(document);
  const commands = five!.trim().split('\n');
  expect(commands).toHaveLength(5);
  for (const command of commands) expect(command).toMatch(/^npx adaptor-marketplace [^;&|]+$/);
  const out = await runBlocks(folder, [five!], { env });
  expect(out).toMatch(/^in the catalog as My adaptor, version 1$/m);
  const { network, chainId } = await readChain();
  const published = JSON.parse(await read('my_adaptor/published.json'));
  expect(published).toEqual({
    [chainId]: { network, packageId: expect.any(String), upgradeCapId: expect.any(String) },
  });
  const { packageId } = published[chainId];
  const listed = await (await fetch(`${marketplace.demo.baseUrl}/api/adaptors?q=${packageId}`)).json();
  expect(listed.adaptors).toMatchObject([
    {
      packageId,
      serviceType: `${packageId}::my_adaptor::MyAdaptor`,
      publisherVerified: true,
      manifestVerified: true,
      notExecutable: [],
      manifest: {
        name: 'My adaptor',
        ops: [
          {
            entry: 'pay',
            call: { args: expect.arrayContaining([expect.objectContaining({ name: 'recipient' })]) },
          },
        ],
      },
    },
  ]);
  // Its source was offered by the command that listed it.
  await eventually(async () => {
    const url = `${marketplace.demo.baseUrl}/api/adaptors/verify?packageId=${packageId}`;
    expect(await (await fetch(url)).json()).toMatchObject({
      verdict: expect.stringMatching(/^(exact|same_code)$/),
    });
  });
  const rest = await runBlocks(folder, more, { env });
  expect(rest).toContain('Total tests: 2; passed: 2; failed: 0');
  expect(rest).toContain('already listed as My adaptor, version 1. Nothing was signed');
});

test('the draft of a project is what register lists, and signs nothing', async () => {
  const run = async (command: string) =>
    JSON.parse(await runBlocks(folder, [`npx adaptor-marketplace ${command} --json`], { env }));
  const draft = await run('draft my_adaptor');
  const registered = await run('register my_adaptor --key-file my.key');
  expect(registered).toMatchObject({ done: 'already listed', manifestHash: draft.manifestHash });
});

test('a project that is published does not become a second package by mistake', async () => {
  const before = await read('my_adaptor/published.json');
  const again = runBlocks(folder, ['npx adaptor-marketplace publish my_adaptor --key-file my.key'], { env });
  const { chainId } = await readChain();
  const { packageId } = JSON.parse(before)[chainId];
  await expect(again).rejects.toThrow(`adaptor-marketplace publish my_adaptor --upgrade ${packageId}`);
  expect(await read('my_adaptor/published.json')).toBe(before);
});

async function readChain(): Promise<{ network: string; chainId: string }> {
  const { networks } = await (await fetch(`${marketplace.demo.baseUrl}/api/adaptors/schema`)).json();
  return { network: 'testnet', chainId: networks.testnet.chainId };
}

test('the folder has all that it says, keys stay out of its repository, and its CI runs the tests', async () => {
  const files = (await readdir(join(folder, 'my_adaptor'), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(join(folder, 'my_adaptor').length + 1))
    .sort();
  const made = ['.github/workflows/ci.yml', '.gitignore', 'Move.toml', 'README.md', 'listing.json'];
  const sources = ['sources/my_adaptor.move', 'tests/my_adaptor_tests.move'];
  expect(files).toEqual([...made, 'published.json', ...sources]);
  for (const file of files) expect(await read(`my_adaptor/${file}`)).not.toMatch(/\{\{(?!.*\}\}\$)/);
  const readme = await read('my_adaptor/README.md');
  for (const [, path] of readme.matchAll(/^\| `([^`]+)`/gm)) expect(files).toContain(path);
  const { version } = JSON.parse(await readFile(join(import.meta.dirname, '../../package.json'), 'utf8'));
  const { jobs } = parse(await read('my_adaptor/.github/workflows/ci.yml'));
  const steps: { run?: string; uses?: string }[] = jobs.test.steps;
  expect(steps.map(({ run }) => run).at(-1)).toBe(`npx --yes adaptor-marketplace@${version} test .`);
  for (const { uses } of steps) if (uses) expect(uses).toMatch(/@[0-9a-f]{40}$/);
  const git = (...words: string[]) =>
    execFileSync('git', ['-C', join(folder, 'my_adaptor'), ...words], { encoding: 'utf8' });
  git('init', '--quiet');
  await writeFile(join(folder, 'my_adaptor/my.key'), 'suiprivkey');
  expect(git('status', '--porcelain', '--untracked-files=all')).not.toContain('my.key');
});

test('a test that fails ends with 1 and its report, and a project that exists is not written over', async () => {
  await runBlocks(folder, ['npx adaptor-marketplace new second_one > created.txt'], { env });
  expect(await read('created.txt')).toContain(
    '  npx adaptor-marketplace publish second_one --key-file my.key\n',
  );
  const tests = join(folder, 'second_one/tests/second_one_tests.move');
  await writeFile(tests, (await readFile(tests, 'utf8')).replace(', 20);', ', 21);'));
  const failing = runBlocks(folder, ['npx adaptor-marketplace test second_one'], { env });
  await expect(failing).rejects.toThrow(/\[ FAIL +\].*the_recipient_gets[\s\S]*error: 1 of 2 tests failed\./);
  const again = runBlocks(folder, ['npx adaptor-marketplace new second_one'], { env });
  await expect(again).rejects.toThrow('second_one is not empty. Choose another name');
  const unpublished = runBlocks(folder, ['npx adaptor-marketplace register second_one --key-file my.key'], {
    env,
  });
  await expect(unpublished).rejects.toThrow(
    'second_one is not published on testnet. Publish it: adaptor-marketplace publish second_one',
  );
});
