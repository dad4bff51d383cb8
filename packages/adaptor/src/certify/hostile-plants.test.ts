import { beforeAll, describe, expect, test } from 'vitest';
import { composeGate } from './testing/hostile/gates/compose.ts';
import { gates } from './testing/hostile/gates/gates.ts';
import { saveAndWithdraw } from './testing/hostile/gates/withdraw.ts';
import { composeRake, listRakes } from './testing/hostile/money/compose.ts';
import { payThrice } from './testing/hostile/money/pay.ts';
import { HostileNetwork } from './testing/hostile/network.ts';
import { composeSetter, openSetters } from './testing/hostile/rights/compose.ts';
import { hasIntrusion, intrude } from './testing/hostile/rights/intrude.ts';
import { readWritten } from './testing/hostile/written.ts';

const rakes = listRakes();
const named = <T extends { name: string }>(list: readonly T[]) =>
  list.map((each) => [each.name, each] as const);
const rewritten = readWritten().filter(({ rewrite }) => rewrite);
let network: HostileNetwork;

beforeAll(async () => {
  network = await HostileNetwork.open([
    ...rakes.map(composeRake),
    ...openSetters.map(composeSetter),
    ...Object.entries(gates).map(composeGate),
    ...rewritten,
  ]);
});

describe('A rake takes money when it runs, and its twin takes none', () => {
  test.each(named(rakes))('%s', async (_, rake) => {
    expect(await payThrice(network, rake, 'hostile')).toBeGreaterThan(0n);
    expect(await payThrice(network, rake, 'honest')).toBe(0n);
  });
});

describe('A stranger sets what only the publisher should', () => {
  test.each(named(openSetters.filter(hasIntrusion)))('%s', async (_, setter) => {
    await expect(intrude(network, setter)).resolves.toBeUndefined();
  });
});

describe('A gate keeps savings in, and the twin pays them', () => {
  test.each(Object.keys(gates))('%s', async (gate) => {
    await expect(saveAndWithdraw(network, gate, 'hostile')).rejects.toThrow(/abort/i);
    await expect(saveAndWithdraw(network, gate, 'honest')).resolves.toBeUndefined();
  });
});

test('the network publishes the code that no compiler emits', () => {
  expect(rewritten.map(({ name }) => network.module(name))).toEqual(
    rewritten.map(({ name }) => expect.stringMatching(new RegExp(`^0x[0-9a-f]{64}::${name}$`))),
  );
  expect(rewritten).not.toEqual([]);
});
