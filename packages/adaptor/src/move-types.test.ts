import { expect, test } from 'vitest';
import { canonicalType, instantiate, typeArgsFrom, typeParamIndex } from './move-types.ts';

const full = (digit: string) => `0x${digit.padStart(64, '0')}`;

test.each<[string, string, Record<number, string> | undefined]>([
  ['0x2::coin::Coin<T0>', '0x2::coin::Coin<0x2::sui::SUI>', { 0: `${full('2')}::sui::SUI` }],
  [
    '0xa::p::Pool<T1, vector<T0>>',
    '0xA::p::Pool<u64,vector<0x2::x::Y<u8>>>',
    { 1: 'u64', 0: `${full('2')}::x::Y<u8>` },
  ],
  ['0xa::p::P<T0, T0>', '0xa::p::P<u8, u8>', { 0: 'u8' }],
  ['0xa::p::P<T0, T0>', '0xa::p::P<u8, u16>', undefined],
  ['0xa::p::P', '0xa::p::P', {}],
  ['0xa::p::P', '0xb::p::P', undefined],
  ['0xa::p::P<T0>', '0xa::p::P', undefined],
  ['0xa::p::T0', '0xa::p::P', undefined],
  ['0xa::p::P<T0>', 'no type', undefined],
])('%s becomes %s by the right type arguments', (generic, type, expected) => {
  const found = typeArgsFrom(generic, type);
  expect(found && Object.fromEntries(found)).toEqual(expected);
});

test('a generic type is filled in only where all of its parameters are known', () => {
  expect(instantiate('0xa::T0::T1<T0, vector<T12>>', ['u8', ...Array(11), 'bool'])).toBe(
    '0xa::T0::T1<u8, vector<bool>>',
  );
  expect(instantiate('0xa::b::C<T0, T1>', ['u8', undefined])).toBeUndefined();
});

test('a type is spelled in full, and nothing else is a type', () => {
  expect(canonicalType(' 0x2::sui::SUI')).toBe(`${full('2')}::sui::SUI`);
  expect(canonicalType('vector<')).toBeUndefined();
  for (const comma of [',', ', ']) {
    expect(canonicalType(`0xa::pool::LP<0x2::sui::SUI${comma}u64>`)).toBe(
      `${full('a')}::pool::LP<${full('2')}::sui::SUI,u64>`,
    );
  }
  expect([typeParamIndex('T3'), typeParamIndex('u64'), typeParamIndex('0x1::m::T3')]).toEqual([
    3,
    undefined,
    undefined,
  ]);
});

test.each([
  '0x2::coin::Coin<0x2::sui::SUI>x',
  '0x2::a::B<u8, 0x2::a::C<u8>x>',
  '0x2::sui::SUI>',
  '0x2::sui::SUI<>',
  '0x2::sui::SUI,u8',
  '0x2::sui::S-UI',
  '0x2::a::B::C',
  '0xzz::a::B',
  `0x${'1'.repeat(65)}::a::B`,
  '@org/app::m::T',
])('a text that only begins like a type is none: %s', (text) => {
  expect(canonicalType(text)).toBeUndefined();
});

test('every spelling of an address is the same type', () => {
  const type = `0x${'2'.padStart(64, '0')}::a::_B`;
  for (const text of ['2::a::_B', '0X02::a::_B', ' 0x2::a::_B']) expect(canonicalType(text)).toBe(type);
  expect(canonicalType('vector<0x2::a::_B< u8,vector<2::a::_B>>>')).toBe(
    `vector<${type}<u8,vector<${type}>>>`,
  );
});
