import { execute } from '@adaptor-marketplace/localnet/account';
import { expect } from 'vitest';
import { dollars, milliSui } from '../../../services/demo/publish.ts';
import { swapAToB } from '../../../services/demo/trading.ts';
import type { DemoTools } from '../demo-tools.ts';
import type { Holdings } from './holdings.ts';
import type { ActionRequests, Fields } from './requests.ts';

/** Returns the fields of the only event with that name in a transaction. */
export type ReadEvent = (name: string) => Record<string, unknown>;

/** An action and its effect on the chain. */
interface Effect {
  what: string;
  request(ask: ActionRequests, before: Holdings): Fields;
  /** All changes of the holdings, in base units. */
  changed(before: Holdings, readEvent: ReadEvent): Holdings;
  /** A step at the venue before the action. */
  first?(world: DemoTools): Promise<unknown>;
}

/** A share of a whole, rounded down as in the contracts. */
const part = (amount: bigint, of: bigint | undefined, whole: bigint | undefined) => (amount * of!) / whole!;
/** The dollars that the pool pays for SUI: a constant product, after a fee of 30 in 10,000. */
export const bought = (amount: bigint, { 'swap.a': a = 1n, 'swap.b': b = 0n }: Holdings) =>
  (amount * 9_970n * b) / (a * 10_000n + amount * 9_970n);

const amounts = (event: Record<string, unknown>, names: string[]): Record<string, bigint> =>
  Object.fromEntries(names.map((name) => [name, BigInt(String(event[name]))]));
/**
 * Changes of the holdings by added liquidity: the wallet pays the amounts of the pool's event and gets its liquidity.
 */
const intoRange = (readEvent: ReadEvent): Holdings => {
  const { liquidity = 0n, a = 0n, b = 0n } = amounts(readEvent('LiquidityAdded'), ['liquidity', 'a', 'b']);
  return { sui: -a, dollar: -b, 'clmm.a': a, 'clmm.b': b, 'clmm.liquidity': liquidity };
};
const outOfRange = ({ a = 0n, b = 0n }: Record<string, bigint>): Holdings => {
  return { sui: a, dollar: b, 'clmm.a': -a, 'clmm.b': -b };
};

/** Trades the owner's SUI for dollars in the range of the wallet's position, so that the position earns the fee. */
function tradeInRanges({ owner, demo }: DemoTools, amount: bigint) {
  const { a = '', b = '', reward = '' } = demo.venues.clmm.coins;
  const packageId = demo.packages.protocols.concentrated!;
  const pool = { packageId, objectId: demo.venues.clmm.objects.pool!, coins: { a, b, reward } };
  return execute(owner, (tx) => {
    swapAToB(tx, pool, { coin: tx.splitCoins(tx.gas, [amount]), recipient: owner.address });
  });
}

/** Every action, in an order in which a single wallet can run all of them. */
export const effects: Effect[] = [
  {
    what: 'a spend by a cap',
    request: (ask) => ask.spend(),
    changed: () => ({ sui: -milliSui(10), 'provider.sui': milliSui(10) }),
  },
  {
    what: 'a swap',
    request: (ask, held) => ask.swap(milliSui(100), bought(milliSui(100), held)),
    changed: (held) => {
      const [paid, got] = [milliSui(100), bought(milliSui(100), held)];
      return { sui: -paid, dollar: got, 'swap.a': paid, 'swap.b': -got };
    },
  },
  {
    what: 'a deposit at lender A',
    request: (ask) => ask.lendingA.deposit(milliSui(100)),
    changed: (held) => {
      const shares = part(milliSui(100), held['lendingA.shares'], held['lendingA.assets']);
      return {
        sui: -milliSui(100),
        flashSui: shares,
        'lendingA.assets': milliSui(100),
        'lendingA.shares': shares,
      };
    },
  },
  {
    what: 'a withdrawal from lender A',
    request: (ask) => ask.lendingA.withdraw(milliSui(50)),
    changed: (held) => {
      const assets = part(milliSui(50), held['lendingA.assets'], held['lendingA.shares']);
      return {
        sui: assets,
        flashSui: -milliSui(50),
        'lendingA.assets': -assets,
        'lendingA.shares': -milliSui(50),
      };
    },
  },
  {
    what: 'a deposit at lender B',
    request: (ask) => ask.lendingB.deposit(dollars(1)),
    changed: (held) => {
      const shares = part(dollars(1), held['lendingB.shares'], held['lendingB.assets']);
      return {
        dollar: -dollars(1),
        creditUsd: shares,
        'lendingB.assets': dollars(1),
        'lendingB.shares': shares,
      };
    },
  },
  {
    what: 'a withdrawal from lender B',
    request: (ask) => ask.lendingB.withdraw(dollars(0.5)),
    changed: (held) => {
      const assets = part(dollars(0.5), held['lendingB.assets'], held['lendingB.shares']);
      return {
        dollar: assets,
        creditUsd: -dollars(0.5),
        'lendingB.assets': -assets,
        'lendingB.shares': -dollars(0.5),
      };
    },
  },
  {
    what: 'a deposit at lender C, whose account it opens',
    request: (ask) => ask.lendingC.deposit(dollars(1)),
    changed: () => ({
      dollar: -dollars(1),
      'lendingC.assets': dollars(1),
      'lendingC.supplied': dollars(1),
    }),
  },
  {
    what: 'a withdrawal from lender C',
    request: (ask) => ask.lendingC.withdraw(dollars(0.5)),
    changed: () => ({
      dollar: dollars(0.5),
      'lendingC.assets': -dollars(0.5),
      'lendingC.supplied': -dollars(0.5),
    }),
  },
  {
    what: 'a stablecoin loan',
    request: (ask) => ask.stablecoin.borrow(),
    changed: () => ({
      sui: -milliSui(2_000),
      'stablecoin.pledged': milliSui(2_000),
      anchorUsd: dollars(3),
      'stablecoin.circulating': dollars(3),
    }),
  },
  {
    what: 'savings of the stablecoin',
    request: (ask) => ask.stablecoin.save(),
    changed: (_, readEvent) => {
      expect(readEvent('Saved')).toMatchObject({ amount: String(dollars(1)) });
      return { anchorUsd: -dollars(1), 'stablecoin.circulating': -dollars(1) };
    },
  },
  {
    what: 'the end of a part of the savings',
    request: (ask) => ask.stablecoin.withdrawSavings(),
    changed: (_, readEvent) => {
      expect(readEvent('SavingsWithdrawn')).toMatchObject({ amount: String(dollars(0.5)) });
      return { anchorUsd: dollars(0.5), 'stablecoin.circulating': dollars(0.5) };
    },
  },
  {
    what: 'the repayment of a part of the loan',
    request: (ask) => ask.stablecoin.repay(),
    changed: (_, readEvent) => {
      expect(readEvent('Repaid')).toMatchObject({ amount: String(dollars(0.5)) });
      return { anchorUsd: -dollars(0.5), 'stablecoin.circulating': -dollars(0.5) };
    },
  },
  {
    what: 'a repayment that brings collateral back',
    request: (ask) => ask.stablecoin.repayAndWithdraw(),
    changed: () => ({
      sui: milliSui(200),
      'stablecoin.pledged': -milliSui(200),
      anchorUsd: -dollars(0.5),
      'stablecoin.circulating': -dollars(0.5),
    }),
  },
  {
    what: 'a liquid stake',
    request: (ask) => ask.liquidStake.stake(),
    changed: (held) => {
      const shares = part(milliSui(100), held['liquidStake.shares'], held['liquidStake.assets']);
      return {
        sui: -milliSui(100),
        tideSui: shares,
        'liquidStake.assets': milliSui(100),
        'liquidStake.shares': shares,
      };
    },
  },
  {
    what: 'the end of a part of the stake, less the fee of 50 in 10,000',
    request: (ask) => ask.liquidStake.unstake(),
    changed: (held) => {
      const worth = part(milliSui(50), held['liquidStake.assets'], held['liquidStake.shares']);
      const paid = worth - (worth * 50n + 9_999n) / 10_000n;
      return {
        sui: paid,
        tideSui: -milliSui(50),
        'liquidStake.assets': -paid,
        'liquidStake.shares': -milliSui(50),
      };
    },
  },
  {
    what: 'a deposit into the vault',
    request: (ask) => ask.vaultDeposit(),
    changed: (held) => {
      const shares = part(milliSui(100), held['vault.shares'], held['vault.assets']);
      return {
        sui: -milliSui(100),
        reefSui: shares,
        'vault.assets': milliSui(100),
        'vault.shares': shares,
      };
    },
  },
  {
    what: 'the opening of a position in a price range',
    request: (ask) => ask.clmm.open(),
    changed: (_, readEvent) => ({ ...intoRange(readEvent), 'clmm.positions': 1n }),
  },
  {
    what: 'more liquidity',
    request: (ask) => ask.clmm.add(),
    changed: (_, readEvent) => intoRange(readEvent),
  },
  {
    what: 'the fees of a position',
    first: (world) => tradeInRanges(world, milliSui(1_000)),
    request: (ask) => ask.clmm.collectFees(),
    changed: (_, readEvent) => {
      const fees = amounts(readEvent('FeesCollected'), ['a', 'b']);
      expect(fees.a).toBeGreaterThan(0n);
      return outOfRange(fees);
    },
  },
  {
    what: 'all liquidity out of a position',
    first: ({ client }) => client.forkingService.advanceClock({ durationMs: 3_600_000n }).response,
    request: (ask, { 'clmm.liquidity': all = 1n }) => ask.clmm.remove(all),
    changed: (held, readEvent) => ({
      ...outOfRange(amounts(readEvent('LiquidityRemoved'), ['a', 'b'])),
      'clmm.liquidity': -held['clmm.liquidity']!,
    }),
  },
  {
    what: 'the reward of a position',
    request: (ask) => ask.clmm.collectReward(),
    changed: (_, readEvent) => {
      const { amount = 0n } = amounts(readEvent('RewardCollected'), ['amount']);
      expect(amount).toBeGreaterThan(0n);
      return { dollar: amount, 'clmm.reward': -amount };
    },
  },
  {
    what: 'the end of a position',
    request: (ask) => ask.clmm.close(),
    changed: () => ({ 'clmm.positions': -1n }),
  },
  {
    what: 'margin, whose account it opens',
    request: (ask) => ask.perp.depositMargin(),
    changed: () => ({
      dollar: -dollars(2),
      'perp.margins': dollars(2),
      'perp.margin': dollars(2),
    }),
  },
  {
    what: 'an order on margin, for a fee of 10 in 10,000',
    request: (ask) => ask.perp.order(),
    changed: () => {
      const [cost, fee] = [dollars(1.5), 1_500n];
      return {
        'perp.margin': -fee,
        'perp.margins': -fee,
        'perp.house': fee,
        'perp.size': milliSui(500),
        'perp.long': 1n,
        'perp.cost': cost,
      };
    },
  },
  {
    what: 'supply to the market of the slot "current"',
    request: (ask) => ask.currentSupply(),
    changed: () => ({
      sui: -milliSui(100),
      'current.supplied': milliSui(100),
      'current.position': milliSui(100),
    }),
  },
  {
    what: 'a composition, whose second step takes what only the first one brings',
    request: ({ compose, lendingA, spend }, { flashSui = 0n }) =>
      compose(lendingA.deposit(milliSui(200)), lendingA.withdraw(flashSui + milliSui(100)), spend()),
    changed: ({ flashSui = 0n, 'lendingA.assets': assets = 0n, 'lendingA.shares': shares = 0n }) => {
      const [amount, sold] = [milliSui(200), flashSui + milliSui(100)];
      const minted = part(amount, shares, assets);
      const back = part(sold, assets + amount, shares + minted);
      return {
        sui: back - amount - milliSui(10),
        flashSui: minted - sold,
        'lendingA.assets': amount - back,
        'lendingA.shares': minted - sold,
        'provider.sui': milliSui(10),
      };
    },
  },
];
