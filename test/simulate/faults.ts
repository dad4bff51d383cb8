import { Client, type Pool } from 'pg';
import type { Database } from '../../db/client.ts';
import { eventually } from '../support/eventually.ts';
import { acceptRows, refuseRows } from '../support/full-disk.ts';
import type { TcpProxy } from '../support/tcp-proxy.ts';
import { blobMistakes } from '../support/world/blob-front.ts';
import type { World } from '../support/world/world.ts';
import type { Receiver } from './receiver.ts';

interface Fault {
  name: string;
  /** Part of the world that it breaks. A part has one fault at a time. */
  target: string;
  begin(): unknown;
  end(): unknown;
}

export const faultNames = (world: World, receiver: Receiver): string[] => [
  ...new Set(listFaults(world, receiver).map(({ name }) => name)),
];

export function listFaults(world: World, receiver: Receiver): Fault[] {
  const { roles, proxies } = world;
  return [
    ...roles.flatMap((role, at): Fault[] => {
      const target = `${role.name} ${at}`;
      const signal = (name: NodeJS.Signals) => void role.service().process.kill(name);
      return [
        { name: `kill ${role.name}`, target, begin: () => signal('SIGKILL'), end: role.start },
        { name: `pause ${role.name}`, target, begin: () => signal('SIGSTOP'), end: () => signal('SIGCONT') },
        {
          name: `clock of ${role.name} jumps`,
          target,
          begin: () => signal('SIGUSR2'),
          end: () => signal('SIGUSR2'),
        },
      ];
    }),
    ...Object.entries(proxies).flatMap(([name, proxy]) => listProxyFaults(name, proxy)),
    ...listNodeFaults(world),
    pruneNode(world),
    ...listDatabaseFaults(world),
    emptyStore(world),
    ...blobMistakes.map(
      (mistake): Fault => ({
        name: `blob store ${mistake}`,
        target: 'answers of blob store',
        begin: () => world.blobFront.mistake(mistake),
        end: () => world.blobFront.mistake(undefined),
      }),
    ),
    {
      name: 'receiver fails',
      target: 'receiver',
      begin: () => receiver.answerWith(500),
      end: () => receiver.answerWith(200),
    },
    {
      name: 'receiver redirects',
      target: 'receiver',
      begin: () => receiver.answerWith(302),
      end: () => receiver.answerWith(200),
    },
    {
      name: 'receiver hangs',
      target: 'receiver',
      begin: () => receiver.answerWith('nothing'),
      end: () => receiver.answerWith(200),
    },
  ];
}

const listProxyFaults = (target: string, proxy: TcpProxy): Fault[] => [
  { name: `cut ${target}`, target, begin: () => proxy.cut(), end: () => proxy.restore() },
  { name: `stall ${target}`, target, begin: () => proxy.stall(), end: () => proxy.restore() },
];

/** Misbehaviours of the node, as `POST /admin/misbehave` takes them. What the world cannot undo is not among them. */
const misbehaviours: Readonly<Record<string, Record<string, unknown>>> = {
  'node drops streams': { dropStream: { afterFrames: 3 } },
  'node ends streams': { cutStreams: { afterMs: 500, code: 'UNAVAILABLE' } },
  'node stalls streams': { stallStream: { afterFrames: 3 } },
  'node fails calls': { failCalls: { code: 'INTERNAL', share: 0.5 } },
  'node is unavailable': { failCalls: { code: 'UNAVAILABLE' } },
  'node limits calls': { limitCalls: { calls: 5, windowMs: 1_000 } },
  'proxy of node limits calls': {
    limitCalls: { calls: 5, windowMs: 1_000, answer: 'HTTP_429', delay: false },
  },
  'node loses answers': { loseAnswers: { answer: 'DEADLINE_EXCEEDED', share: 0.5 } },
  'node lists late': { lagLists: { checkpoints: 5 } },
  'one of two nodes is late': { late: { checkpoints: 10, share: 0.5 } },
  'node has no lists': { refuseLists: true },
  'clock of node jumps': { clock: { offsetMs: 5_000 } },
  'node closes connections': { goAway: { afterCalls: 5 } },
};

const listNodeFaults = (world: World): Fault[] =>
  Object.entries(misbehaviours).map(([name, settings]) => ({
    name,
    target: 'answers of node',
    begin: () => misbehave(world, settings),
    end: () => misbehave(world, Object.fromEntries(Object.keys(settings).map((key) => [key, null]))),
  }));

async function misbehave({ demo }: World, settings: Record<string, unknown>): Promise<void> {
  // A network that is down or stopped misbehaves already, and forgets with its end.
  await fetch(`${demo.faucetUrl}/admin/misbehave`, {
    method: 'POST',
    body: JSON.stringify(settings),
    signal: AbortSignal.timeout(5_000),
  }).catch(() => undefined);
}

/** Checkpoints that a node keeps when it prunes: those of a second. Processes that were away need earlier ones. */
const keptCheckpoints = 4;

/** The node prunes, and the archive does not. What was pruned stays away until the network is started again. */
const pruneNode = (world: World): Fault => ({
  name: 'node prunes',
  target: 'history of node',
  async begin() {
    const tip = await world.archive.ledgerService
      .getServiceInfo({}, { abort: AbortSignal.timeout(5_000) })
      .then(
        ({ response }) => Number(response.checkpointHeight ?? 0n),
        () => 0,
      );
    if (tip > keptCheckpoints) await misbehave(world, { forget: { below: tip - keptCheckpoints + 1 } });
  },
  end() {},
});

const others = 'datname = current_database() and pid <> pg_backend_pid()';

const databaseServer = 'server of database';

/** More than the server takes. */
const connectionsMax = 200;

function listDatabaseFaults({ db, database }: World): Fault[] {
  const target = databaseServer;
  /** A server that recovers refuses connections. */
  const end = () => eventually(() => db.pool.query('select'));
  const held: Client[] = [];
  return [
    {
      name: 'end connections of database',
      target,
      begin: () =>
        eventually(() =>
          db.pool.query(`select pg_terminate_backend(pid) from pg_stat_activity where ${others}`),
        ),
      end,
    },
    {
      name: 'kill a process of database',
      target,
      async begin() {
        // The one whose transaction is the oldest: it may be about to commit.
        const { rows } = await eventually(() =>
          db.pool.query<{ pid: number }>(
            `select pid from pg_stat_activity where ${others} order by xact_start nulls last limit 1`,
          ),
        );
        for (const { pid } of rows) process.kill(pid, 'SIGKILL');
      },
      end,
    },
    {
      name: 'crash database',
      target,
      async begin() {
        const pid = 'pid' in database ? await database.pid() : undefined;
        if (pid !== undefined) process.kill(pid, 'SIGQUIT');
      },
      end,
    },
    {
      name: 'use up connections of database',
      target,
      async begin() {
        while (held.length < connectionsMax) {
          const client = new Client({ connectionString: db.directUrl });
          client.on('error', () => undefined);
          held.push(client);
          const isRefused = await client.connect().then(
            () => false,
            () => true,
          );
          if (isRefused) return;
        }
      },
      async end() {
        await Promise.all(held.splice(0).map((client) => client.end().catch(() => undefined)));
        await end();
      },
    },
    fillDisk(db),
  ];
}

const tablesQuery = `select oid::regclass::text as name from pg_class
  where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition`;

/** No table takes a row. */
function fillDisk({ pool }: Database): Fault {
  // A table at a time: a transaction that locks all of them would deadlock with those of the service.
  const change = (one: (pool: Pool, table: string) => Promise<void>) =>
    eventually(async () => {
      const { rows } = await pool.query<{ name: string }>(tablesQuery);
      for (const { name } of rows) await one(pool, name);
    });
  return {
    name: 'disk of database is full',
    target: databaseServer,
    begin: () => change(refuseRows),
    end: () => change(acceptRows),
  };
}

/** Answer of `PTTL` for a key that is gone. */
const expired = -2;

/** The store comes back without its data, which its operator restores. */
function emptyStore({ store, storeChanges }: World): Fault {
  let resume = () => {};
  let kept: (readonly [key: string, value: Buffer, ttlMs: number])[] = [];
  return {
    name: 'store is empty',
    target: 'data of store',
    async begin() {
      resume = await storeChanges.suspend();
      kept = [];
      for (const key of await store.keys('*')) {
        const value = await store.dumpBuffer(key);
        const ttlMs = await store.pttl(key);
        if (value && ttlMs !== expired) kept.push([key, value, ttlMs]);
      }
      await store.flushall();
    },
    async end() {
      await store.flushall();
      // The processes of the service write meanwhile: such a key is there already.
      for (const [key, value, ttlMs] of kept) await store.restore(key, Math.max(ttlMs, 0), value, 'REPLACE');
      resume();
    },
  };
}
