import type { AdaptorName } from '../../../services/demo/deploy.ts';
import { accountLending, marketSupply, stablecoinAccount } from './accounts.ts';
import type { Case } from './case.ts';
import { concentratedLiquidity } from './concentrated-liquidity.ts';
import { termSavings, tipJar } from './payments.ts';
import { perpetualTrading } from './perpetual-trading.ts';
import { poolSwap } from './pool-swap.ts';
import { creditLending, flashLending, liquidStaking, shareVault } from './share-coins.ts';

/**
 * How a delegate uses each adaptor once, in order, and what the chain refuses afterwards. The wallet has 10 SUI and 100
 * dollars, the service a grant of 5 and 50, the delegate budgets of 4 and 40; of all other coins grants and budgets
 * are without bound.
 */
export const cases: Record<AdaptorName, Case> = {
  ...{ tipJar, termSavings, poolSwap, shareVault, flashLending, creditLending, accountLending, marketSupply },
  ...{ stablecoinAccount, liquidStaking, concentratedLiquidity, perpetualTrading },
};
