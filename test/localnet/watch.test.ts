import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { createAccount, execute } from '@adaptor-marketplace/localnet/account';
import { SuiGrpcClient } from '@mysten/sui/grpc';
import { expect, onTestFinished, test } from 'vitest';
import { eventually } from '../support/eventually.ts';

const bin = join(import.meta.dirname, '../../packages/cli/bin/adaptor-marketplace.js');

function start(...words: string[]) {
  const child = spawn(bin, ['localnet', ...words], { stdio: ['pipe', 'pipe', 'pipe'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const lines: string[] = [];
  createInterface(child.stdout).on('line', (line) => lines.push(line));
  createInterface(child.stderr).on('line', (line) => lines.push(line));
  const said = (pattern: RegExp, after = 0) =>
    eventually(() => {
      const line = lines.slice(after).find((each) => pattern.test(each));
      if (line === undefined) throw new Error(`no ${pattern} in:\n${lines.join('\n')}`);
      return line;
    });
  return { child, lines, said };
}

const manifest = (name: string, dependencies = '') =>
  `[package]\nname = "${name}"\nedition = "2024"\n[dependencies]\n${dependencies}\n[addresses]\n${name} = "0x0"\n`;
const library = (factor: number) =>
  `module library::library;\npublic fun times(value: u64): u64 { value * ${factor} }\n`;
const app = (extra = '') => `module app::app;
use sui::event;
const ETooMuch: u64 = 7;
#[error]
const ENothing: vector<u8> = b"nothing was given";
public struct Counted has copy, drop { value: u64 }
${extra}
public fun count(value: u64) {
    assert!(value > 0, ENothing);
    assert!(
        value < 100,
        ETooMuch,
    );
    event::emit(Counted { value: library::library::times(value) });
}
`;

test('--watch upgrades as sources change, says what transactions did, and survives what happens to its folders', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'watch-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const [appDir, libraryDir] = [join(folder, 'app'), join(folder, 'library')];
  for (const dir of [appDir, libraryDir]) await mkdir(join(dir, 'sources'), { recursive: true });
  const writeApp = (text: string) => writeFile(join(appDir, 'sources/app.move'), text);
  const writeLibrary = (text: string) => writeFile(join(libraryDir, 'sources/library.move'), text);
  await writeFile(join(libraryDir, 'Move.toml'), manifest('library'));
  await writeFile(join(appDir, 'Move.toml'), manifest('app', 'library = { local = "../library" }'));
  await writeLibrary(library(2));
  await writeApp(app());

  const { child, lines, said } = start(
    ...['--port', '0', '--faucet-port', '0', '--publish', appDir, '--watch', '--checkpoint-interval', '20'],
  );
  await said(/^Ready/);
  const lastWord = async (pattern: RegExp, after = 0) => (await said(pattern, after)).split(' ').at(-1)!;
  const faucetUrl = (await lastWord(/faucet/)).replace('/v2/gas', '');
  const client = new SuiGrpcClient({ network: 'localnet', baseUrl: await lastWord(/gRPC/) });
  const published = lines
    .filter((line) => line.startsWith('published'))
    .map((line) => line.split(' ').at(-1));
  expect(published).toEqual([libraryDir, appDir]);
  let packageId = lines
    .findLast((line) => line.startsWith('  package'))!
    .split(' ')
    .at(-1)!;
  const account = await createAccount(client, faucetUrl);
  const count = async (value: number) => {
    const { objects } = await client.listCoins({ owner: account.address });
    const { objectId, version, digest } = objects[0]!;
    await execute(account, (tx) => {
      // All of the gas, so that no simulation refuses what aborts.
      tx.setGasPayment([{ objectId, version, digest }]);
      tx.setGasBudget(10_000_000);
      tx.setGasPrice(1_000);
      tx.moveCall({ target: `${packageId}::app::count`, arguments: [tx.pure.u64(value)] });
    });
  };

  await count(5);
  await said(/^event {6}app::Counted \{"value":"10"\}/);
  await expect(count(100)).rejects.toThrow();
  await said(/aborted in app::count with ETooMuch at .*app\/sources\/app\.move:12$/);
  await expect(count(0)).rejects.toThrow();
  await said(/aborted in app::count with ENothing "nothing was given" at .*sources\/app\.move:9$/);
  const simulated = execute(account, (tx) => {
    tx.moveCall({ target: `${packageId}::app::count`, arguments: [tx.pure.u64(100)] });
  });
  await expect(simulated).rejects.toThrow();
  await said(/^simulated {2}aborted in app::count with ETooMuch at .*app\/sources\/app\.move:12$/);

  // A dependency changes. It is upgraded, and the package is linked to its new version.
  let from = lines.length;
  await writeLibrary(library(3));
  await said(/^upgraded .*library as 0x/, from);
  packageId = await lastWord(/^upgraded .*app as 0x/, from);
  await count(5);
  await said(/^event .*"15"/);

  // Sources that do not compile change nothing.
  from = lines.length;
  await writeApp(app('public fun broken('));
  await said(/app was not upgraded\.$/, from);

  // The folder vanishes and comes back.
  from = lines.length;
  await rename(appDir, `${appDir}-away`);
  await said(/No Move\.toml in .*app/, from);
  await rename(`${appDir}-away`, appDir);
  from = lines.length;
  await writeApp(app('public fun more() {}'));
  packageId = await lastWord(/^upgraded .*app as 0x/, from);

  // An incompatible change is refused. A person can publish it as a new package.
  from = lines.length;
  await writeApp(app());
  await said(/app was not upgraded: .*INCOMPATIBLE/, from);
  child.stdin.write('p\n');
  expect(await lastWord(/^published .*app as 0x/, from)).not.toBe(packageId);

  // The command line saves and restores snapshots by name, and resets the chain.
  const { port } = new URL(faucetUrl);
  const command = (...words: string[]) => start('--faucet-port', port, ...words).said(/^Done|could not/);
  expect(await command('snapshot', 'before')).toMatch(/^Done/);
  from = lines.length;
  await writeLibrary(library(4));
  await said(/^upgraded .*app as 0x/, from);
  from = lines.length;
  expect(await command('restore', 'before')).toMatch(/^Done/);
  // The sources are newer than the restored state, so the watcher upgrades the package again.
  await said(/^upgraded .*app as 0x/, from);
  expect(await command('restore', 'nothing')).toContain('There is no snapshot "nothing". Snapshots: before.');
  expect(await command('snapshot', '../a')).toContain('cannot name a snapshot');
  from = lines.length;
  expect(await command('reset')).toMatch(/^Done/);
  await said(/^published .*app as 0x/, from);
  expect(await start('--faucet-port', '1', 'reset').said(/could not/)).toContain('--faucet-port is its port');

  const exited = new Promise((resolve) => child.on('exit', resolve));
  child.kill('SIGTERM');
  expect(await exited).toBe(0);
});
