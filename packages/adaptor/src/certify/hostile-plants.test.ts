import { beforeAll, expect, test } from 'vitest';
import { listRakes } from './testing/hostile/money/compose.ts';
import { Street } from './testing/hostile/money/street.ts';

const rakes = listRakes();
let street: Street;

beforeAll(async () => {
  street = await Street.open(rakes);
});

test.each(rakes.map((rake) => [rake.name, rake] as const))(
  '%s takes money that its twin does not take',
  async (_, rake) => {
    expect(await street.pay(rake, 'hostile')).toBeGreaterThan(0n);
    expect(await street.pay(rake, 'honest')).toBe(0n);
  },
);
