import { bcs } from '@mysten/sui/bcs';

export const table = bcs.struct('Table', { id: bcs.Address, size: bcs.u64() });
const linkedTable = bcs.struct('LinkedTable', {
  id: bcs.Address,
  size: bcs.u64(),
  head: bcs.option(bcs.Address),
  tail: bcs.option(bcs.Address),
});
const optional = bcs.option(bcs.Address);
export const walletLayout = bcs.struct('Wallet', {
  id: bcs.Address,
  version: bcs.u64(),
  owner: bcs.Address,
  offeredTo: optional,
  paused: bcs.bool(),
  grants: table,
  assets: table,
});
export const grantsLayout = bcs.map(
  bcs.string(),
  bcs.struct('Grant', { allowance: bcs.u64(), pull: bcs.u64() }),
);
const budgets = bcs.map(bcs.string(), bcs.u64());
export const entryLayout = bcs.struct('Entry', {
  byService: budgets,
  byCoin: budgets,
  expiresAtMs: bcs.option(bcs.u64()),
});
const names = bcs.vector(bcs.string());
export const policyLayout = bcs.struct('DelegationPolicy', {
  version: bcs.u64(),
  authRules: bcs.map(bcs.string(), names),
  caveatRules: names,
  formerAuthRules: names,
  ruleObjects: bcs.map(bcs.string(), bcs.Address),
  spendInto: bcs.bool(),
  revokedCaps: table,
  refunds: table,
});
export const jobLayout = bcs.struct('Job', {
  id: bcs.Address,
  walletId: bcs.Address,
  payer: bcs.Address,
  provider: bcs.Address,
  assessorType: bcs.string(),
  assessor: optional,
  amount: bcs.u64(),
  deadlineMs: bcs.u64(),
  brief: bcs.string(),
  note: bcs.string(),
  state: bcs.u8(),
  funds: bcs.u64(),
  refundTo: bcs.Address,
  reviewMs: bcs.u64(),
  version: bcs.u64(),
});
export const scopedLayout = bcs.struct('ScopedCap', {
  id: bcs.Address,
  walletId: bcs.Address,
  policyVersion: bcs.u64(),
  coin: bcs.string(),
  remaining: bcs.u64(),
  depth: bcs.u8(),
  maxDepth: bcs.u8(),
  parent: optional,
  ancestors: bcs.vector(bcs.Address),
});
export const bearerLayout = bcs.struct('DelegateCap', {
  id: bcs.Address,
  walletId: bcs.Address,
  policyVersion: bcs.u64(),
});
export const listLayout = bcs.struct('Allowlist', {
  id: bcs.Address,
  version: bcs.u64(),
  walletId: bcs.Address,
  allowed: bcs.vector(bcs.Address),
});
export const registryLayout = bcs.struct('Registry', {
  id: bcs.Address,
  version: bcs.u64(),
  services: table,
});
export const agentsLayout = bcs.struct('Registry', {
  id: bcs.Address,
  version: bcs.u64(),
  live: table,
  unlisted: table,
});
export const neighbours = bcs.struct('Node', { previous: optional, next: optional });
export const serviceLayout = bcs.struct('Service', { live: linkedTable, unlisted: table });
