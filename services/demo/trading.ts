import type { Account, Executed } from '@adaptor-marketplace/localnet/account';
import { bcs } from '@mysten/sui/bcs';
import type { Transaction, TransactionArgument } from '@mysten/sui/transactions';
import {
  adaptor,
  amount,
  callProtocol,
  clock,
  type DemoAdaptor,
  minOut,
  op,
  provided,
  read,
  shared,
  type Venue,
  wallet,
} from './publish.ts';

/** The oracle's package, its prices and the cap that sets them. */
export interface Prices {
  packageId: string;
  objectId: string;
  capId: string;
}

/** The tick whose price is 1. */
const oneTick = 443_400;

/** The highest tick of that spacing at or below a price: base units of B for one of A. */
export function findTick(price: number, spacing: number): number {
  return Math.floor((oneTick + Math.log(price) / Math.log(1.0001)) / spacing) * spacing;
}

/** Appends a swap of A against B, whose proceeds go to `recipient`: trades are what positions earn from. */
export function swapAToB(
  tx: Transaction,
  pool: Venue<'a' | 'b' | 'reward'>,
  { coin, recipient }: { coin: TransactionArgument; recipient: string },
): void {
  const args = [pool.objectId, coin, 1, tx.object.clock()];
  tx.transferObjects([callProtocol(tx, pool, 'pool::swap_a_to_b', args)], recipient);
}

const liquidityAdded = bcs.struct('LiquidityAdded', {
  pool: bcs.Address,
  position: bcs.Address,
  liquidity: bcs.u128(),
  a: bcs.u64(),
  b: bcs.u64(),
});

/** Returns the liquidity that a transaction added to its positions, in the order of its calls. */
export async function readAddedLiquidity({ client }: Account, { digest }: Executed): Promise<bigint[]> {
  const read = await client.getTransaction({ digest, include: { events: true } });
  return (read.Transaction?.events ?? [])
    .filter(({ eventType }) => eventType.endsWith('::pool::LiquidityAdded'))
    .map((event) => BigInt(liquidityAdded.parse(event.bcs).liquidity));
}

/** The adaptor takes the coin out and puts the proceeds in; the trade between is the transaction's own call of the pool. */
export const relaySwap = ({ packageId, objectId, coins }: Venue<'a' | 'b'>): DemoAdaptor => {
  const typeArgs = ['coinIn', 'coinOut'];
  const own = { module: 'relay_swap', typeArgs };
  const result = (call: number, index: number) => ({ role: 'result' as const, call, index });
  return adaptor('relay_swap', 'RelaySwap', {
    name: 'Lagoon Relay',
    category: 'Swap',
    summary: 'Swaps SUI to Harbour Dollars: the transaction trades the coin, and brings the proceeds back.',
    supportedCoins: [coins.a, coins.b],
    integrator: 'lagoon',
    ops: [
      {
        kind: 'swap',
        entry: 'begin',
        label: 'Swap SUI to dollars',
        intentMode: 'D',
        calls: [
          { ...own, entry: 'begin', args: [wallet, amount, minOut, clock] },
          {
            packageId,
            module: 'pool',
            entry: 'swap_a_to_b',
            typeArgs,
            args: [shared(objectId), result(0, 0), minOut],
          },
          { ...own, entry: 'finish', args: [wallet, result(0, 1), result(1, 0)] },
        ],
      },
    ],
  });
};

export const poolSwap = ({ objectId, coins }: Venue<'a' | 'b'>): DemoAdaptor => {
  const swap = (entry: string, label: string, typeArgs: ('coinIn' | 'coinOut')[]) =>
    op('swap', entry, label, typeArgs, [shared(objectId), amount, minOut], 'D');
  return adaptor('pool_swap', 'PoolSwap', {
    name: 'Lagoon Swap',
    category: 'Swap',
    summary: 'Swaps SUI and Harbour Dollars in a pool at a constant product.',
    supportedCoins: [coins.a, coins.b],
    feeBps: 30,
    integrator: 'lagoon',
    ops: [
      swap('swap_a_to_b', 'Swap SUI to dollars', ['coinIn', 'coinOut']),
      swap('swap_b_to_a', 'Swap dollars to SUI', ['coinOut', 'coinIn']),
    ],
  });
};

const name = provided('name', '0x1::string::String');
const amounts = [provided('amountA', 'u64'), provided('amountB', 'u64'), provided('minLiquidity', 'u128')];

export const concentratedLiquidity = ({ objectId, coins }: Venue<'a' | 'b' | 'reward'>): DemoAdaptor => {
  const pool = shared(objectId);
  const types = [coins.a, coins.b, coins.reward];
  const range = [provided('lower', 'u32'), provided('upper', 'u32')];
  const least = [provided('minA', 'u64'), provided('minB', 'u64')];
  return adaptor('concentrated_liquidity', 'ConcentratedLiquidity', {
    name: 'Lagoon Ranges',
    category: 'Other',
    summary: 'Keeps liquidity of SUI and Harbour Dollars in ranges of their price.',
    supportedCoins: [coins.a, coins.b],
    integrator: 'lagoon',
    ops: [
      op('custom', 'open', 'Open a position', types, [pool, name, ...range, ...amounts], 'A'),
      op('custom', 'add', 'Add liquidity', types, [pool, name, ...amounts], 'A'),
      op('custom', 'remove', 'Remove liquidity', types, [
        pool,
        name,
        provided('liquidity', 'u128'),
        ...least,
      ]),
      op('custom', 'collect_fees', 'Collect fees', types, [pool, name]),
      op('custom', 'collect_reward', 'Collect the reward', types, [pool, name]),
      op('custom', 'close', 'Close a position', types, [read(objectId), name]),
    ],
  });
};

export const perpetualTrading = (
  { objectId, coins: { base, quote } }: Venue<'base' | 'quote'>,
  prices: Prices,
): DemoAdaptor => {
  const market = shared(objectId);
  const oracle = read(prices.objectId);
  const order = [
    provided('long', 'bool'),
    provided('size', 'u64'),
    provided('limit', 'u64'),
    provided('reduceOnly', 'bool'),
  ];
  return adaptor('perpetual_trading', 'PerpetualTrading', {
    name: 'Lagoon Perpetuals',
    category: 'Trading',
    summary: 'Trades positions in the price of SUI on a margin of Harbour Dollars.',
    supportedCoins: [quote],
    integrator: 'lagoon',
    ops: [
      op('custom', 'open_account', 'Open an account', [base, quote], [market]),
      op('custom', 'deposit_margin', 'Deposit margin', [base, 'coinIn'], [market, amount], 'A'),
      op('custom', 'withdraw_margin', 'Withdraw margin', [base, 'coinOut'], [market, oracle, amount]),
      op('custom', 'order', 'Buy or sell', [base, quote], [market, oracle, ...order]),
      op('custom', 'close_account', 'Close the account', [base, quote], [market]),
    ],
  });
};
