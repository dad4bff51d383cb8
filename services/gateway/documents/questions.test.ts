import { expect, test } from 'vitest';
import { checkStatement } from '../sql/check.ts';
import { readQuestions } from './questions.ts';

test('every question that the page of SQL offers is allowed over HTTP', async () => {
  const questions = readQuestions();
  expect(questions.length).toBeGreaterThan(10);
  for (const { sql } of questions) await checkStatement(sql);
});
