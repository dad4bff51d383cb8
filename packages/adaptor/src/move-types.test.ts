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
