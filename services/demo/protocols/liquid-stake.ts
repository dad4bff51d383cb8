import type { Transaction, TransactionArgument } from '@mysten/sui/transactions';
import { SUI } from '../coins.ts';
import type { Opened, Venue } from './venue.ts';

/**
 * Appends a pool of staked SUI, whose share coin `treasury` mints from then on for it alone. The cap that adds rewards
 * goes to `operator`.
 */
export function createStakePool(
  tx: Transaction,
  packageId: string,
  { share }: Record<'share', string>,
  terms: { treasury: string; seed: TransactionArgument; unstakeFeeBps: number; operator: string },
): Opened<'asset' | 'share'> {
  const cap = tx.moveCall({
    target: `${packageId}::liquid_stake::create`,
    typeArguments: [share],
    arguments: [tx.object(terms.treasury), terms.seed, tx.pure.u64(terms.unstakeFeeBps)],
  });
  tx.transferObjects([cap], terms.operator);
  const objectType = `${packageId}::liquid_stake::StakePool<${share}>`;
  return { packageId, coins: { asset: SUI, share }, objectType };
}

/** Appends what the stake earned; one reward is no greater part of the stake than the fee for leaving is. */
export function addStakeReward(
  tx: Transaction,
  { packageId, objectId, coins }: Venue<'asset' | 'share'>,
  { capId, coin }: { capId: string; coin: TransactionArgument },
): void {
  tx.moveCall({
    target: `${packageId}::liquid_stake::add_reward`,
    typeArguments: [coins.share],
    arguments: [tx.object(objectId), tx.object(capId), coin],
  });
}
