import type { ChainClient } from '@adaptor-marketplace/adaptor/chain/client';
import { GrpcTypes } from '@mysten/sui/grpc';
import { expect, test } from 'vitest';
import { decodeStatement, readStatementObjects } from './read-statements.ts';

const packageId = `0x${'5a'.repeat(32)}`;
const objectId = `0x${'0b'.repeat(32)}`;
const fields = { summary: 'description', report: 'report_url', commit: 'commit' };

type Json = Parameters<typeof toValue>[0];
const valueType = GrpcTypes.Object.fields.find(({ localName }) => localName === 'json')!;

/** The object's `json` as a node sends it. */
function toValue(json: null | string | number | boolean | object) {
  if (valueType.kind !== 'message') throw new Error('Object.json is not a message');
  return valueType.T().fromJson(json as never) as GrpcTypes.Object['json'];
}

const decode = (json: Json, key = { packageId, type: '', fields }) =>
  decodeStatement({ objectId, json: toValue(json) }, key)?.content;

test('the mapped fields are shown, and no other', () => {
  const data = { description: 'Read.', report_url: 'https://a.example/1', commit: 'c0', secret: 'x' };
  expect(decode({ id: objectId, subject: packageId, data })).toEqual({
    summary: 'Read.',
    report: 'https://a.example/1',
    commit: 'c0',
  });
});

test('an object about another package, and one without content, is not shown', () => {
  expect(decode({ subject: objectId, data: { description: 'Read.' } })).toBeUndefined();
  expect(decode({ data: { description: 'Read.' } })).toBeUndefined();
  expect(decode([packageId])).toBeUndefined();
  expect(decodeStatement({ objectId }, { packageId, type: '', fields })).toBeUndefined();
  expect(
    decodeStatement({ json: toValue({ subject: packageId }) }, { packageId, type: '', fields }),
  ).toBeUndefined();
});

test.each([
  ['of another type', { description: 7, commit: { a: 'b' }, report_url: ['https://a.example'] }],
  ['too long', { description: 'x'.repeat(513) }],
  ['empty', { description: '' }],
  ['with a NUL, which PostgreSQL does not store', { description: 'a\0b' }],
  ['a link to a script', { report_url: 'javascript:alert(1)' }],
  ['a link without encryption', { report_url: 'http://a.example' }],
  ['a link with a user', { report_url: 'https://user@a.example' }],
  ['no url', { report_url: 'https:// /' }],
  ['absent, with a name that every object has', {}],
])('a field is left out, and the statement stays: %s', (_, data) => {
  const mapped = { ...fields, path: 'constructor' };
  expect(decode({ subject: packageId, data }, { packageId, type: '', fields: mapped })).toEqual({});
});

test('data that is not an object gives a statement without texts', () => {
  expect(decode({ subject: packageId, data: 'text' })).toEqual({});
  expect(decode({ subject: packageId })).toEqual({});
});

test.each([
  ['found, from a backend that has reached the checkpoint', '9', { status: 'found', value: [] }],
  ['found, from a node that does not say its height', undefined, { status: 'found', value: [] }],
  [
    'asked for again, from a backend that is behind the one which said the height',
    '8',
    { status: 'unavailable', reason: 'the node has not reached checkpoint 9' },
  ],
])('a list without statements is %s', async (_, height, answer) => {
  const headers = height === undefined ? {} : { 'x-sui-checkpoint-height': height };
  const client = {
    ledgerService: { getServiceInfo: async () => ({ response: { checkpointHeight: 9n } }) },
    stateService: { listOwnedObjects: async () => ({ response: { objects: [] }, headers }) },
  } as unknown as ChainClient;
  const settings = { packageId, registryId: objectId };
  const key = { packageId, type: `${packageId}::audit::Audit`, fields };
  expect(await readStatementObjects(client, settings, { ...key, checkpoint: 9 })).toEqual(answer);
});
