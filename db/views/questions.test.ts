import pg from 'pg';
import { beforeAll, expect, test } from 'vitest';
import { alice, bob, fillForQuestions, questions, sui, usd } from '../../test/support/analytics-questions.ts';
import { useTestDatabase } from '../../test/support/database.ts';
import { computeCheckpointTime } from '../../test/support/read-model.ts';

const db = useTestDatabase();
beforeAll(async () => await fillForQuestions(db));

const at = (time: string) => new Date(time);

/** Expected rows for each question of the document. */
const answers: Record<string, unknown[][]> = {
  'How many listings were there at the end of each day?': [
    ['2025-06-15', '2', 1, 0],
    ['2025-06-16', '2', 0, 0],
    ['2025-06-17', '2', 0, 1],
  ],
  'How much are services of each category used, by day?': [
    ['2025-06-15', 'Swap', '2'],
    ['2025-06-16', 'Swap', '1'],
    ['2025-06-24', 'Swap', '1'],
  ],
  'How much of each coin do services move, by day?': [
    ['2025-06-15', sui, '2', '150', '0'],
    ['2025-06-15', usd, '2', '0', '18446744073709551616'],
    ['2025-06-16', sui, '1', '1', '0'],
    ['2025-06-16', usd, '1', '0', '1'],
    ['2025-06-24', sui, '1', '1', '0'],
    ['2025-06-24', usd, '1', '0', '1'],
  ],
  'How much of each coin do services move, in units of the coin?': [
    ['SUI', sui, '0.000000152', '0.000000000'],
    [null, usd, null, null],
  ],
  'Which coins were moved or paid, and what are their decimals?': [
    [sui, 'SUI', 9, 'Sui', 'found'],
    [usd, null, null, null, 'absent'],
  ],
  'Do wallets come back in the weeks after their first use?': [
    ['2025-06-09', 0, 2, '100.0'],
    ['2025-06-09', 1, 1, '50.0'],
    ['2025-06-09', 2, 1, '50.0'],
  ],
  'How long does a service wait for its first use?': [
    ['Swap', true, 'PT2H53M19S'],
    ['Lending', false, null],
  ],
  'Of the grants that wallets gave, how many led to a use, and how many are left?': [
    ['Lending', '1', '0', '0'],
    ['Swap', '2', '2', '1'],
  ],
  'Which grants were revoked?': [
    ['Swap', sui, at('2025-06-16T00:00:00Z')],
    ['Lending', null, at('2025-06-16T00:01:00Z')],
  ],
  'Who publishes, and how well is it used?': [
    [alice, 1, 1, 1, true, '4'],
    [bob, 1, 1, 1, true, '0'],
  ],
  'How did the listings change that were updated or unlisted?': [
    ['Lending', 1, true, computeCheckpointTime(2)],
    ['Lending', 2, true, computeCheckpointTime(3)],
    ['Lending', 3, false, at('2025-06-17T01:00:00Z')],
  ],
  'How are reviews distributed?': [
    ['Swap', 4, 1, 0],
    ['Swap', 5, 1, 0],
  ],
  'Which agents earn most?': [
    [bob, usd, 1, '18446744073709551615'],
    ['Reviewer', sui, 2, '350'],
  ],
  'Which webhooks fail?': [
    ['wh_bad', true, 0, 1, 1],
    ['wh_good', false, 2, 0, 0],
  ],
  'How do runs of the agent end?': [
    ['swap', 'done', null, '2', '1500'],
    ['swap', 'failed', 'gas_limit', '1', null],
  ],
};

test('the document has these questions', () => {
  expect(questions.map(([question]) => question)).toEqual(Object.keys(answers));
});

test.each(questions)('%s', async (question, sql) => {
  const client = new pg.Client({ connectionString: db.directUrl });
  await client.connect();
  try {
    await client.query("set intervalstyle = 'iso_8601'; set timezone = 'UTC'; set role analyst");
    const types = {
      getTypeParser: (oid: number) =>
        [pg.types.builtins.DATE, pg.types.builtins.INTERVAL].includes(oid)
          ? (text: string) => text
          : pg.types.getTypeParser(oid),
    };
    const { rows } = await client.query({ text: sql, rowMode: 'array', types });
    expect(rows).toEqual(answers[question]);
  } finally {
    await client.end();
  }
});
