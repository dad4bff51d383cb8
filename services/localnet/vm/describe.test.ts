import { beforeAll, expect, it } from 'vitest';
import { BoxChain } from '../execution/testing/box.ts';
import { describePackage, type ModuleDescription } from './describe.ts';

let boxes: BoxChain;
let module: ModuleDescription;

beforeAll(async () => {
  boxes = await BoxChain.open();
  const { chain, packageId } = boxes;
  const owner = chain.packages.load(packageId, (id) => chain.objects.get(id));
  [module] = describePackage(owner).modules as [ModuleDescription];
});

const std = (name: string) => `0x${'1'.padStart(64, '0')}::${name}`;
const sui = (name: string) => `0x${'2'.padStart(64, '0')}::${name}`;

it('functions are described with their whole signature', () => {
  const find = (name: string) => module.functions.find((fn) => fn.name === name);
  const context = {
    $kind: 'datatype',
    datatype: { typeName: sui('tx_context::TxContext'), typeParameters: [] },
  };
  const box = {
    $kind: 'datatype',
    datatype: { typeName: `${boxes.packageId}::box::Box`, typeParameters: [] },
  };
  expect(find('set')).toEqual({
    name: 'set',
    visibility: 'public',
    isEntry: false,
    typeParameters: [],
    parameters: [
      { reference: 'mutable', body: box },
      { reference: null, body: { $kind: 'u64' } },
      { reference: 'immutable', body: context },
    ],
    returns: [],
  });
  expect(find('needs_store')).toMatchObject({
    typeParameters: [{ constraints: ['store'], isPhantom: false }],
    parameters: [{ reference: null, body: { $kind: 'typeParameter', index: 0 } }],
  });
  expect(find('names')!.parameters[1]!.body).toEqual({
    $kind: 'datatype',
    datatype: { typeName: std('option::Option'), typeParameters: [{ $kind: 'u8' }] },
  });
  expect(find('private_entry')).toMatchObject({ visibility: 'private', isEntry: true });
  expect(find('friendly')).toMatchObject({ visibility: 'friend' });
});

it('datatypes are described with abilities and fields', () => {
  const find = (name: string) => module.datatypes.find((datatype) => datatype.name === name);
  expect(find('Opened')).toMatchObject({
    typeName: `${boxes.packageId}::box::Opened`,
    definingId: boxes.packageId,
    abilities: ['copy', 'drop'],
    kind: 'struct',
    fields: [
      { name: 'value', position: 0, type: { $kind: 'u64' } },
      { name: 'who', position: 1, type: { $kind: 'address' } },
    ],
  });
  expect(find('BOX')).toMatchObject({
    abilities: ['drop'],
    fields: [{ name: 'dummy_field', type: { $kind: 'bool' } }],
  });
});
