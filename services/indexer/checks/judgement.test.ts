import { expect, onTestFinished, test, vi } from 'vitest';
import { silentLogger } from '../../../lib/log/index.ts';
import { useTestDatabase } from '../../../test/support/database.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { readModelBuilder } from '../../../test/support/read-model.ts';
import { watchJudgement } from './judgement.ts';

const db = useTestDatabase();

test('a history is judged once, after everything that it brought was checked', async () => {
  const seed = readModelBuilder(db);
  await seed.source();
  await seed.listing();
  await db.pool.query('update listings set check_attempts = 0, next_check_at = now()');
  const judged = vi.fn();
  const judgement = watchJudgement(db, 'testnet', silentLogger, judged);
  onTestFinished(() => judgement.close());
  const query = vi.spyOn(db.pool, 'query');
  judgement.start('registry');
  await eventually(async () => expect(query).toHaveBeenCalled());
  await Promise.all(query.mock.results.map(({ value }) => value));
  expect(judged).not.toHaveBeenCalled();
  await db.pool.query('update listings set check_attempts = 1, next_check_at = null');
  judgement.look();
  await eventually(async () => expect(judged.mock.calls).toEqual([['registry']]));
  judgement.look();
  await judgement.close();
  expect(judged).toHaveBeenCalledOnce();
});
