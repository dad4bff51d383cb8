import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { createDataDir, postgresPid, type Service, startService } from '../support/service.ts';

let dataDir: Awaited<ReturnType<typeof createDataDir>>;
beforeAll(async () => {
  dataDir = await createDataDir();
});
afterAll(() => dataDir.remove());

/** A process that uses its embedded database. */
async function startRole(): Promise<Service> {
  const service = startService(dataDir.dir, ['indexer'], {
    // No node listens there. The source reports that once the database is ready.
    SUI_TESTNET_RPC_URL: 'http://127.0.0.1:1',
    TESTNET_REGISTRY_PACKAGE_ID: '0x1',
    TESTNET_REGISTRY_OBJECT_ID: '0x2',
  });
  onTestFinished(() => void service.process.kill('SIGKILL'));
  await eventually(() => expect(service.output()).toContain('source failed'));
  return service;
}

test('closing the terminal ends the process and the database server with it', async () => {
  const { process: child, exited } = await startRole();
  // A closed terminal has this effect on the processes that write to it.
  child.stdout?.destroy();
  child.stderr?.destroy();
  child.kill('SIGHUP');
  expect(await exited).toBe(0);
  expect(await postgresPid(dataDir.dir)).toBeUndefined();
});

test('after a SIGKILL the database server ends by itself', async () => {
  const { process: child, exited } = await startRole();
  expect(await postgresPid(dataDir.dir)).toBeGreaterThan(0);
  child.kill('SIGKILL');
  await exited;
  await eventually(async () => expect(await postgresPid(dataDir.dir)).toBeUndefined());
});
