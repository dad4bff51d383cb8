import { type Executed, execute } from '@adaptor-marketplace/localnet/account';
import { dollars } from '../../../services/demo/coins.ts';
import { addedLiquidity, swapAToB, tickAt } from '../../../services/demo/trading.ts';
import { price, tickSpacing } from '../../../services/demo/venues.ts';
import type { AdaptorNetwork } from '../adaptor-network.ts';
import { type Case, sui } from './case.ts';

const position = { name: 'around the price' };
const range = { lower: tickAt(price * 0.8, tickSpacing), upper: tickAt(price * 1.25, tickSpacing) };
const liquidity = { amountA: sui(1), amountB: dollars(3), minLiquidity: 1 };
/** What the position has, once it was opened and added to. */
let all = 0n;
const count = async ({ keeper }: AdaptorNetwork, executed: Executed) => {
  for (const added of await addedLiquidity(keeper, executed)) all += added;
};
const trade = async ({ keeper, venues }: AdaptorNetwork) => {
  await execute(keeper, (tx) => {
    const coin = tx.splitCoins(tx.gas, [sui(1)]);
    swapAToB(tx, venues.concentratedPool, { coin, recipient: keeper.address });
  });
};

export const concentratedLiquidity: Case = {
  uses: [
    {
      entry: 'open',
      inputs: { values: { ...position, ...range, ...liquidity } },
      changes: { sui: [-sui(1), -sui(0.5)], dollar: [-dollars(3), -dollars(1.5)] },
      afterwards: count,
    },
    {
      entry: 'add',
      inputs: { values: { ...position, ...liquidity } },
      changes: { sui: [-sui(1), -sui(0.5)], dollar: [-dollars(3), -dollars(1.5)] },
      afterwards: async (network, executed) => {
        await count(network, executed);
        await trade(network);
      },
    },
    {
      entry: 'remove',
      inputs: {
        values: {
          ...position,
          ...{ minA: sui(1), minB: dollars(3) },
          get liquidity() {
            return all;
          },
        },
      },
      // The trade left more of one coin and less of the other in the range.
      changes: { sui: [sui(1), sui(2.5)], dollar: [dollars(3), dollars(6)] },
    },
    // Three thousandths of what was traded, for its part of the liquidity.
    { entry: 'collect_fees', inputs: { values: position }, changes: { sui: [1n, sui(0.003)] } },
    // Earned by time, and some milliseconds may be too few for one base unit.
    { entry: 'collect_reward', inputs: { values: position }, changes: { dollar: [0n, dollars(1_000)] } },
    { entry: 'close', inputs: { values: position }, changes: {} },
  ],
  refusals: [
    {
      entry: 'open',
      inputs: { values: { name: 'dear', ...range, ...liquidity, minLiquidity: 10n ** 15n } },
      abort: ['concentrated_liquidity', 2],
    },
    {
      entry: 'open',
      inputs: {
        values: { name: 'large', ...range, amountA: sui(4), amountB: dollars(100), minLiquidity: 1 },
      },
      abort: ['delegate', 8],
    },
    { entry: 'collect_fees', inputs: { values: position }, abort: ['wallet', 21] },
  ],
};
