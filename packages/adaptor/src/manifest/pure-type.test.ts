import { expect, test } from 'vitest';
import { pureTypeName } from './pure-type.ts';

const long = (digit: string) => `0x${digit.padStart(64, '0')}`;

test.each([
  ['u256', 'u256'],
  ['0x1::string::String', 'string'],
  [`${long('1')}::ascii::String`, 'string'],
  ['0x2::object::ID', 'id'],
  [`vector< ${long('1')}::option::Option<vector<u8>> >`, 'vector<option<vector<u8>>>'],
])('%s is %s', (type, name) => {
  expect(pureTypeName(type)).toBe(name);
});

test.each([
  '0x2::coin::Coin<0x2::sui::SUI>',
  '0x3::option::Option<u8>',
  '0x1::option::Option',
  '0x1::option::Option<u8, u8>',
  '0x1::string::String<u8>',
  'vector<0x2::object::UID>',
  'signer',
  '&u64',
  'T0',
  'vector<',
  '',
  'vector<'.repeat(5_000),
])('no pure argument has the type %.40s', (type) => {
  expect(pureTypeName(type)).toBeUndefined();
});
