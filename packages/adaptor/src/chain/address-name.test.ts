import * as grpc from '@grpc/grpc-js';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { NodeRefusedError, startNodeDouble } from '../testing/node-double.ts';
import { readAddressName } from './address-name.ts';
import { type ChainClient, createChainClient } from './client.ts';

const address = `0x${'0a'.repeat(32)}`;
const other = `0x${'0b'.repeat(32)}`;

type Record = { name?: string; targetAddress?: string } | undefined;
let reverse: () => Record;
let forward: () => Record;
let node: Awaited<ReturnType<typeof startNodeDouble>>;
let client: ChainClient;
beforeAll(async () => {
  const respond = (record: Record) => ({ record: record && { data: {}, ...record } });
  node = await startNodeDouble({
    reverseLookupName: () => respond(reverse()),
    lookupName: () => respond(forward()),
  });
  client = createChainClient({ url: node.url });
});
afterAll(() => {
  client.close();
  node.close();
});
beforeEach(() => {
  reverse = () => ({ name: 'reef.sui', targetAddress: address });
  forward = () => ({ name: 'reef.sui', targetAddress: address });
});

const read = () => readAddressName(client, address, 5_000);
const refuse = (code: grpc.status, message: string) => () => {
  throw new NodeRefusedError(code, message);
};

test('the default name of an address that resolves to it is its name', async () => {
  expect(await read()).toEqual({ status: 'found', value: 'reef.sui' });
  reverse = () => ({ name: '@Reef', targetAddress: address });
  expect(await read()).toEqual({ status: 'found', value: 'reef.sui' });
});

test('a name that resolves to another address, or to none, is not', async () => {
  for (const targetAddress of [other, undefined]) {
    forward = () => ({ name: 'reef.sui', ...(targetAddress && { targetAddress }) });
    expect((await read()).status).toBe('absent');
  }
});

test('what is not a name is not shown', async () => {
  for (const name of ['', 'reef', '<b>.sui', 'reef.sui\u0000', undefined]) {
    reverse = () => ({ ...(name !== undefined && { name }), targetAddress: address });
    expect((await read()).status).toBe('absent');
  }
  reverse = () => undefined;
  expect((await read()).status).toBe('absent');
});

test('an expired name is none, whichever lookup finds it, and neither is one of a network without names', async () => {
  const expired = refuse(grpc.status.RESOURCE_EXHAUSTED, 'name has expired');
  forward = expired;
  expect((await read()).status).toBe('absent');
  reverse = expired;
  expect((await read()).status).toBe('absent');
  reverse = refuse(grpc.status.UNIMPLEMENTED, 'SuiNS not configured for this network');
  expect((await read()).status).toBe('absent');
  reverse = refuse(grpc.status.NOT_FOUND, 'not found');
  expect((await read()).status).toBe('absent');
});

test('a node that limits its requests, or fails, has not answered', async () => {
  for (const code of [grpc.status.RESOURCE_EXHAUSTED, grpc.status.INTERNAL]) {
    forward = refuse(code, 'too many requests');
    expect((await read()).status).toBe('unavailable');
  }
});
