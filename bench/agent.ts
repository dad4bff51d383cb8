import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Transaction } from '@mysten/sui/transactions';
import { type Database, openDatabase } from '../db/client.ts';
import { startEmbeddedServer } from '../db/embedded/server.ts';
import { migrateDatabase } from '../db/migrate.ts';
import { linesOf, shop, startAgentWorld, startTestAgent } from '../test/support/agent-world.ts';
import { coinType } from '../test/support/wallet-packages.ts';
import type { Options, Result } from './run.ts';

const runsFull = 60;

/**
 * Milliseconds from the request of a spend to its receipt, beside `signAndExecuteTransaction` and `waitForTransaction`
 * of the same transaction by an ordinary client. By turns against one local network; medians. The tool service's part
 * is a bare build of the transaction, the same in both.
 */
export async function run({ scale }: Options): Promise<Result> {
  const runs = Math.max(5, Math.round(runsFull * scale));
  await using stack = new AsyncDisposableStack();
  const world = await startAgentWorld(() => openDurableDatabase(stack));
  stack.defer(() => world.close());
  const agent = await startTestAgent(world);
  stack.defer(() => agent.close());
  const { client, owner } = world.network;
  const request = (walletId: string) => ({
    ...{ owner: owner.address, walletId, network: 'testnet' as const, action: 'spend' as const },
    ...{ coinType, amount: '1', recipient: shop },
  });

  const orchestrated: number[] = [];
  const bare: number[] = [];
  let wallet = await world.wallet();
  for (let nth = -2; nth < runs; nth += 1) {
    if (nth % 200 === 0) wallet = await world.wallet();
    const wanted = request(wallet.walletId);
    const times = [
      await timed(async () => {
        const last = (await linesOf(await agent.post(wanted))).at(-1);
        if (last?.status !== 'done') throw new Error(JSON.stringify(last));
      }),
      await timed(async () => {
        const draft = await world.honest({ sender: world.agent.address, request: wanted });
        if ('status' in draft) throw new Error('no draft');
        const transaction = Transaction.fromKind(draft.transactionKind);
        const done = await client.signAndExecuteTransaction({ transaction, signer: world.agent.keypair });
        if (done.$kind === 'FailedTransaction') throw new Error('failed');
        await client.waitForTransaction({ digest: done.Transaction.digest, pollSchedule: [0, 50, 150, 350] });
      }),
    ] as const;
    // The first ones warm both up.
    if (nth < 0) continue;
    orchestrated.push(times[0]);
    bare.push(times[1]);
  }
  const [value, limit] = [median(orchestrated), median(bare)];
  return {
    name: 'agent',
    unit: 'ms',
    value: round(value),
    limit: round(limit),
    limitName: 'bare signAndExecuteTransaction of the same transaction',
    // Time: the smaller is the better.
    ratio: limit / value,
    aim: 0.3,
    details: { runs, 'added by orchestration, ms': round(value - limit) },
  };
}

/** Of a server that writes to disk what it commits, as a host's does. */
async function openDurableDatabase(
  stack: AsyncDisposableStack,
): Promise<Database & { drop(): Promise<void> }> {
  const dir = await mkdtemp(join(tmpdir(), 'bench-agent-'));
  stack.defer(() => rm(dir, { recursive: true, force: true }));
  const server = await startEmbeddedServer({ dir });
  stack.defer(() => server.stop());
  const db = openDatabase(server.url, { max: 8 });
  await migrateDatabase(db);
  return Object.assign(db, { drop: () => db.close() });
}

async function timed(work: () => Promise<void>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

const median = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;
const round = (ms: number) => Math.round(ms * 10) / 10;
