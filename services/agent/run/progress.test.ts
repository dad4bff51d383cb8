import type { Pool } from 'pg';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { readOpenRuns } from '../../../db/queries/agent/locks.ts';
import { openRun } from '../../../db/queries/agent/open-run.ts';
import { addLines, readLines, readRun } from '../../../db/queries/agent/runs.ts';
import { RunFailedError } from '../../../lib/agent/run-failure.ts';
import type { RunStepName } from '../../../lib/agent/shapes.ts';
import { silentLogger } from '../../../lib/log/index.ts';
import { useTestDatabase } from '../../../test/support/database.ts';
import { losing } from '../../../test/support/losing-pool.ts';
import { newRun } from '../../../test/support/new-run.ts';
import { buildPassedLines, Progress, RunTakenError } from './progress.ts';

const worker = 7;
const startedAt = new Date('2026-03-14T12:00:00Z');

const lines = buildPassedLines('validate');
let run: number;
let stop: AbortController;

const database = useTestDatabase();
afterAll(async () => {
  // A step that is retried forever would hold the pool.
  stop?.abort();
});
beforeEach(async () => {
  stop = new AbortController();
  await database.pool.query('truncate agent_runs, agent_run_steps, agent_reservations, agent_limits');
  const opening = await openRun(database.pool, { ...newRun(worker, startedAt), lines });
  if (opening.kind !== 'opened') throw new Error(opening.kind);
  run = opening.run;
});

/** Progress of the run after its first lines. The database loses the answer to a statement that contains `text`. */
const losingAt = (text: string, step: RunStepName) =>
  buildProgress(step, { db: losing(database.pool, text) });

const buildProgress = (
  step: RunStepName,
  { db = database.pool, nextPosition = lines.length }: { db?: Pool; nextPosition?: number } = {},
) =>
  new Progress({
    db,
    log: silentLogger,
    now: () => startedAt,
    signal: stop.signal,
    wakers: { publish: () => undefined },
    run,
    worker,
    nextPosition,
    step,
  });

const shown = async () => {
  const { steps = [], reserved } = (await readRun(database.pool, run)) ?? {};
  return { steps: steps.map(({ step, status }) => ({ step, status })), reserved };
};

test('a line whose answer the database loses is written once, and the run goes on', async () => {
  const progress = losingAt('agent_run_steps', 'draft');
  progress.pass();
  progress.pass();
  await progress.written();
  const { steps } = await shown();
  expect(steps).toEqual([...lines, ...buildPassedLines('draft'), ...buildPassedLines('check')]);
});

test('a text that PostgreSQL cannot store does not stop the run', async () => {
  const progress = buildProgress('draft');
  progress.pass({ detail: 'A name\0 of a stranger.' });
  await progress.written();
  const { steps = [] } = (await readRun(database.pool, run)) ?? {};
  expect(steps.map(({ detail }) => detail)).toContain('A name\ufffd of a stranger.');
});

test('what is set aside is set aside once, where the answer to it is lost', async () => {
  const coin = { subject: 'wallet:1', measure: '0x2::sui::SUI', amount: 10n, dailyMax: 15n };
  expect(await losingAt('agent_reservations', 'simulate').passReserving([coin])).toBeUndefined();
  expect(await shown()).toEqual({
    steps: [...lines, ...buildPassedLines('simulate')],
    reserved: [{ coinType: coin.measure, amount: '10' }],
  });
});

test('a run that is taken up after its transaction executed has one last line', async () => {
  const progress = buildProgress('confirm');
  progress.passExecution('digest');
  await progress.written();
  await progress.done([], { digest: 'digest' }, { charged: 0n, coin: null });
  const { steps } = await shown();
  expect(steps).toEqual([...lines, { step: 'confirm', status: 'done' }]);
});

test('a signed run is settled though a crash of the database lost lines in its middle', async () => {
  await buildProgress('draft').passReserving([]);
  await database.pool.query(`update agent_runs set state = 'signed', digest = 'signed' where id = $1`, [run]);
  await database.pool.query('delete from agent_run_steps where run = $1 and position = 1', [run]);
  const [open] = await readOpenRuns(database.pool, worker, [run]);
  const progress = buildProgress('confirm', { nextPosition: open!.nextPosition });
  await progress.done([], { digest: 'signed' }, { charged: 0n, coin: null });
  expect(await readRun(database.pool, run)).toMatchObject({ state: 'done' });
  const { lines: first, next } = await readLines(database.pool, run, 0);
  expect(first.at(-1)).toMatchObject({ step: 'confirm', status: 'done' });
  expect(await readLines(database.pool, run, next)).toMatchObject({ lines: first.slice(-1), next });
});

describe('a run that is signed after another part of the process read it as unsigned', () => {
  beforeEach(async () => {
    const signed = `update agent_runs set state = 'signed', digest = 'signed' where id = $1`;
    await database.pool.query(signed, [run]);
    await addLines(database.pool, { run, worker }, { ...buildSigned(), position: lines.length });
  });
  const buildSigned = () => ({ lines: buildPassedLines('sign', { digest: 'signed' }), at: startedAt });

  test('is not ended as interrupted', async () => {
    const failure = new RunFailedError('interrupted', 'Nothing was signed.');
    await expect(buildProgress('simulate').fail(failure)).rejects.toThrow(RunTakenError);
    expect(await readRun(database.pool, run)).toMatchObject({
      state: 'signed',
      digest: 'signed',
      code: null,
    });
  });

  test('is not left to the operator for another transaction', async () => {
    const failure = new RunFailedError('unknown', 'The database lost what followed.');
    await expect(buildProgress('simulate').leave(failure, 'another')).rejects.toThrow(RunTakenError);
    expect(await readRun(database.pool, run)).toMatchObject({
      state: 'signed',
      digest: 'signed',
      code: null,
    });
  });
});
