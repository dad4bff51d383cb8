import { status } from '@grpc/grpc-js';
import { GrpcTypes } from '@mysten/sui/grpc';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createChainClient } from './client.ts';
import { NodeRefusal, startNodeDouble } from './node-double.ts';
import { checkWitness } from './witness.ts';

const first = `0x${'a'.repeat(64)}`;
const upgraded = `0x${'b'.repeat(64)}`;
const { DROP, COPY } = GrpcTypes.Ability;
const { STRUCT, ENUM } = GrpcTypes.DatatypeDescriptor_DatatypeKind;
const { BOOL, U64 } = GrpcTypes.OpenSignatureBody_Type;

const field = (name: string, type: GrpcTypes.OpenSignatureBody_Type) => ({
  name,
  position: 0,
  type: { type, typeParameterInstantiation: [] },
});

const datatypes: Record<string, Partial<GrpcTypes.DatatypeDescriptor>> = {
  Empty: {},
  Compiled: { fields: [field('dummy_field', BOOL)] },
  Full: { fields: [field('amount', U64)] },
  Flag: { fields: [field('flag', BOOL)] },
  Copied: { abilities: [COPY, DROP] },
  Inert: { abilities: [] },
  Generic: { typeParameters: [{ constraints: [], isPhantom: true }] },
  Choice: { kind: ENUM },
  Later: {},
};

let node: Awaited<ReturnType<typeof startNodeDouble>>;
let client: ReturnType<typeof createChainClient>;
let down = false;

beforeAll(async () => {
  node = await startNodeDouble({
    getPackage: ({ packageId }: GrpcTypes.GetPackageRequest) => {
      if (down) throw new NodeRefusal(status.UNAVAILABLE, 'restarting');
      if (packageId !== first && packageId !== upgraded)
        throw new NodeRefusal(status.NOT_FOUND, 'no such object');
      const described = Object.entries(datatypes).map(([name, given]) => ({
        name,
        kind: STRUCT,
        abilities: [DROP],
        typeParameters: [],
        fields: [],
        variants: [],
        ...given,
      }));
      const typeOrigins = Object.keys(datatypes).map((datatypeName) => ({
        moduleName: 'adaptor',
        datatypeName,
        packageId: datatypeName === 'Later' ? upgraded : first,
      }));
      const modules = [{ name: 'adaptor', datatypes: described, functions: [] }];
      return { package: { storageId: packageId, originalId: first, modules, typeOrigins, linkage: [] } };
    },
  });
  client = createChainClient({ url: node.url });
});

afterAll(() => {
  client.close();
  node.close();
});

test.each(['Empty', 'Compiled'])('a field-less struct with drop alone is a witness: %s', async (name) => {
  expect(await checkWitness(client, `${first}::adaptor::${name}`, first)).toEqual({ status: 'valid' });
});

test('an upgraded package still answers for the witness of its first version', async () => {
  expect(await checkWitness(client, `${first}::adaptor::Empty`, upgraded)).toEqual({ status: 'valid' });
});

test.each([
  ['Full', 'no fields'],
  ['Flag', 'no fields'],
  ['Copied', 'only ability is drop'],
  ['Inert', 'only ability is drop'],
  ['Generic', 'no type parameters'],
  ['Choice', 'is a struct'],
  ['Absent', 'has no type adaptor::Absent'],
  ['Later', `was defined by ${upgraded}`],
])('what a stranger could forge or construct is no witness: %s', async (name, reason) => {
  const check = await checkWitness(client, `${first}::adaptor::${name}`, first);
  expect(check).toEqual({ status: 'invalid', reason: expect.stringContaining(reason) });
});

test('a package that does not exist is the chain saying no', async () => {
  const missing = `0x${'c'.repeat(64)}`;
  const check = await checkWitness(client, `${missing}::adaptor::Empty`, missing);
  expect(check).toEqual({ status: 'invalid', reason: `There is no package ${missing}.` });
});

test('a service type that names no type is invalid without asking the node', async () => {
  const check = await checkWitness(client, 'garbage', first);
  expect(check).toEqual({ status: 'invalid', reason: expect.stringContaining('malformed') });
});

test('a node that is down says nothing about the witness, and may be asked again', async () => {
  down = true;
  const check = await checkWitness(client, `${first}::adaptor::Empty`, first);
  down = false;
  expect(check).toEqual({
    status: 'unknown',
    retryable: true,
    reason: expect.stringContaining('UNAVAILABLE'),
  });
});
