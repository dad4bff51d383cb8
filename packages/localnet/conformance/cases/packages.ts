import assert from 'node:assert/strict';
import { GrpcTypes } from '@mysten/sui/grpc';
import { normalizeSuiAddress } from '@mysten/sui/utils';
import { casesOf, type Subject } from '../case.ts';
import { missingId, refused, refusedField } from '../expect.ts';

const framework = normalizeSuiAddress('0x2');
const {
  Ability,
  DatatypeDescriptor_DatatypeKind: Kind,
  FunctionDescriptor_Visibility: Visibility,
  OpenSignature_Reference: Reference,
} = GrpcTypes;

const getFunction = async ({ client }: Subject, moduleName: string, name: string) => {
  const request = { packageId: '0x2', moduleName, name };
  return (await client.movePackageService.getFunction(request)).response.function!;
};

const packages = casesOf('GetPackage', {
  async 'has descriptions of its modules, and neither bytecode, type origins nor linkage'({ client }) {
    const { response } = await client.movePackageService.getPackage({ packageId: '0x2' });
    const found = response.package!;
    assert.equal(found.storageId, framework);
    assert.equal(found.originalId, framework);
    assert.ok(found.version! >= 1n);
    assert.ok(found.modules.every(({ name, contents }) => name && contents === undefined));
    const datatypes = found.modules.find(({ name }) => name === 'coin')!.datatypes;
    assert.equal(datatypes.find(({ name }) => name === 'Coin')!.definingId, framework);
    assert.deepEqual([found.typeOrigins, found.linkage], [[], []]);
  },
  async 'has what the picked transaction called'({ client, picked: { call } }) {
    const { response } = await client.movePackageService.getPackage({ packageId: call.package });
    const module = response.package!.modules.find(({ name }) => name === call.module)!;
    assert.ok(module.functions.some(({ name }) => name === call.function));
  },
  'has no package of an unused id': ({ client }) =>
    refused('NOT_FOUND', client.movePackageService.getPackage({ packageId: missingId })),
  'does not take another object for a package': ({ client }) =>
    refused('INVALID_ARGUMENT', client.movePackageService.getPackage({ packageId: '0x6' })),
  'refuses what is not an id': ({ client }) =>
    refusedField('package_id', client.movePackageService.getPackage({ packageId: 'me' })),
  'refuses no id': ({ client }) => refusedField('package_id', client.movePackageService.getPackage({})),
});

const datatypes = casesOf('GetDatatype', {
  async 'describes a generic struct'({ client }) {
    const request = { packageId: '0x2', moduleName: 'coin', name: 'Coin' };
    const { response } = await client.movePackageService.getDatatype(request);
    const found = response.datatype!;
    assert.equal(found.typeName, `${framework}::coin::Coin`);
    assert.equal(found.kind, Kind.STRUCT);
    assert.deepEqual([...found.abilities].sort(), [Ability.STORE, Ability.KEY].sort());
    assert.equal(found.typeParameters[0]!.isPhantom, true);
    assert.deepEqual(
      found.fields.map(({ name }) => name),
      ['id', 'balance'],
    );
    assert.equal(found.fields[1]!.type!.typeName, `${framework}::balance::Balance`);
  },
  'has no datatype of an unused name': ({ client }) =>
    refused(
      'INTERNAL',
      client.movePackageService.getDatatype({ packageId: '0x2', moduleName: 'coin', name: 'Nope' }),
    ),
  'has no module of an unused name': ({ client }) =>
    refused(
      'INTERNAL',
      client.movePackageService.getDatatype({ packageId: '0x2', moduleName: 'nope', name: 'Coin' }),
    ),
  'refuses no name': ({ client }) =>
    refusedField('name', client.movePackageService.getDatatype({ packageId: '0x2', moduleName: 'coin' })),
});

const functions = casesOf('GetFunction', {
  async 'describes parameters, references and results'(subject) {
    const found = await getFunction(subject, 'coin', 'split');
    assert.equal(found.visibility, Visibility.PUBLIC);
    assert.deepEqual(
      found.parameters.map(({ reference }) => reference ?? Reference.REFERENCE_UNKNOWN),
      [Reference.MUTABLE, Reference.REFERENCE_UNKNOWN, Reference.MUTABLE],
    );
    assert.equal(found.parameters[0]!.body!.typeName, `${framework}::coin::Coin`);
    assert.equal(found.parameters[2]!.body!.typeName, `${framework}::tx_context::TxContext`);
    assert.equal(found.returns[0]!.body!.typeName, `${framework}::coin::Coin`);
    assert.equal(found.typeParameters.length, 1);
  },
  async 'describes an immutable reference and a number'(subject) {
    const found = await getFunction(subject, 'clock', 'timestamp_ms');
    assert.equal(found.parameters[0]!.reference, Reference.IMMUTABLE);
    assert.equal(found.returns[0]!.body!.type, GrpcTypes.OpenSignatureBody_Type.U64);
  },
  'has no function of an unused name': (subject) => refused('INTERNAL', getFunction(subject, 'coin', 'nope')),
  'has no module of an unused name': (subject) => refused('INTERNAL', getFunction(subject, 'nope', 'value')),
  'refuses no name': ({ client }) =>
    refusedField('name', client.movePackageService.getFunction({ packageId: '0x2', moduleName: 'coin' })),
  async 'is what the SDK reads a function by'({ client }) {
    const request = { packageId: '0x2', moduleName: 'coin', name: 'value' };
    const { function: found } = await client.getMoveFunction(request);
    assert.equal(found.visibility, 'public');
    assert.deepEqual(found.parameters[0]!.reference, 'immutable');
    assert.deepEqual(found.returns[0]!.body, { $kind: 'u64' });
  },
});

const versions = casesOf('ListPackageVersions', {
  async 'has the version itself among them'({ client, picked: { call } }) {
    const { response } = await client.movePackageService.listPackageVersions({ packageId: call.package });
    assert.ok(response.versions.some(({ packageId }) => packageId === call.package));
    assert.deepEqual(
      response.versions.map(({ version }) => version),
      response.versions.map(({ version }) => version).toSorted((a, b) => Number(a! - b!)),
    );
  },
  'has none of an unused id': ({ client }) =>
    refused('NOT_FOUND', client.movePackageService.listPackageVersions({ packageId: missingId })),
  'refuses a page token that it did not make': ({ client }) =>
    refused(
      'INVALID_ARGUMENT',
      client.movePackageService.listPackageVersions({
        packageId: '0x2',
        pageToken: Uint8Array.from([1, 2, 3]),
      }),
    ),
});

export const packageCases = [...packages, ...datatypes, ...functions, ...versions];
