import { status } from '@grpc/grpc-js';
import { afterEach, expect, test } from 'vitest';
import { NodeRefusedError, startNodeDouble } from '../testing/node-double.ts';
import { createChainClient } from './client.ts';
import { readFunction } from './functions.ts';

const cleanups: (() => void)[] = [];
afterEach(() => {
  for (const cleanup of cleanups.splice(0)) cleanup();
});

async function readFrom(code: status, message: string) {
  const node = await startNodeDouble({
    getFunction: () => {
      throw new NodeRefusedError(code, message);
    },
  });
  const client = createChainClient({ url: node.url });
  cleanups.push(() => client.close(), node.close);
  return readFunction(client, { packageId: '0xa', moduleName: 'wallet', name: 'action' });
}

test.each([
  [status.INTERNAL, 'Function not found: action'],
  [status.INTERNAL, 'Module not found: 0xa::wallet'],
  [status.NOT_FOUND, ''],
  [status.INVALID_ARGUMENT, 'object is not a package'],
])('a full node that says %i %j lacks the function', async (code, message) => {
  expect(await readFrom(code, message)).toMatchObject({ status: 'absent' });
});

test.each([
  [status.INTERNAL, 'the store is closed'],
  [status.UNAVAILABLE, 'restarting'],
])('a node that says %i %j does not speak for the chain', async (code, message) => {
  expect(await readFrom(code, message)).toMatchObject({ status: 'unavailable' });
});
