import { afterEach, expect, test } from 'vitest';
import { useTestDatabase } from '../../test/support/database.ts';
import { problem } from '../errors/index.ts';
import { buildProblemBody, setErrorPagesUrl, toProblem } from './exchange.ts';

const db = useTestDatabase();

test.each([
  ['as a text', 'select $1::text', 'a\0'],
  ['as JSON', 'select $1::jsonb', JSON.stringify({ a: '\0' })],
])('text that PostgreSQL refuses, %s, is the fault of the request', async (_, sql, value) => {
  const error = await db.pool.query(sql, [value]).catch((reason: unknown) => reason);
  expect(toProblem(error)).toMatchObject({ status: 400, code: 'invalid_text' });
});

test('a statement that is wrong is ours', async () => {
  const error = await db.pool.query('select from nowhere').catch((reason: unknown) => reason);
  expect(toProblem(error)).toBeUndefined();
});

afterEach(() => setErrorPagesUrl(undefined));

test('the type of a problem is the page of its code, absolute where the public url is set', () => {
  const body = () => buildProblemBody(problem('not_found', 'Nothing is here.'), 'a-request-id');
  expect(body()).toEqual({
    type: '/errors/not_found',
    title: 'Not found',
    status: 404,
    detail: 'Nothing is here.',
    code: 'not_found',
    requestId: 'a-request-id',
  });
  setErrorPagesUrl('https://market.example');
  expect(body().type).toBe('https://market.example/errors/not_found');
});
