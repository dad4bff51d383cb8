import { Ed25519Keypair } from '@mysten/sui/keypairs/ed25519';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { type Database, openDatabase } from '../../db/client.ts';
import { findRunningRoles } from '../../services/migrate/migrate.ts';
import { createMigratedDatabase, redisDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { freePorts } from '../support/free-ports.ts';
import { type KubernetesObject, renderChart } from '../support/helm.ts';
import { adminSecret } from '../support/keys.ts';
import { createDataDir, startService } from '../support/service.ts';
import { type Container, findWorkloads } from '../support/workloads.ts';

let objects: KubernetesObject[];
let secrets: Record<string, string>;
let dataDir: string;
let db: Database;
beforeAll(async () => {
  const created = await createMigratedDatabase();
  db = openDatabase(created.url, { max: 1, name: 'migrations' });
  const data = await createDataDir();
  dataDir = data.dir;
  objects = await renderChart('everything');
  secrets = {
    AGENT_SECRET_KEY: Ed25519Keypair.generate().getSecretKey(),
    DATABASE_URL: created.url,
    INTERNAL_AGENT_SECRET: 'x'.repeat(32),
    MARKETPLACE_ADMIN_SECRET: adminSecret,
    REDIS_URL: await redisDatabase(),
    // No node listens there. The roles start all the same, and the gateway does not become ready.
    SUI_MAINNET_RPC_URL: 'http://127.0.0.1:1',
    SUI_TESTNET_RPC_URL: 'http://127.0.0.1:1',
  };
  return async () => {
    await data.remove();
    await db.close();
    await created.drop();
  };
});

/** Starts a container as its pod would, on free ports of this machine. Resolves to the url of each of its ports. */
async function startContainer({ args, env, ports }: Container): Promise<Record<string, string>> {
  const free = await freePorts(ports!.length);
  const portByNumber = new Map(
    ports!.map(({ containerPort }, index) => [String(containerPort), free[index]!]),
  );
  const toHere = (name: string, value: string) =>
    name === 'HOST' || name === 'AGENT_HOST' ? '127.0.0.1' : String(portByNumber.get(value) ?? value);
  const settings = env.map(({ name, value }) => [
    name,
    value === undefined ? secrets[name]! : toHere(name, value),
  ]);
  const registries = { TESTNET_REGISTRY_OBJECT_ID: '0x3', MAINNET_REGISTRY_OBJECT_ID: '0x4' };
  const service = startService(dataDir, args!, {
    ...Object.fromEntries(settings),
    ...registries,
    DATA_DIR: dataDir,
  });
  onTestFinished(async () => {
    service.process.kill('SIGKILL');
    await service.exited;
  });
  return Object.fromEntries(ports!.map(({ name }, index) => [name, `http://127.0.0.1:${free[index]}`]));
}

test.each(['gateway', 'indexer', 'dispatcher', 'agent'])(
  'a pod of the %s answers its probes, says why it is not ready, and is found by the job of an upgrade',
  async (role) => {
    const { container } = findWorkloads(objects).find(({ name }) => name.endsWith(`-${role}`))!;
    const urls = await startContainer(container);
    const { startupProbe, livenessProbe, readinessProbe } = container;
    for (const probe of [startupProbe, livenessProbe]) {
      const { path, port } = probe!.httpGet;
      await eventually(async () => expect((await fetch(urls[port] + path)).status).toBe(200));
    }
    // The job of an upgrade finds the role by its connections.
    await eventually(async () => expect((await findRunningRoles(db.pool)).join()).toContain(role));
    if (!readinessProbe) return;
    const { path, port } = readinessProbe.httpGet;
    const expected = role === 'gateway' ? { code: 'not_ready', status: 503 } : { status: 'ready' };
    await eventually(async () =>
      expect(await (await fetch(urls[port] + path)).json()).toMatchObject(expected),
    );
  },
);
