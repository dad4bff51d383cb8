import { RpcError } from '@protobuf-ts/runtime-rpc';
import { expect, test } from 'vitest';
import { describeFailure } from './node.ts';

test.each([
  [
    'No connection established. Last error: Error: connect ECONNREFUSED 127.0.0.1:9000. Resolution note: ',
    'UNAVAILABLE: connect ECONNREFUSED 127.0.0.1:9000',
  ],
  ['the network is shutting down', 'UNAVAILABLE: the network is shutting down'],
])('a failure of a call, %j, is summarized', (message, told) => {
  expect(describeFailure(new RpcError(message, 'UNAVAILABLE'))).toBe(told);
});
