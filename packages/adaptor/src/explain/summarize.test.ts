import { expect, test } from 'vitest';
import type { Movement, Origin } from './origin.ts';
import { summarizeMovements } from './summarize.ts';

const alice = { kind: 'address', address: '0xa11ce' } as const;
const bob = { kind: 'address', address: '0xb0b' } as const;
const type = '0x2::coin::Coin<0x2::sui::SUI>';

test('the work for parts of parts grows with their number, and not with its square', () => {
  const count = 1_000;
  let reads = 0;
  const origins: Origin[] = [];
  for (let depth = 0; depth < count; depth++) {
    const parent = origins.at(-1);
    const origin: Origin = { from: alice, holder: alice, type, amount: BigInt(count - depth) };
    const readParent = () => {
      reads++;
      return parent;
    };
    origins.push(Object.defineProperty(origin, 'parent', { get: readParent }));
  }
  const movements = origins
    .slice(1)
    .map((origin): Movement => ({ origin, to: bob, type, likelihood: 'always', command: 0, atLeast: 0n }));
  const { leaves } = summarizeMovements(movements, [alice]);
  expect(leaves).toMatchObject([{ holder: alice, atMost: String(count - 1) }]);
  expect(reads).toBeLessThan(10 * count);
});
