import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildRequest } from '../../../test/support/build-request.ts';
import { useTestDatabase } from '../../../test/support/database.ts';
import { type GatewayProcess, startGatewayProcess } from '../../../test/support/gateway-process.ts';
import { readModelBuilder } from '../../../test/support/read-model.ts';

let gateway: GatewayProcess;

const db = useTestDatabase();
beforeAll(async () => {
  const seed = readModelBuilder(db);
  const call = { typeArgs: [], args: [] };
  const op = { kind: 'custom', module: 'm', entry: 'e', call, note: 'x'.repeat(900) };
  for (let n = 0; n < 60; n++) {
    const ops = Array.from({ length: n % 3 ? 250 : 1 }, () => op);
    await seed.listing({ manifest: { name: `Large ${n}`, padding: 'x'.repeat(n % 3 ? 1 : 254_000), ops } });
  }
  gateway = await startGatewayProcess(db.directUrl);
});
afterAll(async () => {
  await gateway.close();
});

async function ask(query: string, accept = 'application/json') {
  const answer = await fetch(`${gateway.url}/graphql`, buildRequest({ query }, { accept }));
  const text = await answer.text();
  return { status: answer.status, bytes: Buffer.byteLength(text), ...JSON.parse(text) };
}

const aliases = (count: number, field: string) =>
  Array.from({ length: count }, (_, n) => `a${n}: ${field}`).join(' ');
const catalog = (first: number, fields: string) =>
  `adaptors(first: ${first}) { edges { node { manifest { ${fields} } } } }`;

const hostile: [string, string, string][] = [
  ['thirty lists of whole manifests', `{ ${aliases(30, catalog(60, 'json'))} }`, 'query_too_large'],
  ['five lists of whole manifests', `{ ${aliases(5, catalog(60, 'json'))} }`, 'answer_too_large'],
  ['one list of whole manifests', `{ ${catalog(60, 'json')} }`, 'answer_too_large'],
  ['each of a few manifests thirty times', `{ ${catalog(20, aliases(30, 'json'))} }`, 'answer_too_large'],
  ['all operations', `{ ${catalog(60, 'ops { label call }')} }`, 'answer_too_large'],
  [
    'all operations of a page',
    `{ ${catalog(40, aliases(30, 'ops { kind entry call }'))} }`,
    'query_too_large',
  ],
];

test.each(hostile)('%s: the answer says that it is too large', async (_, query, code) => {
  const { data, errors, bytes, status } = await ask(query, 'application/graphql-response+json');
  expect([data, errors]).toEqual([undefined, [expect.objectContaining({ extensions: expect.anything() })]]);
  expect([errors[0].extensions.code, status]).toEqual([code, 400]);
  expect(errors[0].extensions.requestId).toBeTruthy();
  expect(bytes).toBeLessThan(1_000);
});

test('names of large manifests are read without the rest of them, however many they are', async () => {
  const { data, errors } = await ask(`{ ${catalog(100, 'name category')} }`);
  expect(errors).toBeUndefined();
  expect(data.adaptors.edges).toHaveLength(60);
});

test('what fits is answered to its last byte, and one more is too much', async () => {
  const { data, bytes } = await ask(`{ ${catalog(14, 'json')} }`);
  expect(data.adaptors.edges).toHaveLength(14);
  expect(bytes).toBeGreaterThan(3_000_000);
  expect(bytes).toBeLessThanOrEqual(4_000_000);
  expect((await ask(`{ ${catalog(17, 'json')} }`)).errors[0].extensions.code).toBe('answer_too_large');
});

describe('memory', () => {
  test('six of the worst at once, of each kind, take less than what one took', async () => {
    await ask(`{ ${catalog(1, 'json')} }`);
    const before = await gateway.peakMb();
    for (const [, query] of hostile) await Promise.all(Array.from({ length: 6 }, () => ask(query)));
    const after = await gateway.peakMb();

    expect(after - before).toBeLessThan(300);
  });
});
