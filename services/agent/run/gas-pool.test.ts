import { createChainClient } from '@adaptor-marketplace/adaptor/chain/client';
import { startNodeDouble } from '@adaptor-marketplace/adaptor/testing/node-double';
import { GrpcTypes } from '@mysten/sui/grpc';
import pg from 'pg';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openRun } from '../../../db/queries/agent/open-run.ts';
import { silentLogger } from '../../../lib/log/index.ts';
import { useTestDatabase } from '../../../test/support/database.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { newRun } from '../../../test/support/new-run.ts';
import type { Node } from '../chain/node.ts';
import { createGasPool, Queue } from './gas-pool.ts';
import { openWakers } from './wakers.ts';

const database = useTestDatabase();

describe('while a run waits for a coin', () => {
  /**
   * Serves the waiting callers by name and returns their order. `join` adds another caller when the named one is
   * served.
   */
  async function served(names: readonly string[], join: Record<string, string> = {}): Promise<string[]> {
    const queue = new Queue();
    const order: string[] = [];
    const served: Promise<void>[] = [];
    const take = (name: string, work = () => Promise.resolve()) => {
      const waiting = queue.enter(name.startsWith('planned')).then(async () => {
        order.push(name);
        if (join[name]) take(join[name]);
        await work();
        queue.leave();
      });
      served.push(waiting);
    };
    const first = Promise.withResolvers<void>();
    take('unplanned 0', () => first.promise);
    for (const name of names) take(name);
    first.resolve();
    for (let ended = 0; ended < served.length; ended += 1) await served[ended];
    return order.slice(1);
  }

  test('planned callers come before unplanned ones, each in the order of their calls', async () => {
    const order = await served(['unplanned 1', 'unplanned 2', 'planned 1', 'planned 2']);
    expect(order).toEqual(['planned 1', 'planned 2', 'unplanned 1', 'unplanned 2']);
  });

  test('every fifth coin goes to an unplanned caller, even while planned ones keep coming', async () => {
    const join = Object.fromEntries(
      Array.from({ length: 12 }, (_, nth) => [`planned ${nth + 1}`, `planned ${nth + 2}`]),
    );
    const order = await served(['unplanned 1', 'unplanned 2', 'planned 1'], join);
    const places = ['unplanned 1', 'unplanned 2'].map((name) => order.indexOf(name));
    expect([places, order.length]).toEqual([[4, 9], 15]);
  });
});

const [worker, startedAt] = [7, new Date('2026-03-14T12:00:00Z')];
const payer = `0x${'a'.repeat(64)}`;

/** A pool of the payer's coins on a node that answers with these handlers. */
async function createPool(handlers: Parameters<typeof startNodeDouble>[0], gasMax: bigint) {
  const double = await startNodeDouble(handlers);
  onTestFinished(() => double.close());
  const client = createChainClient({ url: double.url });
  onTestFinished(() => client.close());
  const wakers = openWakers(database, silentLogger);
  onTestFinished(() => wakers.close());
  const gas = createGasPool({
    db: database.pool,
    sessions: database.sessions,
    payer: { address: payer, sign: async () => '' },
    wakers,
    gasMax,
    recover: async () => undefined,
    timing: { pauseMs: 1, pauseMsMax: 1, shownMsMax: 1 },
    sending: new Set(),
    alarm: () => undefined,
    log: silentLogger,
    now: () => startedAt,
    signal: new AbortController().signal,
  });
  return { gas, node: { settings: { network: 'testnet' }, client } as Node };
}

async function open(walletId: string): Promise<number> {
  const opening = await openRun(database.pool, { ...newRun(worker, startedAt), walletId, agent: payer });
  if (opening.kind !== 'opened') throw new Error(opening.kind);
  return opening.run;
}

test('runs whose coins are all outdated read the coins together, and leave connections for others', async () => {
  const { pool: db } = database;
  const count = 16;
  let listings = 0;
  const { gas, node } = await createPool(
    {
      batchGetObjects: ({ requests }: GrpcTypes.BatchGetObjectsRequest) => ({
        objects: requests.map(() => ({
          result: { oneofKind: 'error', error: { code: 5, message: 'not found' } },
        })),
      }),
      listOwnedObjects: () => {
        listings += 1;
        return { objects: [] };
      },
    },
    1n,
  );
  // Another process reads the coins.
  const other = new pg.Client({ connectionString: database.directUrl });
  await other.connect();
  onTestFinished(() => other.end());
  await other.query('select pg_advisory_lock(hashtextextended($1, 0))', [`gas coins testnet ${payer}`]);
  const releases = await Promise.all(
    Array.from({ length: count }, async (_, nth) => {
      const run = await open(String(nth));
      const coin = { coinId: `0x${nth}`, version: 1, digest: 'd', balance: 1n };
      await db.query(
        `insert into agent_gas_coins (network, payer, coin_id, version, digest, balance, run)
          values ('testnet', $1, $2, 1, 'd', 1, $3)`,
        [payer, coin.coinId, run],
      );
      return () => gas.releaseStaleCoin({ run, worker, node, planned: true }, coin);
    }),
  );
  const releasing = Promise.all(releases.map((release) => release()));
  releasing.catch(() => undefined);
  const stale = `select from agent_gas_coins where stale`;
  await eventually(async () => expect((await other.query(stale)).rowCount).toBe(count));
  await db.query('select 1');
  await other.query('select pg_advisory_unlock_all()');
  expect(await releasing).toEqual(Array(count).fill(true));
  expect(listings).toBeLessThan(count);
});

test('a coin that a stranger sent as a party object pays for no run', async () => {
  await database.pool.query('truncate agent_runs, agent_gas_coins');
  const { ADDRESS, CONSENSUS_ADDRESS } = GrpcTypes.Owner_OwnerKind;
  const build = (digit: string, kind: GrpcTypes.Owner_OwnerKind, balance: bigint) => ({
    objectId: `0x${digit.repeat(64)}`,
    objectType: '0x2::coin::Coin<0x2::sui::SUI>',
    version: 5n,
    digest: 'd',
    owner: { kind, address: payer, version: 5n },
    balance,
  });
  const [party, own] = [build('b', CONSENSUS_ADDRESS, 1_000n), build('c', ADDRESS, 10n)];
  const { gas, node } = await createPool({ listOwnedObjects: () => ({ objects: [party, own] }) }, 10n);
  const run = await open('1');
  expect(await gas.lease({ run, worker, node, planned: true })).toMatchObject({ coinId: own.objectId });
});
