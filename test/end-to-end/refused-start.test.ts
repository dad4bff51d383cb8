import { existsSync } from 'node:fs';
import { glob, readdir, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { getErrorMessage } from '@adaptor-marketplace/adaptor';
import { Ed25519Keypair } from '@mysten/sui/keypairs/ed25519';
import { Registry } from '@prometheus-io/client';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, inject, onTestFailed, onTestFinished, test } from 'vitest';
import { openDatabase } from '../../db/client.ts';
import { startEmbeddedServer } from '../../db/embedded/server.ts';
import { migrateDatabase } from '../../db/migrate.ts';
import { loadConfig } from '../../lib/config/index.ts';
import { createPhases } from '../../lib/log/phases.ts';
import type { Role } from '../../services/roles/roles.ts';
import { startRoles } from '../../services/roles/start.ts';
import { createTestDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { listenLocally } from '../support/listen-locally.ts';
import {
  anyPorts,
  createDataDir,
  postgresPid,
  ready,
  startService,
  stopService,
} from '../support/service.ts';

const blocker = createServer();
let taken: string;
const noDatabase = new URL('/no_such_database', inject('postgresUrl')).href;
let dataDir: Awaited<ReturnType<typeof createDataDir>>;

beforeAll(async () => {
  dataDir = await createDataDir();
  taken = String((await listenLocally(blocker)).port);
});
afterAll(async () => {
  blocker.close();
  await dataDir.remove();
});

/** Settings of a network whose node is not asked at the start. */
const unreachable = {
  SUI_TESTNET_RPC_URL: 'http://127.0.0.1:1',
  TESTNET_REGISTRY_PACKAGE_ID: '0x1',
  TESTNET_REGISTRY_OBJECT_ID: '0x2',
};

interface Refusal {
  reason: string;
  /** Log lines from before. */
  log: string;
}

/** Starts the roles as `npm start` does, but in this process, and closes what runs by the time that this is refused. */
async function findRefusal(
  dir: string,
  roles: Role[] | undefined,
  env: Record<string, string> = {},
): Promise<Refusal> {
  const lines: string[] = [];
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) });
  const config = loadConfig({ DATA_DIR: dir, ...anyPorts, ...env }, []);
  await using closing = new AsyncDisposableStack();
  const { signal: stop } = new AbortController();
  const [phases, metrics] = [createPhases(log), new Registry()];
  const context = { config, log, phases, closing, stop, metrics, notices: new Set<string>() };
  const started = startRoles(roles, context);
  const error = await started.then(
    () => expect.fail('The roles started.'),
    (refusal: unknown) => refusal,
  );
  return { reason: getErrorMessage(error), log: lines.join('') };
}

test('a second start in the same data folder is refused while the first still makes its network, and harms nothing', async () => {
  // This test comes first. If the folder already has a network, the second start may be the one that takes it.
  const first = startService(dataDir.dir, []);
  onTestFinished(() => void first.process.kill('SIGKILL'));
  await eventually(() => expect(existsSync(join(dataDir.dir, 'localnet'))).toBe(true));
  const second = startService(dataDir.dir, []);
  onTestFinished(() => void second.process.kill('SIGKILL'));
  onTestFailed(() => console.log(`first:\n${first.output()}\nsecond:\n${second.output()}`));
  expect(await second.exited).toBe(1);
  await eventually(() => expect(second.output()).toMatch(/DATA_DIR: another process/));
  await ready(first, dataDir.dir);
  await eventually(() => expect(first.output()).toContain('Ready.'));
  const phases = [
    'loading the service',
    'beginning the chain',
    'compiling the contracts',
    'publishing the adaptors',
    'using the adaptors from five wallets',
    'starting the local network',
    'Ready.',
  ];
  const places = phases.map((phase) => first.output().indexOf(phase));
  expect(places).not.toContain(-1);
  expect(places).toEqual(places.toSorted((one, other) => one - other));
  expect(await stopService(first)).toBe(0);
});

test('a process that cannot start ends by itself, says why and leaves nothing running', async () => {
  const service = startService(dataDir.dir, [], { PORT: taken });
  onTestFinished(() => void service.process.kill('SIGKILL'));
  expect(await service.exited).toBe(1);
  await eventually(() => expect(service.output()).toMatch(/PORT: port \d+ is in use/));
  expect(await postgresPid(dataDir.dir)).toBeUndefined();
});

test.each([
  'PORT',
  'LOCALNET_PORT',
  'LOCALNET_FAUCET_PORT',
  'LOCALNET_BLOBS_PORT',
  'EMBEDDED_POSTGRES_PORT',
  'TOOLS_PORT',
  'AGENT_PORT',
  'METRICS_PORT',
])('a port in use that %s requires is named before anything starts, with what to do', async (name) => {
  const empty = await createDataDir();
  onTestFinished(() => empty.remove());
  const { reason } = await findRefusal(empty.dir, undefined, { [name]: taken });
  const advice = `${name}: port ${taken} is in use. Stop what uses it, or set ${name} to another port;`;
  expect(reason).toContain(advice);
  expect(await readdir(empty.dir)).toEqual([]);
});

test('a required port of the embedded PostgreSQL is free to a second process that shares the server', async () => {
  const shared = await createDataDir();
  onTestFinished(() => shared.remove());
  const server = await startEmbeddedServer({ dir: join(shared.dir, 'postgres'), volatile: true });
  onTestFinished(() => server.stop());
  const port = new URL(server.url).port;
  const env = { EMBEDDED_POSTGRES_PORT: port, GRAPHQL_TRUSTED_DOCUMENTS: '/no/such.json' };
  const { reason } = await findRefusal(shared.dir, ['gateway'], { ...env, ...unreachable });
  expect(reason).toMatch(/GRAPHQL_TRUSTED_DOCUMENTS/);
});

test.each([
  ['GRAPHQL_TRUSTED_DOCUMENTS', () => '/no/such.json', /GRAPHQL_TRUSTED_DOCUMENTS: \/no\/such.json: ENOENT/],
  ['DATABASE_URL', () => noDatabase, /DATABASE_URL: .*does not exist/],
])(
  'a start that %s makes impossible is refused with the reason, and leaves nothing running',
  async (name, value, why) => {
    const { reason } = await findRefusal(dataDir.dir, undefined, { [name]: value() });
    expect(reason).toMatch(why);
    expect(await postgresPid(dataDir.dir)).toBeUndefined();
  },
);

const internalSecret = { INTERNAL_AGENT_SECRET: 'sixteen-letters-or-more' };
test.each<[Role, Record<string, string>, RegExp]>([
  ['dispatcher', {}, /The dispatcher role needs a key-value store/],
  ['agent', {}, /Set INTERNAL_AGENT_SECRET/],
  ['tools', {}, /Set INTERNAL_AGENT_SECRET/],
  ['agent', internalSecret, /The agent role needs TOOLS_URL/],
])('a role %s with the settings %o is refused before it waits for anything', async (role, env, why) => {
  const { reason, log } = await findRefusal(dataDir.dir, [role], env);
  expect(reason).toMatch(why);
  expect(log).not.toContain('waiting for');
});

test.each(['gateway', 'indexer', 'agent', 'dispatcher'] as const)(
  'the role %s refuses to start on a database that a newer version has migrated',
  async (role) => {
    const db = await createTestDatabase();
    await db.pool.query(
      "insert into drizzle.__drizzle_migrations (hash, created_at) values ('newer', 9000000000000)",
    );
    const agentSettings = { ...internalSecret, TOOLS_URL: unreachable.SUI_TESTNET_RPC_URL };
    const key = { AGENT_SECRET_KEY: Ed25519Keypair.generate().getSecretKey() };
    const env = {
      ...unreachable,
      ...agentSettings,
      ...key,
      REDIS_URL: 'memory:',
      DATABASE_URL: db.directUrl,
    };
    expect((await findRefusal(dataDir.dir, [role], env)).reason).toMatch(/DATABASE_URL: .*newer version/);
  },
);

test('a data folder whose network is gone is refused, because its database knows another chain', async () => {
  await rm(join(dataDir.dir, 'localnet'), { recursive: true });
  const { reason } = await findRefusal(dataDir.dir, undefined);
  expect(reason).toMatch(/DATA_DIR: .* Remove .* to start over/);
});

test('a data folder whose database is from before the first release is refused with what to do', async () => {
  const older = await createDataDir();
  onTestFinished(() => older.remove());
  const server = await startEmbeddedServer({ dir: join(older.dir, 'postgres'), volatile: true });
  const db = openDatabase(server.url, { max: 1 });
  await db.pool.query(`create schema drizzle;
    create table drizzle.__drizzle_migrations (id serial primary key, hash text not null, created_at bigint);
    insert into drizzle.__drizzle_migrations (hash, created_at) values ('first', 1)`);
  await db.close();
  await server.stop();
  const { reason } = await findRefusal(older.dir, undefined);
  expect(reason).toMatch(/DATA_DIR: .* before the first release .* Remove .* to start over/);
});

test('a data folder whose database a newer version has migrated is refused with what to do', async () => {
  const newer = await createDataDir();
  onTestFinished(() => newer.remove());
  const server = await startEmbeddedServer({ dir: join(newer.dir, 'postgres'), volatile: true });
  const db = openDatabase(server.url, { max: 1 });
  await migrateDatabase(db);
  await db.pool.query(
    "insert into drizzle.__drizzle_migrations (hash, created_at) values ('newer', 9000000000000)",
  );
  await db.close();
  await server.stop();
  const { reason } = await findRefusal(newer.dir, undefined);
  expect(reason).toMatch(/DATA_DIR: a newer version .* set another DATA_DIR/);
});

test('a data folder whose database is of another PostgreSQL is refused with what to do', async () => {
  const foreign = await createDataDir();
  onTestFinished(() => foreign.remove());
  const server = await startEmbeddedServer({ dir: join(foreign.dir, 'postgres'), volatile: true });
  await server.stop();
  const [version] = await Array.fromAsync(glob(join(foreign.dir, '**/data/PG_VERSION')));
  await writeFile(version!, '15\n');
  const { reason } = await findRefusal(foreign.dir, undefined);
  expect(reason).toMatch(/DATA_DIR: .* was created by PostgreSQL 15, .* Remove it .* to start over/);
});

test('a data folder whose network is of another version is refused with what to do', async () => {
  const other = await createDataDir();
  onTestFinished(() => other.remove());
  await writeFile(join(other.dir, 'demo.json'), '{ "network": "testnet" }');
  const { reason } = await findRefusal(other.dir, undefined);
  expect(reason).toMatch(/DATA_DIR: .* another version of this service .* Remove .* to start over/);
});
