import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { SuiGrpcClient } from '@mysten/sui/grpc';
import { expect, onTestFinished, test } from 'vitest';
import { eventually } from '../support/eventually.ts';

const root = join(import.meta.dirname, '../..');
const recipient = `0x${'f'.repeat(64)}`;

/** Runs the command without a terminal, as `npx adaptor-marketplace` would. */
const start = (...words: string[]) => run(join(root, 'packages/cli/bin/adaptor-marketplace.js'), words);

function run(file: string, words: string[]) {
  const child = spawn(file, words, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
  onTestFinished(() => void child.kill('SIGTERM'));
  const lines: string[] = [];
  const errors: string[] = [];
  createInterface(child.stderr).on('line', (line) => errors.push(line));
  const output = createInterface(child.stdout);
  output.on('line', (line) => lines.push(line));
  const exited = once(child, 'close');
  const ready = new Promise<void>((resolve, reject) => {
    output.on('line', (line) => line.startsWith('Ready') && resolve());
    child.on('exit', () => reject(new Error(errors.join('\n'))));
  });
  ready.catch(() => undefined);
  return { child, lines, errors, ready, exited };
}

test('one command funds an address, publishes a package and says what came of it, line by line', async () => {
  const ports = ['--port', '0', '--faucet-port', '0'];
  const wishes = ['--fund', recipient, '--publish', 'docs/examples/hello_adaptor', '--name', 'me.sui=0xf'];
  const { child, lines, ready, exited } = start('localnet', ...ports, ...wishes, '--refuse-lists');
  await ready;
  expect(lines.join('\n')).not.toContain('\u001b');
  const after = (label: string) =>
    lines
      .find((line) => line.trim().startsWith(label))!
      .split(' ')
      .at(-1)!;
  const client = new SuiGrpcClient({ network: 'localnet', baseUrl: after('gRPC') });
  expect((await client.getBalance({ owner: recipient })).balance.balance).toBe('1000000000000');
  const { response } = await client.movePackageService.getPackage({ packageId: after('package') });
  expect(response.package!.modules.map(({ name }) => name)).toEqual([after('modules')]);
  const { object } = await client.getObject({ objectId: after('upgrade cap') });
  expect(object.owner).toMatchObject({ AddressOwner: recipient });
  const { address } = await client.core.resolveNameServiceAddress({ name: 'me.sui' });
  expect(address).toBe(`0x${'f'.padStart(64, '0')}`);
  await expect(client.core.listEvents({})).rejects.toMatchObject({ code: 'UNAVAILABLE' });

  child.kill('SIGTERM');
  const [code] = await exited;
  expect(code).toBe(0);
});

test('with --json it prints one line for programs when all is ready, and nothing else', async () => {
  const ports = ['--port', '0', '--faucet-port', '0'];
  const wishes = ['--fund', recipient, '--publish', 'docs/examples/hello_adaptor', '--json'];
  const { child, lines, exited } = start('localnet', ...ports, ...wishes, '--refuse-lists');
  await once(child.stdout, 'data');
  await eventually(() => expect(lines).toHaveLength(1));
  const { rpcUrl, ...said } = JSON.parse(lines[0]!);
  const client = new SuiGrpcClient({ network: 'localnet', baseUrl: rpcUrl });
  expect((await client.getBalance({ owner: recipient })).balance.balance).toBe('1000000000000');
  expect(said).toEqual({
    chainId: expect.any(String),
    faucetUrl: expect.stringMatching(/^http/),
    dataDir: null,
    misbehaving: ['refuseLists'],
    publisher: null,
    published: [
      {
        folder: 'docs/examples/hello_adaptor',
        modules: ['greeter'],
        packageId: expect.stringMatching(/^0x/),
        upgradeCapId: expect.stringMatching(/^0x/),
      },
    ],
    funded: [{ address: recipient, coins: expect.any(Number) }],
  });
  child.kill('SIGTERM');
  await exited;
  expect(lines).toHaveLength(1);
});

test('what cannot be done is an error that says why, and nothing keeps running', async () => {
  const ports = ['--port', '0', '--faucet-port', '0'];
  const { errors, lines, exited } = start('localnet', ...ports, '--fund', recipient, '--publish', 'docs');
  expect((await exited)[0]).toBe(1);
  expect(lines).toEqual([]);
  expect(errors.join('\n')).toMatch(/No Move.toml in docs/);
  const wrong = start('localnet', '--fund', 'me');
  expect((await wrong.exited)[0]).toBe(1);
  expect(wrong.errors.join('\n')).toMatch(/Expected an address/);
  const unknown = start('nope');
  expect((await unknown.exited)[0]).toBe(2);
});

test('a network that is killed continues with what it published, and a second one cannot take its folder', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'localnet-'));
  onTestFinished(() => rm(dataDir, { recursive: true, force: true }));
  const flags = ['--port', '0', '--faucet-port', '0', '--data-dir', dataDir, '--json'];
  // The program itself, without the one that starts it, which would receive the kill instead.
  const main = join(root, 'packages/localnet/src/command/main.ts');
  const startNetwork = async () => {
    const network = run(process.execPath, [main, ...flags, '--publish', 'docs/examples/hello_adaptor']);
    await eventually(() => expect([...network.lines, ...network.errors]).toHaveLength(1));
    return network;
  };
  const first = await startNetwork();
  const { chainId, published, publisher } = JSON.parse(first.lines[0]!);
  const second = await startNetwork();
  expect((await second.exited)[0]).toBe(1);
  expect(second.errors[0]).toContain(
    `${join(dataDir, 'ledger.sqlite')} is in use by another process. Stop that one, or take another folder.`,
  );
  first.child.kill('SIGKILL');
  await first.exited;
  const third = await startNetwork();
  expect(JSON.parse(third.lines[0]!)).toMatchObject({
    chainId,
    publisher,
    published: [{ ...published[0], continued: true }],
  });
  third.child.kill('SIGTERM');
  await third.exited;
});
