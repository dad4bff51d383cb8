import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { createAccount } from '@adaptor-marketplace/localnet/account';
import { startTestLocalnet } from '@adaptor-marketplace/localnet/testing/start';
import { expect, onTestFinished, test } from 'vitest';
import * as tables from '../../db/schema/index.ts';
import { publish, SUI } from '../../services/demo/publish.ts';
import { useTestDatabase } from '../support/database.ts';
import { endChild } from '../support/end-child.ts';
import { eventually } from '../support/eventually.ts';
import { settingsFor } from '../support/frames/packages.ts';
import { startNodeProxy } from '../support/node-proxy.ts';
import { noLimit, openPausable } from '../support/pausable/open.ts';
import { readModelBuilder } from '../support/read-model.ts';
import { createTesterClient } from '../support/tester-client.ts';

const db = useTestDatabase();
const script = fileURLToPath(new URL('../support/canary-process.ts', import.meta.url));
const opsCount = 4;

/** A process that simulates over a node of its own, which can hold back a simulation. */
interface Simulator {
  start(): void;
  kill(): Promise<void>;
  /** Resolves to `true` when the nth simulation from now on waits. No later one is answered either. */
  holdAt(nth: number): Promise<true>;
  pass(): void;
}

async function openSimulator(rpcUrl: string, walletPackageId: string): Promise<Simulator> {
  const proxy = await startNodeProxy(rpcUrl);
  const settings = JSON.stringify(settingsFor(proxy.url, { walletPackageId, canaryRate: 900 }));
  let child: ChildProcess | undefined;
  let open = Promise.withResolvers<void>();
  const kill = async () => {
    if (child) await endChild(child, 'SIGKILL');
  };
  onTestFinished(async () => {
    await kill();
    open.resolve();
    await proxy.close();
  });
  return {
    start() {
      child = spawn(process.execPath, [script, db.directUrl, settings], {
        stdio: ['ignore', 'ignore', 'inherit'],
      });
    },
    kill,
    holdAt(nth) {
      const { promise: held, resolve } = Promise.withResolvers<true>();
      let calls = 0;
      proxy.meddle('SimulateTransaction', {
        async before() {
          calls += 1;
          if (calls < nth) return;
          resolve(true);
          await open.promise;
        },
      });
      return held;
    },
    pass() {
      proxy.meddle('SimulateTransaction', undefined);
      open.resolve();
      open = Promise.withResolvers();
    },
  };
}

const readOps = async () =>
  (await db.orm.select().from(tables.canaryOps)).sort((a, b) => a.position - b.position);
const readEvents = async () =>
  (await db.orm.select().from(tables.serviceEvents).orderBy(tables.serviceEvents.number)).map(
    ({ name, data }) => ({
      name,
      states: (data as { ops: { state: string }[] }).ops.map(({ state }) => state),
    }),
  );
const readCounts = async () =>
  (await db.pool.query('select sum(worked)::int as worked, sum(failed)::int as failed from canary_days'))
    .rows[0];
const readShown = async () =>
  (await db.pool.query('select canary_state, revision from catalog_entries')).rows[0];
const makeDue = () => db.pool.query('update canaries set next_check_at = now(), check_ready = true');

test('killed in the middle of its turn, a process loses none: the other simulates each op again, and each change is one event', async () => {
  const localnet = await startTestLocalnet({ checkpointIntervalMs: 20 });
  onTestFinished(() => localnet.close());
  const client = createTesterClient(localnet.rpcUrl);
  onTestFinished(() => client.close());
  const keeper = await createAccount(client, localnet.faucetUrl);
  const walletPackageId = (await publish(keeper, 'wallet')).packageId;
  const till = await openPausable(keeper, walletPackageId, SUI);
  await till.limit(noLimit);
  const ops = Array.from({ length: opsCount }, () => till.ops[0]!);
  await readModelBuilder(db).listing({
    serviceType: till.serviceType,
    manifest: { ops, supportedCoins: [SUI] },
  });
  const simulators = [
    await openSimulator(localnet.rpcUrl, walletPackageId),
    await openSimulator(localnet.rpcUrl, walletPackageId),
  ];

  const readRuns = async () => (await readOps()).map(({ runs }) => runs.map(({ at }) => at).at(-1));
  /** Makes the ops due, kills the process that simulates them before it is done, and waits for the other one. */
  async function simulateWithKill(): Promise<void> {
    const before = { ops: await readOps(), counts: await readCounts(), shown: await readShown() };
    const holds = simulators.map((one) => one.holdAt(opsCount));
    await makeDue();
    const at = await Promise.race(holds.map(async (held, nth) => (await held) && nth));
    expect({ ops: await readOps(), counts: await readCounts(), shown: await readShown() }).toEqual(before);
    const [killed, other] = [simulators[at]!, simulators[1 - at]!];
    other.pass();
    await killed.kill();
    const runs = await readRuns();
    await eventually(async () => {
      const later = await readRuns();
      expect(later).toHaveLength(opsCount);
      for (const [op, last] of later.entries()) expect(last).not.toBe(runs[op]);
    });
    killed.pass();
    killed.start();
  }

  for (const one of simulators) one.start();
  await simulateWithKill();
  expect((await readOps()).map(({ state }) => state)).toEqual(Array(opsCount).fill('up'));
  expect(await readShown()).toMatchObject({ canary_state: 'up' });
  const { revision } = await readShown();
  expect(await readEvents()).toEqual([]);

  await till.limit(0n);
  await simulateWithKill();
  await simulateWithKill();
  const down = Array(opsCount).fill('down');
  expect((await readOps()).map(({ state }) => state)).toEqual(down);
  expect(await readEvents()).toEqual([{ name: 'Degraded', states: down }]);
  expect(await readShown()).toEqual({ canary_state: 'down', revision: revision + 1 });

  await till.limit(noLimit);
  await simulateWithKill();
  await simulateWithKill();
  expect(await readEvents()).toEqual([
    { name: 'Degraded', states: down },
    { name: 'Recovered', states: Array(opsCount).fill('up') },
  ]);
  expect(await readShown()).toEqual({ canary_state: 'up', revision: revision + 2 });
  expect(await readCounts()).toEqual({ worked: 3 * opsCount, failed: 2 * opsCount });
});
