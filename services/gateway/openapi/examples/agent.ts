import type { OperationExample } from './example.ts';
import {
  atMs,
  dayMs,
  digest,
  id,
  manifestHash,
  monthMs,
  owner,
  packageId,
  publisher,
  serviceType,
  sui,
  walletId,
} from './values.ts';

const halfDayMs = dayMs / 2;
const nonce = 'aMx1ZK8v2bC4w0dQ';
const keyId = 'exec_3kTMd8ZqB1';
const amounts = (amount: string) => [{ coinType: sui, amount }];
const bounds = {
  services: [serviceType],
  actions: ['swap', 'spend'],
  maxPerRun: amounts('1000000000'),
  maxPerDay: amounts('5000000000'),
};
const key = {
  id: keyId,
  network: 'testnet',
  walletId,
  label: 'rebalancer',
  issuedBy: owner,
  ...bounds,
  createdMs: atMs,
  expiresMs: atMs + monthMs,
};
const narrowed = { maxPerDay: amounts('2000000000') };
const plan = { owner, plan: 'pro', grantedMs: atMs, endsMs: atMs + monthMs };
const freeze = { network: 'testnet', walletId, reason: 'The owner reports a stolen key.', frozenMs: atMs };

const run = {
  id: '42',
  network: 'testnet',
  walletId,
  owner,
  action: 'spend',
  request: { action: 'spend', coinType: sui, amount: '250000000', recipient: owner },
  requestId: 'rebalance-2026-03-14',
  attempt: 1,
  state: 'done',
  digest,
  code: null,
  gasCharged: '1402880',
  settledNote: null,
  startedMs: atMs,
  endedMs: atMs + 2_100,
  reserved: amounts('250000000'),
  steps: [
    { step: 'validate', status: 'done', atMs },
    { step: 'confirm', status: 'done', digest, atMs: atMs + 2_100 },
  ],
};
const byOperator = { outcome: 'executed', note: 'An archive of another operator has the digest.' };
const adaptor = { network: 'testnet', serviceType, manifestHash };

export const agentExamples: Record<string, OperationExample> = {
  listRuns: {
    query: { walletId, network: 'testnet' },
    answer: {
      count: 1,
      runs: [run],
    },
  },
  showAgentAddress: {
    query: { walletId },
    answer: { network: 'testnet', walletId, address: id('d'), payer: id('e'), actsAs: 'wallet' },
  },
  listConfirmedAdaptors: {
    answer: { count: 1, adaptors: [{ ...adaptor, publisher, packageId, confirmedMs: atMs }] },
  },
  confirmAdaptor: { request: adaptor, answer: { ...adaptor, publisher, packageId, confirmedMs: atMs } },
  removeConfirmedAdaptor: { query: { network: 'testnet', serviceType } },
  showRun: { path: { id: run.id }, answer: run },
  followRun: { path: { id: run.id }, query: { from: '1' } },
  settleRun: { path: { id: run.id }, request: byOperator, answer: { ...run, settledNote: byOperator.note } },
  askNonce: {
    request: { address: owner },
    answer: {
      nonce,
      message: `Sign in to the agent of this host as ${owner}. Nonce: ${nonce}`,
      expiresMs: atMs + 300_000,
    },
  },
  signIn: {
    request: { address: owner, nonce, signature: 'AHB1Yl…' },
    answer: { token: 'as_4tYb…', address: owner, expiresMs: atMs + halfDayMs },
  },
  showSession: { answer: { address: owner, expiresMs: atMs + halfDayMs } },
  signOut: {},
  listExecutorKeys: { query: { walletId }, answer: { count: 1, keys: [key] } },
  issueExecutorKey: {
    request: { network: 'testnet', walletId, label: 'rebalancer', ...bounds, expiresMs: atMs + monthMs },
    answer: { ...key, key: 'ek_5uGzR0…' },
  },
  narrowExecutorKey: { path: { id: keyId }, request: narrowed, answer: { ...key, ...narrowed } },
  revokeExecutorKey: { path: { id: keyId } },
  listPlans: { answer: { count: 1, plans: [plan] } },
  grantPlan: { request: { owner, plan: 'pro', endsMs: atMs + monthMs }, answer: plan },
  endPlan: { path: { owner } },
  listFreezes: { answer: { count: 1, freezes: [freeze] } },
  freeze: { request: { network: 'testnet', walletId, reason: freeze.reason }, answer: freeze },
  unfreeze: { query: { network: 'testnet', walletId } },
};
