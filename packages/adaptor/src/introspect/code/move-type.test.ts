import { expect, test } from 'vitest';
import { hasAbility, type MoveType } from './move-type.ts';

test('a type is walked once, whatever abilities and constraints it is asked about', () => {
  let walks = 0;
  const parameter: MoveType = { kind: 'parameter', index: 0 };
  const wide: MoveType = {
    kind: 'datatype',
    address: '0x1',
    module: 'm',
    name: 'Wide',
    get args() {
      walks += 1;
      return Array.from({ length: 1_000 }, () => parameter);
    },
    abilities: 15,
    phantoms: [],
  };
  for (let constraints = 0; constraints < 16; constraints++) {
    const hasCopy = (constraints & 1) !== 0;
    const hasStore = (constraints & 4) !== 0;
    expect(hasAbility(wide, 'copy', [constraints])).toBe(hasCopy);
    // A value inside of a stored one needs no `key`, but `store`.
    expect(hasAbility(wide, 'key', [constraints])).toBe(hasStore);
  }
  expect(walks).toBe(1);
});
