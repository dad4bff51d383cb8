import { expect, onTestFinished, test } from 'vitest';
import { openRun } from '../../../db/queries/agent/open-run.ts';
import { freeze } from '../../../db/queries/agent/operator.ts';
import { problem } from '../../../lib/errors/index.ts';
import { silentLogger } from '../../../lib/log/index.ts';
import { createTestDatabase } from '../../../test/support/database.ts';
import { newRun } from '../../../test/support/new-run.ts';
import type { Node, NodeChoice } from '../chain/node.ts';
import { createRunTracker } from './driven-runs.ts';
import type { ExecuteDependencies } from './execute.ts';
import type { GasPool } from './gas-pool.ts';
import { buildPassedLines } from './progress.ts';
import { createRecovery } from './recovery.ts';
import { startWorker } from './worker.ts';

const startedAt = new Date('2026-03-14T12:00:00Z');

/** A run that the worker 7, which is dead, left open. */
const orphan = { ...newRun(7, startedAt), lines: buildPassedLines('validate') };

async function startRecovery({ nodes, gas }: { nodes: NodeChoice; gas?: Partial<GasPool> }) {
  const { pool: db, directUrl } = await createTestDatabase();
  const worker = await startWorker({
    databaseUrl: directUrl,
    onReconnected: () => undefined,
    log: silentLogger,
  });
  onTestFinished(() => worker.close());
  const counted: [action: string, outcome: string][] = [];
  const dependencies: Partial<ExecuteDependencies> = {
    db,
    gas: gas as GasPool,
    wakers: { publish: () => undefined } as never,
    log: silentLogger,
    now: () => startedAt,
    signal: new AbortController().signal,
    count: (...one) => void counted.push(one),
  };
  const recover = createRecovery({
    worker,
    nodes,
    dependencies: dependencies as ExecuteDependencies,
    driven: createRunTracker(),
  });
  return { db, counted, recover };
}

test('the runs that a dead process left without a signature are counted by how they end', async () => {
  const { db, counted, recover } = await startRecovery({
    // No node is needed to end these runs.
    nodes: () => {
      throw problem('network_not_configured', 'No network is served.');
    },
  });
  for (const walletId of ['1', '2']) await openRun(db, { ...orphan, walletId });
  const lost = { network: 'testnet', walletId: '2', reason: 'The database lost a run.', digest: 'lost' };
  await freeze(db, { ...lost, frozenAt: startedAt });
  await recover('testnet');
  expect(counted.sort()).toEqual([
    ['spend', 'interrupted'],
    ['spend', 'unknown'],
  ]);
  const { rows } = await db.query('select state, code from agent_runs order by wallet_id');
  expect(rows).toEqual([
    { state: 'failed', code: 'interrupted' },
    { state: 'unknown', code: 'unknown' },
  ]);
});

test('an orphan whose network has a dead node delays neither the start nor the orphans of another network', async () => {
  const never = new Promise<void>(() => undefined);
  const { db, recover } = await startRecovery({
    nodes: (network) => ({ settings: { network } }) as Node,
    // An open split of gas coins is sent again until the node answers.
    gas: { prepare: ({ settings }) => (settings.network === 'mainnet' ? never : Promise.resolve()) },
  });
  await openRun(db, { ...orphan, network: 'mainnet' });
  await recover();
  await openRun(db, orphan);
  await recover('testnet');
  const { rows } = await db.query('select network, state from agent_runs order by network');
  expect(rows).toEqual([
    { network: 'mainnet', state: 'running' },
    { network: 'testnet', state: 'failed' },
  ]);
});
