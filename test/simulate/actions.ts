import type { DemoFile } from '../../services/demo/file.ts';
import { dollars, milliSui, SUI } from '../../services/demo/publish.ts';
import { actionRequests, type Fields } from '../support/agent-actions/requests.ts';

/** The demo's wallet has these amounts, and its agent may take them, for thousands of runs. */
const sui = String(milliSui(1));
const usd = String(dollars(0.01));
/** Stablecoins that are borrowed, less than the collateral is worth. */
const loan = String(dollars(0.001));

/**
 * Requests of every action of the agent, each with its operations. Some fail where another did not come before: a position
 * is closed before it is open, or more is withdrawn than was deposited.
 */
export function listActions(demo: DemoFile): readonly Fields[] {
  const ask = actionRequests({ demo });
  const { serviceType, coins } = demo.venues.vault;
  const small = (fields: Fields, amount: string): Fields => ({ ...fields, amount });
  const { lendingA, lendingB, lendingC, stablecoin, liquidStake, clmm, perp } = ask;
  const swap = ask.swap(BigInt(sui), 1n);
  const deposit = lendingB.deposit(BigInt(usd));
  const both = { amountA: sui, amountB: usd };
  return [
    swap,
    lendingA.deposit(BigInt(sui)),
    lendingA.withdraw(BigInt(sui) / 2n),
    deposit,
    lendingB.withdraw(BigInt(usd) / 2n),
    lendingC.deposit(BigInt(usd)),
    lendingC.withdraw(BigInt(usd) / 2n),
    { ...stablecoin.borrow(), collateralAmount: sui, borrowAmount: loan },
    small(stablecoin.save(), loan),
    small(stablecoin.withdrawSavings(), loan),
    small(stablecoin.repay(), loan),
    small(liquidStake.stake(), sui),
    small(liquidStake.unstake(), String(BigInt(sui) / 2n)),
    small(ask.vaultDeposit(), sui),
    { ...clmm.open(), ...both },
    { ...clmm.add(), ...both },
    clmm.remove(1_000n),
    clmm.collectFees(),
    clmm.collectReward(),
    clmm.close(),
    small(perp.depositMargin(), usd),
    { ...perp.order(), size: sui },
    small(ask.currentSupply(), sui),
    {
      action: 'call',
      adaptor: serviceType,
      op: 'share_vault::deposit',
      spends: [{ coinType: SUI, amount: sui }],
      receivesAtLeast: [{ coinType: coins.share!, amount: '1' }],
    },
    ask.compose(swap, deposit),
  ];
}
