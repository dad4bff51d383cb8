import { type Account, execute } from '@adaptor-marketplace/localnet/account';
import type { Transaction } from '@mysten/sui/transactions';
import type { Cast } from './cast.ts';
import type { Adaptors } from './deploy.ts';
import { rate } from './listings.ts';
import type { PastClock } from './past.ts';
import type { Coins, Core } from './publish.ts';
import { appendDeposit, appendStake, appendSwap, appendTip, type Use } from './usage.ts';
import type { DemoWallet } from './wallets.ts';

export const dayMs = 86_400_000;
export const historyDays = 90;

const isWeekend = (day: number) => day % 7 >= 5;

/** Adaptors with the number of wallets that use them on a day, the oldest day being 0. There are four wallets. */
const trends: readonly { append: Use; countWallets(day: number): number }[] = [
  {
    append: appendTip,
    countWallets: (day) => Math.min(4, 1 + Math.floor(day / 30) + (isWeekend(day) ? 1 : 0)),
  },
  { append: appendDeposit, countWallets: (day) => (day % 3 === 0 ? 3 - Math.floor(day / 30) : 0) },
  { append: appendSwap, countWallets: (day) => [1, 0, 2, 1, 3, 0, 4][day % 7]! },
  { append: appendStake, countWallets: (day) => Math.max(0, Math.min(4, Math.floor((day - 20) / 18))) },
];

type Reviewer = 'ana' | 'ben' | 'cleo' | 'critic';
type Rated = 'tipJar' | 'termSavings' | 'poolSwap' | 'shareVault';

/** Ratings by day. Each of them is replaced by a later one. */
const ratings: readonly [day: number, by: Reviewer, of: Rated, score: number][] = [
  [4, 'ana', 'tipJar', 3],
  [11, 'ben', 'termSavings', 3],
  [19, 'cleo', 'poolSwap', 4],
  [26, 'ben', 'tipJar', 5],
  [26, 'ana', 'tipJar', 4],
  [40, 'critic', 'termSavings', 4],
  [47, 'cleo', 'shareVault', 3],
  [52, 'ana', 'shareVault', 5],
  [61, 'critic', 'poolSwap', 2],
  [68, 'ben', 'tipJar', 4],
  [75, 'cleo', 'shareVault', 4],
  [82, 'ana', 'tipJar', 4],
];

interface Stage {
  cast: Cast;
  core: Core;
  coins: Coins;
  adaptors: Adaptors;
}

/**
 * The agent uses four adaptors for the wallets on each day of the past, and users rate them. It ends half a day ago. This
 * history is made: it shows what the charts of a marketplace look like.
 */
export async function makeHistory(
  { cast, core, coins, adaptors }: Stage,
  wallets: readonly DemoWallet[],
  clock: PastClock,
): Promise<void> {
  const appendDay = (tx: Transaction, day: number) => {
    for (const { append, countWallets } of trends) {
      for (let nth = 0; nth < countWallets(day); nth += 1) {
        append(tx, {
          coins,
          adaptors,
          wallet: wallets[(day + nth) % wallets.length]!,
          seed: day,
          name: `day ${day}`,
        });
      }
    }
  };
  for (let day = 0; day < historyDays; day += 1) {
    clock.goTo((historyDays - day) * dayMs - dayMs / 2);
    await execute(cast.agent, (tx) => appendDay(tx, day));
    for (const [at, by, of, score] of ratings) {
      const account: Account = cast[by];
      if (at === day) await rate(account, core.registry, [[adaptors[of], score]]);
    }
  }
}
