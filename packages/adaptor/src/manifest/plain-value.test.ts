import { expect, test } from 'vitest';
import { isPlainValue } from './plain-value.ts';

test.each<[string, unknown[], unknown[]]>([
  ['u8', [0, 255, '7'], [256, -1, 1.5, null, [], true, 'x', '']],
  ['u64', ['18446744073709551615', 7], ['18446744073709551616', 2 ** 60]],
  ['bool', [true], [1, 'true', null]],
  ['address', [`0x${'a'.repeat(64)}`], ['me', 5]],
  ['0x1::string::String', ['words', 'né', ''], [5, null]],
  ['0x1::ascii::String', ['words', '', '\u007f'], ['né', '\u0080', 5]],
  ['vector<0x1::ascii::String>', [['words'], []], [['words', 'né']]],
  ['0x1::option::Option<0x1::ascii::String>', [null, 'words'], ['né']],
  ['vector<u8>', [[], [1, 2]], ['abc', [256], [null]]],
  ['0x1::option::Option<u64>', [null, '5'], ['five', []]],
])('a value that is fixed for a %s is one, and does not only become one', (type, values, others) => {
  expect(values.filter((value) => !isPlainValue(type, value))).toEqual([]);
  expect(others.filter((value) => isPlainValue(type, value))).toEqual([]);
});
