import net from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { silentLogger } from '../internal/log.ts';
import { startLocalnet } from '../start.ts';
import { startFailure } from './start-failure.ts';

async function busyPort(): Promise<number> {
  const server = net.createServer();
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  onTestFinished(() => void server.close());
  return (server.address() as net.AddressInfo).port;
}

async function failureOf(options: { host?: string; port?: number; faucetPort?: number; dataDir?: string }) {
  const given = { host: '127.0.0.1', port: 0, faucetPort: 0, ...options };
  const start = startLocalnet({ dataDir: ':memory:', checkpointIntervalMs: 0, log: silentLogger, ...given });
  return startFailure(
    await start.then(
      () => expect.unreachable(),
      (error: unknown) => error,
    ),
    given,
  );
}

test('a port in use, either of them, is named with the flag that takes another', async () => {
  const port = await busyPort();
  expect(await failureOf({ port })).toMatch(new RegExp(`Port ${port} is in use: --port`));
  expect(await failureOf({ faucetPort: port })).toMatch(new RegExp(`Port ${port} is in use: --faucet-port`));
});

test("an address that is not this machine's is named with its flag", async () => {
  expect(await failureOf({ host: '192.0.2.1' })).toMatch(/--host: 192\.0\.2\.1/);
});

test.each([import.meta.filename, `${import.meta.filename}/below`, '/proc/takes/none'])(
  'a data folder that cannot be made (%s) is refused by its name',
  async (dataDir) => {
    expect(await failureOf({ dataDir })).toContain(`${dataDir} as the data directory`);
  },
);
