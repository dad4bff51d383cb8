import type { Account, Executed } from '@adaptor-marketplace/localnet/account';
import { bcs } from '@mysten/sui/bcs';
import type { Transaction, TransactionArgument } from '@mysten/sui/transactions';
import type { Opened, Venue } from './venue.ts';

type Role = 'a' | 'b' | 'reward';

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
  coins: Record<Role, string>,
  terms: { feePpm: number; spacing: number; price: number; admin: string },
): Opened<Role> {
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
  { packageId, objectId, coins }: Venue<Role>,
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
  { packageId, objectId, coins }: Venue<Role>,
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
  { packageId, objectId, coins }: Venue<Role>,
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

/** How much liquidity a transaction added to its positions, in the order of its calls. */
export async function addedLiquidity({ client }: Account, { digest }: Executed): Promise<bigint[]> {
  const read = await client.getTransaction({ digest, include: { events: true } });
  return (read.Transaction?.events ?? [])
    .filter(({ eventType }) => eventType.endsWith('::pool::LiquidityAdded'))
    .map((event) => BigInt(liquidityAdded.parse(event.bcs).liquidity));
}
