import { expect, onTestFinished, test } from 'vitest';
import { openRun } from '../../../db/queries/agent/open-run.ts';
import { freeze } from '../../../db/queries/agent/operator.ts';
import { problem } from '../../../lib/errors/index.ts';
import { silentLogger } from '../../../lib/log/index.ts';
import { createTestDatabase } from '../../../test/support/database.ts';
import { newRun } from '../../../test/support/new-run.ts';
import { createRunTracker } from './driven-runs.ts';
import type { ExecuteDependencies } from './execute.ts';
import { buildPassedLines } from './progress.ts';
import { createRecovery } from './recovery.ts';
import { startWorker } from './worker.ts';

test('the runs that a dead process left without a signature are counted by how they end', async () => {
  const { pool: db, directUrl } = await createTestDatabase();
  const [deadWorker, startedAt] = [7, new Date('2026-03-14T12:00:00Z')];
  const run = { ...newRun(deadWorker, startedAt), lines: buildPassedLines('validate') };
  for (const walletId of ['1', '2']) await openRun(db, { ...run, walletId });
  const lost = { network: 'testnet', walletId: '2', reason: 'The database lost a run.', digest: 'lost' };
  await freeze(db, { ...lost, frozenAt: startedAt });
  const worker = await startWorker({
    databaseUrl: directUrl,
    onReconnected: () => undefined,
    log: silentLogger,
  });
  onTestFinished(() => worker.close());
  const counted: [action: string, outcome: string][] = [];
  const dependencies: Partial<ExecuteDependencies> = {
    db,
    wakers: { publish: () => undefined } as never,
    log: silentLogger,
    now: () => startedAt,
    signal: new AbortController().signal,
    count: (...one) => void counted.push(one),
  };
  const recover = createRecovery({
    worker,
    // No node is needed to end these runs.
    nodes: () => {
      throw problem('network_not_configured', 'No network is served.');
    },
    dependencies: dependencies as ExecuteDependencies,
    driven: createRunTracker(),
  });
  await recover();
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
