import { bcs as suiBcs } from '@mysten/sui/bcs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { deserializeValue, serializeValue } from './bcs.ts';
import { BcsError } from './bcs-reader.ts';
import { VmError } from './errors.ts';
import { Meter } from './meter.ts';
import {
  ADDRESS,
  BOOL,
  Datatype,
  datatypeOf,
  type Type,
  U8,
  U16,
  U32,
  U64,
  U128,
  U256,
  vectorOf,
} from './types.ts';
import {
  ByteVector,
  copyValue,
  equalValues,
  StructValue,
  type Value,
  VariantValue,
  VectorValue,
} from './values.ts';

const head = { definingId: '0x1', originalId: '0x1', module: 'm', abilities: 7, parameters: [] };

function structOf(fields: Type[]): Type {
  const named = fields.map((type, i) => ({ name: `f${i}`, type }));
  return datatypeOf(new Datatype({ ...head, name: 'S' }, () => ({ kind: 'struct', fields: named })), []);
}

function enumOf(variants: Type[][]): Type {
  const named = variants.map((fields, v) => ({
    name: `v${v}`,
    fields: fields.map((type, i) => ({ name: `f${i}`, type })),
  }));
  return datatypeOf(new Datatype({ ...head, name: 'E' }, () => ({ kind: 'enum', variants: named })), []);
}

interface Typed {
  type: Type;
  value: fc.Arbitrary<Value>;
}

const big = (bits: number) => fc.bigInt({ min: 0n, max: (1n << BigInt(bits)) - 1n });
const primitives: Typed[] = [
  { type: BOOL, value: fc.boolean() },
  { type: U8, value: fc.nat({ max: 255 }) },
  { type: U16, value: fc.nat({ max: 65_535 }) },
  { type: U32, value: fc.nat({ max: 4_294_967_295 }) },
  { type: U64, value: big(64) },
  { type: U128, value: big(128) },
  { type: U256, value: big(256) },
  { type: ADDRESS, value: big(256).map((n) => `0x${n.toString(16).padStart(64, '0')}`) },
];

/** A type, and values of it. */
const typed: fc.Arbitrary<Typed> = fc.letrec<{ typed: Typed }>((tie) => ({
  typed: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom(...primitives),
    tie('typed').map(({ type, value }) => ({
      type: vectorOf(type),
      value: fc.array(value, { maxLength: 5 }).map((items) => vectorValue(type, items)),
    })),
    fc.array(tie('typed'), { minLength: 1, maxLength: 4 }).map((fields) => ({
      type: structOf(fields.map(({ type }) => type)),
      value: fc.tuple(...fields.map(({ value }) => value)).map((values) => new StructValue(values)),
    })),
    fc.array(fc.array(tie('typed'), { maxLength: 3 }), { minLength: 1, maxLength: 4 }).map((variants) => ({
      type: enumOf(variants.map((fields) => fields.map(({ type }) => type))),
      value: fc.oneof(
        ...variants.map((fields, tag) =>
          fc.tuple(...fields.map(({ value }) => value)).map((values) => new VariantValue(tag, values)),
        ),
      ),
    })),
  ),
})).typed;

function vectorValue(element: Type, items: Value[]): Value {
  return element.kind === 'u8' ? new ByteVector(Uint8Array.from(items as number[])) : new VectorValue(items);
}

const sample = typed.chain(({ type, value }) => value.map((each) => ({ type, value: each })));

describe('BCS of values', () => {
  test('gives every value back, the same and of its own', () => {
    fc.assert(
      fc.property(sample, ({ type, value }) => {
        const meter = new Meter(1_000_000);
        const again = deserializeValue(type, serializeValue(type, value));
        expect(equalValues(again, value, meter)).toBe(true);
        expect(serializeValue(type, copyValue(again, meter))).toEqual(serializeValue(type, value));
      }),
    );
  });

  test('reads any bytes as the one value that they are the form of, or not at all', () => {
    fc.assert(
      fc.property(typed, fc.uint8Array({ maxLength: 64 }), ({ type }, bytes) => {
        let value: Value;
        try {
          value = deserializeValue(type, bytes);
        } catch (error) {
          expect(error).toBeInstanceOf(BcsError);
          return;
        }
        expect(serializeValue(type, value)).toEqual(bytes);
      }),
    );
  });

  test('agrees with the SDK', () => {
    const type = structOf([U8, U64, vectorOf(U16), ADDRESS, U256, BOOL]);
    const address = `0x${'ab'.repeat(32)}`;
    const ours = serializeValue(
      type,
      new StructValue([7, 1n << 63n, new VectorValue([1, 65_535]), address, (1n << 255n) + 3n, true]),
    );
    const theirs = suiBcs.tuple([
      suiBcs.u8(),
      suiBcs.u64(),
      suiBcs.vector(suiBcs.u16()),
      suiBcs.Address,
      suiBcs.u256(),
      suiBcs.bool(),
    ]);
    expect(ours).toEqual(
      theirs.serialize([7, 1n << 63n, [1, 65_535], address, (1n << 255n) + 3n, true]).toBytes(),
    );
  });

  test('refuses lengths that lie, long forms, and values too deep or too large', () => {
    const bytes =
      (...list: number[]) =>
      () =>
        deserializeValue(vectorOf(U64), Uint8Array.from(list));
    expect(bytes(0xff, 0xff, 0xff, 0xff, 0x07)).toThrow(BcsError);
    expect(bytes(0xff, 0xff, 0xff, 0xff, 0xff, 0x01)).toThrow(BcsError);
    expect(bytes(0x80, 0x00)).toThrow(BcsError);
    expect(bytes(0x00, 0x00)).toThrow(BcsError);
    let type: Type = U8;
    let value: Value = 1;
    for (let depth = 0; depth < 130; depth += 1) {
      value = vectorValue(type, [value]);
      type = vectorOf(type);
    }
    expect(() => serializeValue(type, value)).toThrow(VmError);
    expect(() => deserializeValue(type, new Uint8Array(200).fill(1))).toThrow(BcsError);
    expect(() => serializeValue(vectorOf(U8), new ByteVector(new Uint8Array(1 << 21)))).toThrow(VmError);
  });
});
