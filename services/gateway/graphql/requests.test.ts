import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { buildRequest } from '../../../test/support/build-request.ts';
import { startTestGateway, type TestGateway } from '../../../test/support/gateway.ts';
import { problem } from '../openapi/parts.ts';

let gateway: TestGateway;
const logged: Record<string, unknown>[] = [];

beforeAll(async () => {
  const log = pino({ level: 'error' }, { write: (line: string) => logged.push(JSON.parse(line)) });
  gateway = await startTestGateway((seed) => seed.listing(), { log });
});
afterAll(() => gateway.close());
beforeEach(() => {
  logged.length = 0;
});

const byGet = (search: string, init?: RequestInit) => fetch(`${gateway.url}/graphql?${search}`, init);
const byPost = (body: string) => fetch(`${gateway.url}/graphql`, buildRequest(body));

const query = 'query=%7B__typename%7D';
const nested = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
const lists = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);

describe('parameters of a query by GET', () => {
  test('variables, an operation name and extensions are read', async () => {
    const search = new URLSearchParams({
      query: 'query A { __typename } query B ($n: Int) { adaptors(first: $n) { totalCount } }',
      operationName: 'B',
      variables: '{"n":1}',
      extensions: '{}',
    });
    expect(await (await byGet(`${search}`)).json()).toMatchObject({ data: { adaptors: { totalCount: 1 } } });
  });

  test.each([
    ['variables that are not JSON', `${query}&variables=%7B`, 'query.variables'],
    ['variables that are a list', `${query}&variables=%5B%5D`, 'query.variables'],
    ['variables that are a text', `${query}&variables=%22x%22`, 'query.variables'],
    ['extensions that are not JSON', `${query}&extensions=nope`, 'query.extensions'],
    ['extensions that are a number', `${query}&extensions=1`, 'query.extensions'],
    ['variables nested 100 deep', `${query}&variables=${nested(100)}`, 'query.variables'],
    ['U+0000 in variables', `${query}&variables=${encodeURIComponent('{"a":"\\u0000"}')}`, 'query.variables'],
    ['a query twice', `${query}&${query}`, 'query.query'],
    ['broken percent-encoding', `${query}&operationName=%zz`, 'query.operationName'],
  ])('%s are refused by name', async (_, search, path) => {
    const answer = await byGet(search);
    const body = problem.parse(await answer.json());
    expect([answer.status, body.status, body.errors?.map((row) => row.path)]).toEqual([400, 400, [path]]);
    expect(logged).toEqual([]);
  });
});

describe('a body', () => {
  test.each([
    ['variables nested 8,000 deep', `{"query":"{__typename}","variables":${nested(8_000)}}`],
    ['lists nested 40,000 deep', `{"query":"{__typename}","variables":{"a":${lists(40_000)}}}`],
    ['extensions nested 8,000 deep', `{"query":"{__typename}","extensions":${nested(8_000)}}`],
    ['variables that are a list', '{"query":"{__typename}","variables":[]}'],
    ['variables that are a text', '{"query":"{__typename}","variables":"x"}'],
    ['extensions that are a text', '{"query":"{__typename}","extensions":"x"}'],
    ['an operation name that is a number', '{"query":"{__typename}","operationName":7}'],
    ['a query that is a list', '{"query":["{__typename}"]}'],
    ['a query that is null', '{"query":null}'],
    ['no query', '{}'],
    ['U+0000', '{"query":"{__typename}","variables":{"a":"\\u0000"}}'],
    ['half of a surrogate pair', '{"query":"{__typename}","variables":{"a":"\\ud800"}}'],
  ])('with %s is refused', async (_, body) => {
    const answer = await byPost(body);
    expect(problem.parse(await answer.json())).toMatchObject({ status: 400 });
    expect(answer.status).toBe(400);
    expect(logged).toEqual([]);
  });

  test('whose variables name no variable, or one of another type, is an error of the query', async () => {
    const sized = 'query ($n: Int!) { adaptors(first: $n) { totalCount } }';
    for (const variables of [{}, { n: 'x' }, { n: null }, { n: { a: 1 } }]) {
      const { errors } = await (await byPost(JSON.stringify({ query: sized, variables }))).json();
      expect(errors).toEqual([expect.objectContaining({ message: expect.stringContaining('$n') })]);
      expect(errors[0].extensions.code).toBe('invalid_query');
    }
    expect(logged).toEqual([]);
  });

  test('with a wrong variable is an error of the query also after one with a right one', async () => {
    const document = 'query ($type: String!) { adaptor(serviceType: $type) { version } }';
    for (const [type, code] of [
      ['0x1::a::A', undefined],
      [7, 'invalid_query'],
    ]) {
      const answer = await byPost(JSON.stringify({ query: document, variables: { type } }));
      const { errors } = await answer.json();
      expect([answer.status, errors?.[0].extensions.code]).toEqual([200, code]);
    }
    expect(logged).toEqual([]);
  });

  test('may have null where it leaves something out', async () => {
    const body = { query: '{__typename}', variables: null, operationName: null, extensions: null };
    expect(await (await byPost(JSON.stringify(body))).json()).toMatchObject({
      data: { __typename: 'Query' },
    });
  });
});

test('nothing but a 4xx comes of any operation name', async () => {
  for (const operationName of ['', 'nope', '__proto__', 'x'.repeat(1_000)]) {
    const { errors } = await (
      await byPost(JSON.stringify({ query: 'query A {__typename}', operationName }))
    ).json();
    expect([operationName, errors?.[0]?.extensions.code]).toEqual([operationName, 'invalid_query']);
  }
  expect(logged).toEqual([]);
});
