import type { JarAndSavings } from '../jar-and-savings.ts';
import type { Venues } from '../venues.ts';
import { accountLending } from './account-lending.ts';
import type { DemoAdaptor } from './adaptor.ts';
import { concentratedLiquidity } from './concentrated-liquidity.ts';
import { creditLending } from './credit-lending.ts';
import { flashLending } from './flash-lending.ts';
import { liquidStaking } from './liquid-staking.ts';
import { marketSupply } from './market-supply.ts';
import { perpetualTrading } from './perpetual-trading.ts';
import { poolSwap } from './pool-swap.ts';
import { shareVault } from './share-vault.ts';
import { stablecoinAccount } from './stablecoin-account.ts';
import { termSavings } from './term-savings.ts';
import { tipJar } from './tip-jar.ts';

/** Every adaptor in `move/adaptors`, for these venues. */
export const describeAdaptors = (venues: Venues & JarAndSavings) =>
  ({
    tipJar: tipJar(venues.jar),
    termSavings: termSavings(venues.savings),
    poolSwap: poolSwap(venues.pool),
    shareVault: shareVault(venues.vault),
    flashLending: flashLending(venues.flashPool),
    creditLending: creditLending(venues.creditPool),
    accountLending: accountLending(venues.moneyMarket),
    marketSupply: marketSupply(venues.supplyMarket),
    stablecoinAccount: stablecoinAccount(venues.issuer, venues.prices),
    liquidStaking: liquidStaking(venues.stakePool),
    concentratedLiquidity: concentratedLiquidity(venues.concentratedPool),
    perpetualTrading: perpetualTrading(venues.perpetualMarket, venues.prices),
  }) satisfies Record<string, DemoAdaptor>;

export type AdaptorName = keyof ReturnType<typeof describeAdaptors>;
