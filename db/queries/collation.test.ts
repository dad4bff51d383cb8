import { expect, test } from 'vitest';
import { createTestDatabase } from '../../test/support/database.ts';
import { agentList } from './agents.ts';
import { readPages } from './lists.ts';

test('pages of a list by name are each item once, however the database compares texts', async () => {
  const { pool } = await createTestDatabase();
  await pool.query('drop schema analytics cascade');
  await pool.query('alter table agents alter column name type text collate "unicode"');
  const names = ['alpha', 'Beta', 'gamma', 'Delta'];
  await pool.query(
    `insert into agents (network, agent, name, description, skills, version, listed, registered_at, updated_at, completed_jobs, earned)
      select 'testnet', 'a' || name, name, '', '{}', 1, true, now(), now(), 0, 0 from unnest($1::text[]) name`,
    [names],
  );
  const walked: string[] = [];
  for (let after: string | undefined, more = true; more; ) {
    const [page] = await readPages(pool, agentList, [{ network: 'testnet', first: 1, after }]);
    walked.push(...page!.items.map(({ name }) => name));
    after = page!.cursors.at(-1);
    more = page!.hasMore;
  }
  expect(walked).toEqual(names.toSorted());
});
