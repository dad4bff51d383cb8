import { status } from '@grpc/grpc-js';
import { GrpcTypes } from '@mysten/sui/grpc';
import { afterEach, expect, test } from 'vitest';
import { NodeRefusedError, startNodeDouble } from '../testing/node-double.ts';
import { createChainClient } from './client.ts';
import { checkWitness } from './witness.ts';

// test/indexer/chain-checks.test.ts tests witnesses on a running network. These tests cover the cases that it cannot
// produce.

const packageId = `0x${'a'.repeat(64)}`;
const serviceType = `${packageId}::adaptor::Adaptor`;

const cleanups: (() => void)[] = [];
afterEach(() => {
  for (const cleanup of cleanups.splice(0)) cleanup();
});

async function connect(getPackage: () => object) {
  const node = await startNodeDouble({ getPackage });
  const client = createChainClient({ url: node.url });
  cleanups.push(() => client.close(), node.close);
  return client;
}

test('a node that leaves out the dummy field of an empty struct shows a witness too', async () => {
  const datatype = {
    name: 'Adaptor',
    definingId: packageId,
    kind: GrpcTypes.DatatypeDescriptor_DatatypeKind.STRUCT,
    abilities: [GrpcTypes.Ability.DROP],
    typeParameters: [],
    fields: [],
    variants: [],
  };
  const client = await connect(() => ({
    package: {
      storageId: packageId,
      originalId: packageId,
      modules: [{ name: 'adaptor', datatypes: [datatype], functions: [] }],
      typeOrigins: [],
      linkage: [],
    },
  }));
  expect(await checkWitness(client, serviceType, packageId)).toEqual({ status: 'valid' });
});

test('a service type that names no type is invalid without asking the node', async () => {
  const client = await connect(() => {
    throw new Error('asked');
  });
  const check = await checkWitness(client, 'garbage', packageId);
  expect(check).toEqual({ status: 'invalid', reason: expect.stringContaining('malformed') });
});

test('a node that is down says nothing about the witness, and may be asked again', async () => {
  const client = await connect(() => {
    throw new NodeRefusedError(status.UNAVAILABLE, 'restarting');
  });
  expect(await checkWitness(client, serviceType, packageId)).toEqual({
    status: 'unknown',
    retryable: true,
    reason: expect.stringContaining('UNAVAILABLE'),
  });
});
