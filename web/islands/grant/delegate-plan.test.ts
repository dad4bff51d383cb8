import { Transaction } from '@mysten/sui/transactions';
import { expect, test } from 'vitest';
import { appendDelegation, type KnownDelegate, planDelegation } from './delegate-plan.ts';

const [wallet, agent, packageId] = ['a1', 'a2', 'a3'].map((end) => `0x${end.padStart(64, '0')}`) as [
  string,
  string,
  string,
];
const [swap, lend] = [`${packageId}::swap::Swap`, `${packageId}::lend::Lend`];
const [sui, usd] = [`0x${'2'.padStart(64, '0')}::sui::SUI`, `${packageId}::usd::USD`];
const budget = (key: string) => ({ key, amount: '7', unlimited: false });
const known: KnownDelegate = {
  address: agent,
  expiresMs: 1_000,
  services: [budget(swap), budget(lend)],
  coins: [budget(sui), budget(usd)],
  truncated: false,
};
const asked = { address: agent, expiresAtMs: 9_000n, service: swap, coinType: sui, amount: 5n };

function listCalls(isInitialized: boolean, one: KnownDelegate | undefined, nowMs: number): string[] {
  const tx = new Transaction();
  const plan = planDelegation({ isInitialized, known: one }, asked, nowMs);
  appendDelegation(tx, { packageId, wallet }, plan, asked);
  return tx.getData().commands.map(({ MoveCall }) => MoveCall!.function);
}

const sets = ['set_service_allowance', 'set_coin_allowance', 'set_expiry'];

test('an expired delegate loses its budgets before it gets a new expiry, which would revive them', () => {
  expect(listCalls(true, known, 1_000)).toEqual(['remove', 'add', ...sets]);
  expect(planDelegation({ isInitialized: true, known }, asked, 1_000)).toMatchObject({
    change: 'renewed',
    services: [],
    coins: [],
  });
});

test('a delegate that has not expired keeps its other budgets, and the plan lists them', () => {
  expect(listCalls(true, known, 999)).toEqual(sets);
  expect(planDelegation({ isInitialized: true, known }, asked, 999)).toMatchObject({
    change: 'changed',
    services: [budget(lend)],
    coins: [budget(usd)],
  });
  expect(
    planDelegation({ isInitialized: true, known: { ...known, expiresMs: null } }, asked, 999),
  ).toMatchObject({ change: 'changed' });
});

test('a new delegate is added, to a wallet without delegates after it is initialized', () => {
  expect(listCalls(true, undefined, 0)).toEqual(['add', ...sets]);
  expect(listCalls(false, undefined, 0)).toEqual(['initialize', 'add', ...sets]);
});
