export {
  explainExecutionError,
  type FailureExplanation,
  nameExecutionError,
  type PlatformPackages,
} from '../aborts/explain.ts';
export * as action from '../calls/action.ts';
export * as agents from '../calls/agents.ts';
export * as allowlist from '../calls/allowlist.ts';
export { allowlistRule } from '../calls/allowlist.ts';
export * as bearerCap from '../calls/bearer-cap.ts';
export * as delegate from '../calls/delegate.ts';
export * as escrow from '../calls/escrow.ts';
export * as policy from '../calls/policy.ts';
export { walletRules } from '../calls/policy.ts';
export { attest, type Listing, type RegistryIds, register, unlist, update } from '../calls/registry.ts';
export * as rules from '../calls/rules.ts';
export * as scopedCap from '../calls/scoped-cap.ts';
export type { SharedTarget, WalletTarget } from '../calls/target.ts';
export * as wallet from '../calls/wallet.ts';
export { appendOp, type OpInputs } from './append-op.ts';
export { inferCoins, type SettledCoins } from './infer-coins.ts';
export { type ActionBounds, appendAction, type CoinAmount, hasActions, sumByCoin } from './lock.ts';
export {
  type OpChain,
  parsePoolCoins,
  type ResolvedCall,
  type ResolvedOp,
  resolveEach,
  resolveOps,
  type UnfitOp,
} from './resolve-ops.ts';
