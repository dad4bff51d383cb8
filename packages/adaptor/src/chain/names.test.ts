import fc from 'fast-check';
import { expect, test } from 'vitest';
import { canonicalTypeName, normalizeAddress, parseServiceType, toTypeName } from './names.ts';

const hexDigits = fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: 1, maxLength: 64 });
const identifier = fc.stringMatching(/^[a-zA-Z][a-zA-Z0-9_]{0,20}$/);

/** Spellings of one address that third-party registries may contain. */
const spellings = hexDigits.chain((digits) =>
  fc.record({
    canonical: fc.constant(`0x${digits.padStart(64, '0')}`),
    spelled: fc
      .tuple(fc.constantFrom('0x', '0X', ''), fc.boolean(), fc.boolean())
      .map(([prefix, upper, padded]) => {
        const body = padded ? digits.padStart(64, '0') : digits;
        return prefix + (upper ? body.toUpperCase() : body);
      }),
  }),
);

test('every spelling of a service type leads to the same canonical name', () => {
  fc.assert(
    fc.property(spellings, identifier, identifier, ({ canonical, spelled }, module, witness) => {
      expect(parseServiceType(`${spelled}::${module}::${witness}`)).toEqual({
        canonical: `${canonical}::${module}::${witness}`,
        packageId: canonical,
        module,
        witness,
      });
    }),
  );
});

test('a canonical name is its own canonical name', () => {
  fc.assert(
    fc.property(spellings, identifier, identifier, ({ spelled }, module, witness) => {
      const once = parseServiceType(`${spelled}::${module}::${witness}`);
      if ('error' in once) throw new Error(once.error);
      expect(parseServiceType(once.canonical)).toEqual(once);
    }),
  );
});

test('arbitrary text never throws and never yields a name that is not canonical', () => {
  const shape = /^0x[0-9a-f]{64}::[a-zA-Z_]\w*::[a-zA-Z_]\w*$/;
  const anything = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 40 }),
    fc
      .array(fc.constantFrom('0x', '::', '_', 'a', 'Z', '9', '<', '>', ' '), { maxLength: 20 })
      .map((parts) => parts.join('')),
  );
  fc.assert(
    fc.property(anything, (text) => {
      const parsed = parseServiceType(text);
      if ('error' in parsed) expect(parsed.error).not.toBe('');
      else expect(parsed.canonical).toMatch(shape);
    }),
  );
});

test.each([
  ['0x2::a', 'expected the form'],
  ['0x2::a::B::C', 'expected the form'],
  ['0xzz::a::B', 'not an address'],
  [`0x${'1'.repeat(65)}::a::B`, 'not an address'],
  ['0x2::1a::B', 'module'],
  ['0x2::_::B', 'module'],
  ['0x2::a:: B', 'witness'],
  ['0x2::a::B<u8>', 'type parameters'],
  [`0x2::a::${'B'.repeat(300)}`, '256 bytes'],
  [`0x2::${'a'.repeat(110)}::${'B'.repeat(110)}`, 'canonical form'],
])('a service type that cannot be normalised says why: %s', (text, reason) => {
  expect(parseServiceType(text)).toEqual({ error: expect.stringContaining(reason) });
});

test('what is not an address is not normalised into one', () => {
  for (const text of ['', '0x', '0x 1', 'x1', '0x1\n', '-1']) expect(normalizeAddress(text)).toBeUndefined();
});

const hex = (digit: string) => digit.repeat(64);

test.each([
  `${hex('2')}::sui::SUI`,
  'u64',
  'vector<vector<address>>',
  `${hex('a')}::pool::Share<${hex('2')}::sui::SUI,vector<u8>>`,
  `${hex('a')}::a::B<${hex('b')}::c::D<bool>,u8>`,
])('a TypeName has 0x before each address, and loses it again: %s', (typeName) => {
  const canonical = canonicalTypeName(typeName)!;
  expect(canonical).toBe(typeName.replace(/[0-9a-f]{64}/g, '0x$&'));
  expect(toTypeName(canonical)).toBe(typeName);
});

test.each([
  '',
  `0x${hex('2')}::sui::SUI`,
  `${hex('A')}::sui::SUI`,
  '2::sui::SUI',
  `${hex('2')}::sui`,
  `${hex('2')}::sui::1`,
  `${hex('2')}::sui::SUI::x`,
  `${hex('2')}::sui::SUI<`,
  `${hex('2')}::sui::SUI<>`,
  `${hex('2')}::sui::SUI<u8`,
  `${hex('2')}::sui::SUI>`,
  `${hex('2')}::sui::SUI<u8>>`,
  `${hex('2')}::sui::SUI<u8, u8>`,
  `${hex('2')}::sui::SUI<u8><u8>`,
  'u8,u8',
  '<u8>',
  'u8<u8>',
  'vector',
  `${hex('2')}::sui::SUI<vector>`,
  'u8 ',
])('what no TypeName can hold is refused: %s', (text) => {
  expect(canonicalTypeName(text)).toBeUndefined();
});
