import { pureBcsSchemaFromTypeName } from '@mysten/sui/bcs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { pureTypeName } from '../manifest/pure-type.ts';
import { decodePure } from './decode-pure.ts';

const unsigned = (bits: bigint) => fc.bigInt(0n, 2n ** bits - 1n);
const id = fc
  .uint8Array({ minLength: 32, maxLength: 32 })
  .map((bytes) => `0x${Buffer.from(bytes).toString('hex')}`);
/** Types, and values as JSON states them. */
const leaves: [string, fc.Arbitrary<unknown>][] = [
  ['bool', fc.boolean()],
  ['u8', fc.nat(255)],
  ['u16', fc.nat(65_535)],
  ['u32', fc.nat(4_294_967_295)],
  ['u64', unsigned(64n).map(String)],
  ['u128', unsigned(128n).map(String)],
  ['u256', unsigned(256n).map(String)],
  ['address', id],
  ['0x2::object::ID', id],
  ['0x1::string::String', fc.string({ unit: 'grapheme', maxLength: 20 })],
  ['0x1::ascii::String', fc.string({ unit: 'grapheme-ascii', maxLength: 20 })],
];
const leaf = fc.constantFrom(...leaves).map(([type, value]) => ({ type, value }));
const typed = fc
  .tuple(leaf, fc.array(fc.constantFrom('vector', '0x1::option::Option'), { maxLength: 2 }))
  // A JSON null can only express one level of absence.
  .filter(([, outers]) => !(outers[0] === outers[1] && outers[0]?.includes('Option')))
  .map(([inner, outers]) =>
    outers.reduce(
      ({ type, value }, outer) => ({
        type: `${outer}<${type}>`,
        value: outer === 'vector' ? fc.array(value, { maxLength: 4 }) : fc.option(value),
      }),
      inner,
    ),
  )
  .chain(({ type, value }) => fc.record({ type: fc.constant(type), value }));

test('a value of every pure type is read as a call spec states it', () => {
  fc.assert(
    fc.property(typed, ({ type, value }) => {
      const schema = pureBcsSchemaFromTypeName(pureTypeName(type) as 'u8');
      expect(decodePure(type, schema.serialize(value as number).toBytes())).toEqual({ value });
    }),
  );
});

test('whatever the bytes, what is stated as a value is encoded to the same bytes again', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...leaves),
      fc.boolean(),
      fc.uint8Array({ maxLength: 80 }),
      (leaf, many, bytes) => {
        const type = many ? `vector<${leaf[0]}>` : leaf[0];
        const decoded = decodePure(type, bytes);
        const again =
          'value' in decoded
            ? pureBcsSchemaFromTypeName(pureTypeName(type) as 'u8')
                .serialize(decoded.value as number)
                .toBytes()
            : Buffer.from(decoded.bytes, 'base64');
        expect(Buffer.from(again).equals(bytes)).toBe(true);
      },
    ),
  );
});

test.each([
  ['u64', [1, 2], /no value of u64/],
  ['bool', [2], /no value of bool/],
  ['0x1::option::Option<0x1::option::Option<u8>>', [1, 0], /no value/],
  ['0x1::string::String', [1, 0xff], /no value/],
  ['0x3::money::Money', [1], /is not a pure type/],
  ['vector<u8>', [0xd0, 0x0f, ...Array<number>(2_000).fill(7)], /Longer than 1024 bytes: 2002/],
])('what is not a value of %s in JSON stays bytes, with the reason', (type, bytes, reason) => {
  const decoded = decodePure(type, Uint8Array.from(bytes));
  const shown = Buffer.from(bytes.slice(0, 1_024)).toString('base64');
  expect(decoded).toEqual({ bytes: shown, reason: expect.stringMatching(reason) });
});
