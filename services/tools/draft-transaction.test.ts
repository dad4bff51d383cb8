import { expect, test } from 'vitest';
import type { Authority } from '../../db/queries/wallets/authority.ts';
import { listGrants } from './draft-step.ts';
import { findMissingAuthority, mergeGrants } from './draft-transaction.ts';

const [owner, agent, service, coin] = ['0xo', '0xa', '0x1::m::S', '0x2::sui::SUI'] as [
  string,
  string,
  string,
  string,
];
const grants = mergeGrants([
  ...listGrants(service, [{ coinType: coin, amount: 60n }]),
  ...listGrants(service, [{ coinType: coin, amount: 40n }]),
]);
const nowMs = 1_000;

const authority = (changed: Partial<Authority> = {}): Authority => ({
  owner,
  paused: false,
  delegate: { expiresMs: null, services: new Map([[service, 100n]]), coins: new Map([[coin, 100n]]) },
  grants: [{ serviceType: service, coin, allowance: '100' }],
  ...changed,
});
const missing = (of: Authority, sender = agent) => {
  const problem = findMissingAuthority(grants, sender, of, nowMs);
  return problem && [problem.code, ...(problem.errors ?? []).map(({ path }) => path)];
};

test('steps through one service add up before they are held against what is granted', () => {
  expect(missing(authority())).toBeUndefined();
  expect(missing(authority({ grants: [{ serviceType: service, coin, allowance: '99' }] }))).toEqual([
    'grant_missing',
    'serviceCoin',
  ]);
});

test('a grant that no package bounds, or that is for any coin, suffices', () => {
  const anyCoin = '0x9::wallet::AnyCoin';
  expect(
    missing(authority({ grants: [{ serviceType: service, coin: anyCoin, allowance: null }] })),
  ).toBeUndefined();
});

test('a delegate whose time is over, or who is none, may do nothing; the owner needs no budget', () => {
  const { delegate } = authority();
  expect(missing(authority({ delegate: { ...delegate!, expiresMs: nowMs } }))).toEqual([
    'grant_missing',
    'delegate',
  ]);
  const none = authority({ delegate: undefined });
  expect(missing(none)).toEqual(['grant_missing', 'delegate', 'serviceBudget', 'coinBudget']);
  expect(missing(none, owner)).toBeUndefined();
});

test('a paused wallet pays nobody', () => {
  expect(missing(authority({ paused: true }))).toEqual(['wallet_paused']);
});
