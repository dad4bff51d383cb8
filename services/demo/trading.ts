import type { Account, Executed } from '@adaptor-marketplace/localnet/account';
import { bcs } from '@mysten/sui/bcs';
import type { Transaction, TransactionArgument } from '@mysten/sui/transactions';
import {
  adaptor,
  amount,
  type Call,
  clock,
  type DemoAdaptor,
  minOut,
  type Op,
  type PendingVenue,
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

/** Appends new prices that can be relied on for `maxAgeMs` after they are set, by the cap that goes to `keeper`. */
export function createPrices(
  tx: Transaction,
  packageId: string,
  { maxAgeMs, keeper }: { maxAgeMs: bigint; keeper: string },
): void {
  const cap = tx.moveCall({
    target: `${packageId}::prices::create`,
    arguments: [tx.pure.u64(maxAgeMs)],
  });
  tx.transferObjects([cap], keeper);
}

/** Appends the setting of a price: what 10^9 base units are worth, in millionths of a dollar. */
export function setPrice(
  tx: Transaction,
  { packageId, objectId, capId }: Prices,
  { coinType, price }: { coinType: string; price: bigint },
): void {
  tx.moveCall({
    target: `${packageId}::prices::set`,
    typeArguments: [coinType],
    arguments: [tx.object(objectId), tx.object(capId), tx.pure.u64(price), tx.object.clock()],
  });
}

/** Appends a pool of two coins at a constant product. Its shares go to `holder`. */
export function openPool(
  tx: Transaction,
  packageId: string,
  coins: Record<'a' | 'b', string>,
  {
    a,
    b,
    feeBps,
    holder,
  }: { a: TransactionArgument; b: TransactionArgument; feeBps: number; holder: string },
): PendingVenue<'a' | 'b'> {
  const shares = tx.moveCall({
    target: `${packageId}::pool::open`,
    typeArguments: [coins.a, coins.b],
    arguments: [a, b, tx.pure.u64(feeBps)],
  });
  tx.transferObjects([shares], holder);
  return { packageId, coins, objectType: `${packageId}::pool::Pool<${coins.a},${coins.b}>` };
}

type ConcentratedRole = 'a' | 'b' | 'reward';

/** The tick whose price is 1. */
const oneTick = 443_400;

/** The highest tick of that spacing at or below a price: base units of B for one of A. */
export function tickAt(price: number, spacing: number): number {
  return Math.floor((oneTick + Math.log(price) / Math.log(1.0001)) / spacing) * spacing;
}

/**
 * Appends a pool of two coins with liquidity in price ranges, at a first `price` in base units of B for one of A. The
 * cap that adds rewards goes to `admin`.
 */
export function createConcentratedPool(
  tx: Transaction,
  packageId: string,
  coins: Record<ConcentratedRole, string>,
  terms: { feePpm: number; spacing: number; price: number; admin: string },
): PendingVenue<ConcentratedRole> {
  const typeArguments = [coins.a, coins.b, coins.reward];
  const cap = tx.moveCall({
    target: `${packageId}::pool::create`,
    typeArguments,
    arguments: [
      tx.pure.u64(terms.feePpm),
      tx.pure.u32(terms.spacing),
      // The root of the price, in units of 2^-64.
      tx.pure.u128(BigInt(Math.round(Math.sqrt(terms.price) * 2 ** 64))),
      tx.object.clock(),
    ],
  });
  tx.transferObjects([cap], terms.admin);
  return { packageId, coins, objectType: `${packageId}::pool::Pool<${typeArguments.join(',')}>` };
}

/** Appends a position with as much liquidity as both coins suffice for; it and what is left go to `holder`. */
export function addLiquidity(
  tx: Transaction,
  { packageId, objectId, coins }: Venue<ConcentratedRole>,
  add: { lower: number; upper: number; a: TransactionArgument; b: TransactionArgument; holder: string },
): void {
  const typeArguments = [coins.a, coins.b, coins.reward];
  const position = tx.moveCall({
    target: `${packageId}::pool::open`,
    typeArguments,
    arguments: [tx.object(objectId), tx.pure.u32(add.lower), tx.pure.u32(add.upper)],
  });
  const [restA, restB] = tx.moveCall({
    target: `${packageId}::pool::add`,
    typeArguments,
    arguments: [tx.object(objectId), position, add.a, add.b, tx.pure.u128(1), tx.object.clock()],
  });
  tx.transferObjects([position, restA!, restB!], add.holder);
}

/** Appends a reward that is paid out to the liquidity in use, evenly over `durationMs`. */
export function addLiquidityReward(
  tx: Transaction,
  { packageId, objectId, coins }: Venue<ConcentratedRole>,
  { capId, coin, durationMs }: { capId: string; coin: TransactionArgument; durationMs: bigint },
): void {
  tx.moveCall({
    target: `${packageId}::pool::add_reward`,
    typeArguments: [coins.a, coins.b, coins.reward],
    arguments: [tx.object(objectId), tx.object(capId), coin, tx.pure.u64(durationMs), tx.object.clock()],
  });
}

/** Appends a swap of A against B, whose proceeds go to `recipient`: trades are what positions earn from. */
export function swapAToB(
  tx: Transaction,
  { packageId, objectId, coins }: Venue<ConcentratedRole>,
  { coin, recipient }: { coin: TransactionArgument; recipient: string },
): void {
  const bought = tx.moveCall({
    target: `${packageId}::pool::swap_a_to_b`,
    typeArguments: [coins.a, coins.b, coins.reward],
    arguments: [tx.object(objectId), coin, tx.pure.u64(1), tx.object.clock()],
  });
  tx.transferObjects([bought], recipient);
}

const liquidityAdded = bcs.struct('LiquidityAdded', {
  pool: bcs.Address,
  position: bcs.Address,
  liquidity: bcs.u128(),
  a: bcs.u64(),
  b: bcs.u64(),
});

/** Returns the liquidity that a transaction added to its positions, in the order of its calls. */
export async function addedLiquidity({ client }: Account, { digest }: Executed): Promise<bigint[]> {
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

type PerpetualRole = 'base' | 'quote';

/**
 * Appends a market of positions in the price of `base` at the oracle's prices, as yet without a house. The rates are
 * parts of what a position is worth. The cap that takes the house's money out goes to `house`.
 */
export function createPerpetualMarket(
  tx: Transaction,
  packageId: string,
  coins: Record<PerpetualRole, string>,
  terms: {
    prices: string;
    feeBps: number;
    initialBps: number;
    maintenanceBps: number;
    liquidationBps: number;
    house: string;
  },
): PendingVenue<PerpetualRole> {
  const rates = [terms.feeBps, terms.initialBps, terms.maintenanceBps, terms.liquidationBps];
  const cap = tx.moveCall({
    target: `${packageId}::perpetuals::create`,
    typeArguments: [coins.base, coins.quote],
    arguments: [tx.object(terms.prices), ...rates.map((rate) => tx.pure.u64(rate))],
  });
  tx.transferObjects([cap], terms.house);
  return { packageId, coins, objectType: `${packageId}::perpetuals::Market<${coins.base},${coins.quote}>` };
}

/** Appends money of the house, out of which gains are paid. */
export function fundHouse(
  tx: Transaction,
  { packageId, objectId, coins }: Venue<PerpetualRole>,
  coin: TransactionArgument,
): void {
  tx.moveCall({
    target: `${packageId}::perpetuals::fund_house`,
    typeArguments: [coins.base, coins.quote],
    arguments: [tx.object(objectId), coin],
  });
}

export const poolSwap = ({ objectId, coins }: Venue<'a' | 'b'>): DemoAdaptor => {
  const swap = (entry: string, label: string, typeArgs: ('coinIn' | 'coinOut')[]): Op => ({
    kind: 'swap',
    entry,
    label,
    intentMode: 'D',
    call: { typeArgs, args: [wallet, shared(objectId), amount, minOut, clock] },
  });
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
  const op = (entry: string, label: string, args: Call['args']): Op => ({
    kind: 'custom',
    entry,
    label,
    call: { typeArgs: [coins.a, coins.b, coins.reward], args: [wallet, ...args, clock] },
  });
  const range = [provided('lower', 'u32'), provided('upper', 'u32')];
  const least = [provided('minA', 'u64'), provided('minB', 'u64')];
  return adaptor('concentrated_liquidity', 'ConcentratedLiquidity', {
    name: 'Lagoon Ranges',
    category: 'Other',
    summary: 'Keeps liquidity of SUI and Harbour Dollars in ranges of their price.',
    supportedCoins: [coins.a, coins.b],
    integrator: 'lagoon',
    ops: [
      { ...op('open', 'Open a position', [pool, name, ...range, ...amounts]), intentMode: 'A' },
      { ...op('add', 'Add liquidity', [pool, name, ...amounts]), intentMode: 'A' },
      op('remove', 'Remove liquidity', [pool, name, provided('liquidity', 'u128'), ...least]),
      op('collect_fees', 'Collect fees', [pool, name]),
      op('collect_reward', 'Collect the reward', [pool, name]),
      op('close', 'Close a position', [read(objectId), name]),
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
      {
        kind: 'custom',
        entry: 'open_account',
        label: 'Open an account',
        call: { typeArgs: [base, quote], args: [wallet, market, clock] },
      },
      {
        kind: 'custom',
        entry: 'deposit_margin',
        label: 'Deposit margin',
        intentMode: 'A',
        call: { typeArgs: [base, 'coinIn'], args: [wallet, market, amount, clock] },
      },
      {
        kind: 'custom',
        entry: 'withdraw_margin',
        label: 'Withdraw margin',
        call: { typeArgs: [base, 'coinOut'], args: [wallet, market, oracle, amount, clock] },
      },
      {
        kind: 'custom',
        entry: 'order',
        label: 'Buy or sell',
        call: { typeArgs: [base, quote], args: [wallet, market, oracle, ...order, clock] },
      },
      {
        kind: 'custom',
        entry: 'close_account',
        label: 'Close the account',
        call: { typeArgs: [base, quote], args: [wallet, market, clock] },
      },
    ],
  });
};
