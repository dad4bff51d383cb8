import { bcs } from '@mysten/sui/bcs';
import { expect, test } from 'vitest';
import {
  ADDRESS,
  BOOL,
  Datatype,
  type DatatypeBody,
  datatypeOf,
  type Type,
  U8,
  U16,
  U32,
  U64,
  U128,
  U256,
  vectorOf,
} from '../../vm/types.ts';
import { renderJson } from './json.ts';

const maxBytes = 1024 * 1024;
const rendered = (type: Type, bytes: Uint8Array) => renderJson(type, bytes, maxBytes).json;

const id = (digit: string) => `0x${digit.padStart(64, '0')}`;

function datatype(definingId: string, module: string, name: string, body: DatatypeBody, args: Type[] = []) {
  const parameters = args.map(() => ({ constraints: 0, isPhantom: false }));
  const head = { definingId, originalId: definingId, module, name, abilities: 0, parameters };
  return datatypeOf(new Datatype(head, () => body), args);
}
const parameter: Type = { kind: 'parameter', index: 0, constraints: 0, open: true };
const bytesField: DatatypeBody = { kind: 'struct', fields: [{ name: 'bytes', type: vectorOf(U8) }] };
const text = datatype(id('1'), 'string', 'String', bytesField);
const option = (element: Type) =>
  datatype(
    id('1'),
    'option',
    'Option',
    { kind: 'struct', fields: [{ name: 'vec', type: vectorOf(parameter) }] },
    [element],
  );
const balance = datatype(id('2'), 'balance', 'Balance', {
  kind: 'struct',
  fields: [{ name: 'value', type: U64 }],
});

test.each<[string, Type, { toBytes(): Uint8Array }, unknown]>([
  ['a small integer as a number', U32, bcs.u32().serialize(7), 7],
  ['a u16', U16, bcs.u16().serialize(65_535), 65_535],
  ['a u64 as a decimal string', U64, bcs.u64().serialize(2n ** 64n - 1n), '18446744073709551615'],
  ['a u128', U128, bcs.u128().serialize(2n ** 127n), String(2n ** 127n)],
  ['a u256', U256, bcs.u256().serialize(2n ** 255n), String(2n ** 255n)],
  ['a bool', BOOL, bcs.bool().serialize(true), true],
  ['an address', ADDRESS, bcs.Address.serialize('0x5'), id('5')],
  ['bytes as base64', vectorOf(U8), bcs.byteVector().serialize([1, 2, 3]), 'AQID'],
  ['a vector', vectorOf(U64), bcs.vector(bcs.u64()).serialize([1, 2]), ['1', '2']],
  ['a string', text, bcs.string().serialize('größer'), 'größer'],
  ['a balance', balance, bcs.u64().serialize(5), '5'],
  ['some', option(U8), bcs.option(bcs.u8()).serialize(4), 4],
  ['none', option(U8), bcs.option(bcs.u8()).serialize(null), null],
])('%s is rendered as the full node does', (_name, type, serialized, expected) => {
  expect(rendered(type, serialized.toBytes())).toEqual(expected);
});

test('an enum names its variant beside its fields', () => {
  const kind = datatype(id('a'), 'm', 'Kind', {
    kind: 'enum',
    variants: [
      { name: 'Plain', fields: [] },
      { name: 'At', fields: [{ name: 'place', type: U64 }] },
    ],
  });
  expect(rendered(kind, Uint8Array.of(0))).toEqual({ '@variant': 'Plain' });
  expect(rendered(kind, Uint8Array.of(1, 9, 0, 0, 0, 0, 0, 0, 0))).toEqual({
    '@variant': 'At',
    place: '9',
  });
  expect(() => rendered(kind, Uint8Array.of(2))).toThrow(/variant/);
});

test('bytes that end too early are an error', () => {
  expect(() => rendered(U64, new Uint8Array(3))).toThrow();
  expect(() => rendered(vectorOf(U64), Uint8Array.of(0xff, 0xff, 0xff, 0xff, 0x0f))).toThrow();
});

test('a string longer than its value is an error, not the bytes that stand behind it in memory', () => {
  const memory = Uint8Array.of(4, 97, 98, 99, 100);
  expect(rendered(text, memory)).toBe('abcd');
  expect(() => rendered(text, memory.subarray(0, 3))).toThrow();
});

test('what renders larger than it may be is an error, however small its bytes are', () => {
  const manyBools = bcs.vector(bcs.bool()).serialize(new Array(100_000).fill(true)).toBytes();
  expect(() => renderJson(vectorOf(BOOL), manyBools, 700_000)).toThrow(/too large/);
  expect(renderJson(vectorOf(BOOL), manyBools, 900_000).bytes).toBeGreaterThan(700_000);
  const megabyte = bcs
    .byteVector()
    .serialize(new Uint8Array(1024 * 1024))
    .toBytes();
  expect(() => rendered(vectorOf(U8), megabyte)).toThrow(/too large/);
});
