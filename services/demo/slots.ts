import type { Slot } from '../../lib/actions/slots.ts';
import type { Adaptors, Listed } from './deploy-adaptors.ts';
import type { Venues } from './venues.ts';

/** What a slot of the agent's actions is filled with, and what its adaptor works on. */
export interface FilledSlot {
  serviceType: string;
  /** Shared objects that calls name, by what they are. */
  objects: Record<string, string>;
  /** Coin types by what they are there. */
  coins: Record<string, string>;
}

/** The adaptors that the agent uses, each at its venue. */
export function fillSlots(adaptors: Adaptors, venues: Venues): Record<Slot, FilledSlot> {
  const prices = venues.prices.objectId;
  const fill = ({ serviceType }: Listed, coins: Record<string, string>, objects: Record<string, string>) => ({
    serviceType,
    objects,
    coins,
  });
  const { pool, flashPool, creditPool, moneyMarket, issuer, stakePool, vault } = venues;
  const { concentratedPool, perpetualMarket, supplyMarket } = venues;
  return {
    swap: fill(adaptors.poolSwap, pool.coins, { pool: pool.objectId }),
    lendingA: fill(adaptors.flashLending, flashPool.coins, { pool: flashPool.objectId }),
    lendingB: fill(adaptors.creditLending, creditPool.coins, { pool: creditPool.objectId }),
    lendingC: fill(adaptors.accountLending, moneyMarket.coins, { market: moneyMarket.objectId }),
    stablecoin: fill(adaptors.stablecoinAccount, issuer.coins, { issuer: issuer.objectId, prices }),
    liquidStake: fill(adaptors.liquidStaking, stakePool.coins, { pool: stakePool.objectId }),
    vault: fill(adaptors.shareVault, vault.coins, { vault: vault.objectId }),
    clmm: fill(adaptors.concentratedLiquidity, concentratedPool.coins, { pool: concentratedPool.objectId }),
    perp: fill(adaptors.perpetualTrading, perpetualMarket.coins, {
      market: perpetualMarket.objectId,
      prices,
    }),
    current: fill(adaptors.marketSupply, supplyMarket.coins, { market: supplyMarket.objectId }),
  };
}
