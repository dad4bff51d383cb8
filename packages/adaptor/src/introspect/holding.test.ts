import { expect, test } from 'vitest';
import type { MoveType } from './code/move-type.ts';
import { HeldWitnesses } from './holding.ts';

test('a type that thousands of functions share is walked a fixed number of times', () => {
  let walks = 0;
  const wide: MoveType = {
    kind: 'datatype',
    address: '0x1',
    module: 'm',
    name: 'Wide',
    get args() {
      walks += 1;
      return Array.from({ length: 1_000 }, (): MoveType => ({ kind: 'primitive', name: 'u8' }));
    },
    abilities: 7,
    phantoms: [],
  };
  const list: MoveType = { kind: 'vector', item: wide };
  const holding = new HeldWitnesses([], new Map());
  for (let round = 0; round < 100; round++) {
    expect(holding.witnessesIn(wide)).toBe(0n);
    expect(holding.takeableFrom(list)).toBe(0n);
    expect(holding.copyableFrom(list, [round], 0n)).toBe(0n);
  }
  expect(walks).toBeLessThan(10);
});
