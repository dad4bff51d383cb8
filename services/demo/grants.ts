import * as delegates from '@adaptor-marketplace/adaptor/calls/delegate';
import type { WalletTarget } from '@adaptor-marketplace/adaptor/calls/target';
import * as wallets from '@adaptor-marketplace/adaptor/calls/wallet';
import type { Transaction } from '@mysten/sui/transactions';
import type { Cast } from './cast.ts';
import { dollars, milliSui, SUI, unlimited } from './coins.ts';
import type { Adaptors } from './deploy-adaptors.ts';
import type { Coins } from './issue-coins.ts';

const dayMs = 86_400_000;

/** Appends what an owner grants: to every service the coins that it takes out of a wallet. */
export function grantServices(
  tx: Transaction,
  wallet: WalletTarget,
  adaptors: Adaptors,
  { types }: Coins,
): void {
  const { dollar } = types;
  const grants = [
    { of: adaptors.tipJar, coinType: SUI, allowance: milliSui(5_000) },
    { of: adaptors.termSavings, coinType: SUI, allowance: milliSui(10_000) },
    { of: adaptors.poolSwap, coinType: SUI, allowance: milliSui(20_000) },
    { of: adaptors.poolSwap, coinType: dollar, allowance: dollars(100) },
    { of: adaptors.shareVault, coinType: SUI, allowance: milliSui(10_000) },
    { of: adaptors.shareVault, coinType: types.reefSui, allowance: unlimited },
    { of: adaptors.flashLending, coinType: SUI, allowance: milliSui(10_000) },
    { of: adaptors.flashLending, coinType: types.flashSui, allowance: unlimited },
    { of: adaptors.creditLending, coinType: dollar, allowance: dollars(200) },
    { of: adaptors.creditLending, coinType: types.creditUsd, allowance: unlimited },
    { of: adaptors.accountLending, coinType: dollar, allowance: dollars(200) },
    { of: adaptors.marketSupply, coinType: SUI, allowance: milliSui(10_000) },
    { of: adaptors.stablecoinAccount, coinType: SUI, allowance: milliSui(10_000) },
    { of: adaptors.stablecoinAccount, coinType: types.anchorUsd, allowance: unlimited },
    { of: adaptors.liquidStaking, coinType: SUI, allowance: milliSui(10_000) },
    { of: adaptors.liquidStaking, coinType: types.tideSui, allowance: unlimited },
    { of: adaptors.concentratedLiquidity, coinType: SUI, allowance: milliSui(10_000) },
    { of: adaptors.concentratedLiquidity, coinType: dollar, allowance: dollars(100) },
    { of: adaptors.perpetualTrading, coinType: dollar, allowance: dollars(200) },
  ];
  for (const { of, ...grant } of grants) {
    wallets.grantServiceCoin(tx, wallet, { service: of.serviceType, ...grant });
  }
}

/** Who spends for a wallet's owner, on what and until when. Amounts in base units. */
export interface Delegate {
  address: string;
  services: { serviceType: string; amount: bigint }[];
  coins: { coinType: string; amount: bigint }[];
  expiresAtMs?: number;
}

/** Appends a delegate with budgets. */
export function addDelegate(
  tx: Transaction,
  wallet: WalletTarget,
  { address: delegate, services, coins, expiresAtMs }: Delegate,
): void {
  delegates.add(tx, wallet, delegate);
  for (const { serviceType: service, amount } of services) {
    delegates.setServiceAllowance(tx, wallet, { delegate, service, amount });
  }
  for (const { coinType, amount } of coins) {
    delegates.setCoinAllowance(tx, wallet, { delegate, coinType, amount });
  }
  if (expiresAtMs !== undefined) {
    delegates.setExpiry(tx, wallet, { delegate, expiresAtMs: BigInt(expiresAtMs) });
  }
}

/** The agent, who uses every adaptor. A service's budget is over all coins, so one for several has no sensible bound. */
export function agentAsDelegate(
  { agent }: Pick<Cast, 'agent'>,
  { types }: Coins,
  adaptors: Adaptors,
): Delegate {
  const { tipJar, termSavings, shareVault, marketSupply, ...others } = adaptors;
  const bounded = [
    { serviceType: tipJar.serviceType, amount: milliSui(1_000) },
    { serviceType: termSavings.serviceType, amount: milliSui(4_000) },
    { serviceType: shareVault.serviceType, amount: milliSui(6_000) },
    { serviceType: marketSupply.serviceType, amount: milliSui(6_000) },
  ];
  const unbounded = Object.values(others).map(({ serviceType }) => ({ serviceType, amount: unlimited }));
  const { dollar, ...shares } = types;
  return {
    address: agent.address,
    services: [...bounded, ...unbounded],
    coins: [
      { coinType: SUI, amount: milliSui(25_000) },
      { coinType: dollar, amount: dollars(300) },
      ...Object.values(shares).map((coinType) => ({ coinType, amount: unlimited })),
    ],
  };
}

/** The scout, who only tips and only for thirty days. */
export const scoutAsDelegate = ({ scout }: Cast, { tipJar }: Adaptors): Delegate => ({
  address: scout.address,
  services: [{ serviceType: tipJar.serviceType, amount: milliSui(200) }],
  coins: [{ coinType: SUI, amount: milliSui(200) }],
  expiresAtMs: Date.now() + 30 * dayMs,
});
