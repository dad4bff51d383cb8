import { GrpcTypes } from '@mysten/sui/grpc';
import { beforeAll, expect, test } from 'vitest';
import { BoxChain } from '../../execution/testing/box.ts';
import type { LoadedPackage } from '../../vm/loader/package.ts';
import { packageMessage } from './package.ts';

const {
  Ability,
  DatatypeDescriptor_DatatypeKind: DatatypeKind,
  FunctionDescriptor_Visibility: Visibility,
  OpenSignature_Reference: Reference,
  OpenSignatureBody_Type: BodyType,
} = GrpcTypes;

let loaded: LoadedPackage;
let packageId: string;
let module: GrpcTypes.Module;

beforeAll(async () => {
  const boxes = await BoxChain.open();
  const { chain } = boxes;
  packageId = boxes.packageId;
  loaded = chain.packages.load(packageId, (id) => chain.objects.get(id));
  [module] = packageMessage(loaded).modules as [GrpcTypes.Module];
});

const std = (name: string) => `0x${'1'.padStart(64, '0')}::${name}`;
const sui = (name: string) => `0x${'2'.padStart(64, '0')}::${name}`;
const plain = (type: GrpcTypes.OpenSignatureBody_Type) => ({ type });
const datatype = (typeName: string, ...typeParameterInstantiation: object[]) => ({
  type: BodyType.DATATYPE,
  typeName,
  typeParameterInstantiation,
});

test('functions are described with their whole signature', () => {
  const find = (name: string) => module.functions.find((fn) => fn.name === name);
  expect(find('set')).toMatchObject({
    name: 'set',
    visibility: Visibility.PUBLIC,
    isEntry: false,
    typeParameters: [],
    parameters: [
      { reference: Reference.MUTABLE, body: datatype(`${packageId}::box::Box`) },
      { body: plain(BodyType.U64) },
      { reference: Reference.IMMUTABLE, body: datatype(sui('tx_context::TxContext')) },
    ],
    returns: [],
  });
  expect(find('set')!.parameters[1]!.reference).toBeUndefined();
  expect(find('needs_store')).toMatchObject({
    typeParameters: [{ constraints: [Ability.STORE] }],
    parameters: [{ body: { type: BodyType.TYPE_PARAMETER, typeParameter: 0 } }],
  });
  expect(find('names')!.parameters[1]!.body).toMatchObject(
    datatype(std('option::Option'), plain(BodyType.U8)),
  );
  expect(find('private_entry')).toMatchObject({ visibility: Visibility.PRIVATE, isEntry: true });
  expect(find('friendly')).toMatchObject({ visibility: Visibility.FRIEND });
});

test('datatypes are described with abilities and fields', () => {
  const find = (name: string) => module.datatypes.find((found) => found.name === name);
  expect(find('Opened')).toMatchObject({
    typeName: `${packageId}::box::Opened`,
    definingId: packageId,
    abilities: [Ability.COPY, Ability.DROP],
    kind: DatatypeKind.STRUCT,
    fields: [
      { name: 'value', position: 0, type: plain(BodyType.U64) },
      { name: 'who', position: 1, type: plain(BodyType.ADDRESS) },
    ],
  });
  expect(find('BOX')).toMatchObject({
    abilities: [Ability.DROP],
    fields: [{ name: 'dummy_field', type: plain(BodyType.BOOL) }],
  });
});
