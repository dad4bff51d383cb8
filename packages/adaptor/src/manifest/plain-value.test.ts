import type { PureTypeName } from '@mysten/sui/bcs';
import { expect, test } from 'vitest';
import { isPlainValue } from './plain-value.ts';

test.each<[PureTypeName, unknown[], unknown[]]>([
  ['u8', [0, 255, '7'], [256, -1, 1.5, null, [], true, 'x', '']],
  ['u64', ['18446744073709551615', 7], ['18446744073709551616', 2 ** 60]],
  ['bool', [true], [1, 'true', null]],
  ['address', [`0x${'a'.repeat(64)}`], ['me', 5]],
  ['string', ['words', ''], [5, null]],
  ['vector<u8>', [[], [1, 2]], ['abc', [256], [null]]],
  ['option<u64>', [null, '5'], ['five', []]],
])('a value that is fixed for a %s is one, and does not only become one', (type, values, others) => {
  expect(values.filter((value) => !isPlainValue(type, value))).toEqual([]);
  expect(others.filter((value) => isPlainValue(type, value))).toEqual([]);
});
