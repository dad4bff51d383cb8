import { createHash } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'graphql';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { printedSchema } from '../../../graphql/schema.ts';
import { buildRequest } from '../../../test/support/build-request.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { startTestGateway, type TestGateway } from '../../../test/support/gateway.ts';
import { createClientFolder, generateClient } from '../../../test/support/graph-client.ts';
import { registryEvents } from '../../../test/support/registry-events.ts';
import { readTrustedDocuments } from './documents.ts';

const names = 'query Names($first: Int) {\n  adaptors(first: $first) {\n    totalCount\n  }\n}';
const several = 'query Type { __typename } query Adaptors { adaptors { totalCount } }';
const live = 'subscription { eventAdded { cursor event { eventId } } }';
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

let folder: string;
let gateway: TestGateway;
let addEvents: ReturnType<typeof registryEvents>['addEvents'];
/** A document and its hash, as the generated client has them. */
let generated: { text: string; hash: string };

beforeAll(async () => {
  folder = createClientFolder('trusted');
  await generateClient(folder, {
    schema: parse(printedSchema),
    documents: [names],
    presetConfig: { persistedDocuments: { hashAlgorithm: 'sha256' } },
  });
  const { NamesDocument } = await import(join(folder, 'graph/graphql.ts'));
  const written = await import(join(folder, 'graph/persisted-documents.json'), { with: { type: 'json' } });
  const { hash } = NamesDocument.__meta__;
  generated = { text: written.default[hash], hash };
  const file = join(folder, 'trusted.json');
  const own = Object.fromEntries([several, live].map((text) => [sha256(text), text]));
  writeFileSync(file, JSON.stringify({ ...written.default, ...own }));
  gateway = await startTestGateway((seed) => seed.listing(), { trustedDocuments: file });
  ({ addEvents } = registryEvents(gateway.db));
});
afterAll(async () => {
  await gateway.close();
  rmSync(folder, { recursive: true });
});

type Parameters = Readonly<Record<string, unknown>>;

const byPost = (body: Parameters, accept = 'application/json') =>
  fetch(`${gateway.url}/graphql`, buildRequest(body, { accept }));

const byGet = (parameters: Parameters, accept = 'application/json') => {
  const pairs = Object.entries(parameters).map(([name, value]): [string, string] => [
    name,
    typeof value === 'string' ? value : JSON.stringify(value),
  ]);
  return fetch(`${gateway.url}/graphql?${new URLSearchParams(pairs)}`, { headers: { accept } });
};

const methods = [
  ['POST', byPost],
  ['GET', byGet],
] as const;

describe.each(methods)('by %s', (_, send) => {
  test('a document of a generated client is executed by its hash, with its variables', async () => {
    const answer = await send({ documentId: generated.hash, variables: { first: 1 } });
    expect(await answer.json()).toMatchObject({ data: { adaptors: { totalCount: 1 } } });
    const wrong = await send({ documentId: generated.hash, variables: { first: 'x' } });
    expect((await wrong.json()).errors[0].extensions.code).toBe('invalid_query');
  });

  test('the hash is taken without a prefix, as Apollo sends it, and beside its own document', async () => {
    const hash = generated.hash.replace('sha256:', '');
    const persistedQuery = { version: 1, sha256Hash: hash };
    for (const parameters of [
      { documentId: hash },
      { extensions: { persistedQuery } },
      { documentId: hash, query: generated.text },
    ]) {
      expect(await (await send(parameters)).json()).toMatchObject({ data: { adaptors: { totalCount: 1 } } });
    }
  });

  test('operationName chooses among the operations of a document', async () => {
    const documentId = sha256(several);
    const answer = await send({ documentId, operationName: 'Type' });
    expect(await answer.json()).toMatchObject({ data: { __typename: 'Query' } });
    const none = await send({ documentId });
    expect((await none.json()).errors[0].extensions.code).toBe('invalid_query');
  });

  test.each<[string, () => Parameters]>([
    ['a document without an id', () => ({ query: '{ __typename }' })],
    ['the text of a trusted document without its id', () => ({ query: several })],
    ['another document beside a trusted id', () => ({ documentId: generated.hash, query: several })],
    ['an id of no document', () => ({ documentId: `sha256:${'0'.repeat(64)}` })],
    ['an id of another kind', () => ({ documentId: `md5:${'0'.repeat(32)}` })],
    ['a name that objects inherit', () => ({ documentId: 'constructor' })],
    [
      'a hash that Apollo would register',
      () => ({
        query: '{ __typename }',
        extensions: { persistedQuery: { version: 1, sha256Hash: sha256('{ __typename }') } },
      }),
    ],
    ['neither id nor document', () => ({})],
    ['a subscription without its id', () => ({ query: live })],
    ['a mutation', () => ({ query: 'mutation { a }' })],
    ['a document that does not parse', () => ({ query: '{' })],
  ])('%s is refused by one error, before anything is read', async (__, parameters) => {
    const answer = await send(parameters(), 'application/graphql-response+json');
    const { data, errors } = await answer.json();
    expect([answer.status, data, errors]).toEqual([
      400,
      undefined,
      [
        {
          message: expect.stringContaining('documentId'),
          extensions: { code: 'document_not_trusted', requestId: expect.any(String) },
        },
      ],
    ]);
  });

  test('a subscription is followed by its id, and refused in its stream without one', async () => {
    const refused = await (await send({ query: live }, 'text/event-stream')).text();
    expect(refused).toMatch(/^event: next\ndata: .*"document_not_trusted".*\n\nevent: complete/);
    const stream = await send({ documentId: sha256(live) }, 'text/event-stream');
    let text = '';
    const reader = stream.body!.pipeThrough(new TextDecoderStream()).getReader();
    const read = async () => {
      for (let next = await reader.read(); !next.done; next = await reader.read()) text += next.value;
    };
    const reading = read().catch(() => undefined);
    const [id] = await addEvents(1);
    await eventually(async () => expect(text).toContain(`"eventId":"${id}"`));
    await reader.cancel();
    await reading;
  });
});

test('a documentId that is a number is refused by its name', async () => {
  const answer = await byPost({ documentId: 7 });
  expect(await answer.json()).toMatchObject({ status: 400, errors: [{ path: 'body.documentId' }] });
});

test('a browser gets a page that says why there is no explorer, and can read the schema', async () => {
  const answer = await fetch(`${gateway.url}/graphql`, { headers: { accept: 'text/html' } });
  const html = await answer.text();
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
  expect(html).toContain('The explorer is off');
  expect(html).not.toContain('/graphql/graphiql.js');
  expect((await fetch(`${gateway.url}/graphql/schema`)).status).toBe(200);
});

describe('a file is refused at the start', () => {
  const valid = { [sha256(several)]: several };
  test.each<[string, string | undefined, RegExp]>([
    ['that does not exist', undefined, /ENOENT/],
    ['that is not JSON', '{', /JSON/],
    ['that is a list', JSON.stringify([several]), /expected a JSON object/],
    ['with a document that is a number', JSON.stringify({ [sha256('')]: 7 }), /expected a JSON object/],
    ['without documents', '{}', /has no documents/],
    ['with another hash', JSON.stringify({ ...valid, abc: live }), /abc: is not the SHA-256/],
    [
      'with a document of other whitespace than its hash',
      JSON.stringify({ [sha256(live)]: `${live}\n` }),
      /is not the SHA-256/,
    ],
    [
      'with a field that the graph does not have',
      JSON.stringify({ ...valid, [sha256('{ secrets }')]: '{ secrets }' }),
      new RegExp(`${sha256('{ secrets }')}: Cannot query field "secrets"`),
    ],
    ['with a document that does not parse', JSON.stringify({ [sha256('{')]: '{' }), /Syntax Error/],
  ])('%s', async (_, content, why) => {
    const file = join(folder, 'wrong.json');
    rmSync(file, { force: true });
    if (content !== undefined) writeFileSync(file, content);
    expect(() => readTrustedDocuments(file)).toThrow(why);
    expect(() => readTrustedDocuments(file)).toThrow(`GRAPHQL_TRUSTED_DOCUMENTS: ${file}: `);
  });

  test('all wrong documents are named at once', async () => {
    const file = join(folder, 'wrong.json');
    writeFileSync(file, JSON.stringify({ one: live, two: several }));
    expect(() => readTrustedDocuments(file)).toThrow(/one: .*\n.*two: /);
  });
});
