import { budgetWindowMs } from '../../../lib/chain/providers/budget.ts';
import type { NetworkSettings } from '../../../lib/config/networks.ts';

/** Share of a provider's budget that canaries use at most. */
const budgetShare = 1 / 5;

/** Computes the maximum number of simulations in a second: that of the setting, within a share of the provider's budget. */
export function computeRate({
  canaryRate = 0,
  rpcBudget = Number.POSITIVE_INFINITY,
}: Pick<NetworkSettings, 'canaryRate' | 'rpcBudget'>): number {
  return Math.min(canaryRate, (rpcBudget / (budgetWindowMs / 1_000)) * budgetShare);
}
