import type { Account } from '@adaptor-marketplace/localnet/account';
import type { Transaction, TransactionResult } from '@mysten/sui/transactions';
import { createdObject, publish } from './publish.ts';

/** SUI, as the chain spells it; nine decimals. */
export const SUI = `0x${'2'.padStart(64, '0')}::sui::SUI`;

/** Thousandths of a SUI in MIST. */
export const milliSui = (amount: number | bigint) => BigInt(amount) * 1_000_000n;

/** Dollars in base units; six decimals. */
export const dollars = (amount: number) => BigInt(Math.round(amount * 1_000_000));

/** An unlimited allowance. */
export const unlimited = 2n ** 64n - 1n;

/** By the modules of `move/protocols/coins`. */
const modules = {
  dollar: 'dollar',
  reefSui: 'reef_sui',
  flashSui: 'flash_sui',
  creditUsd: 'credit_usd',
  anchorUsd: 'anchor_usd',
  tideSui: 'tide_sui',
};
type CoinName = keyof typeof modules;

/** The coins beside SUI: dollars, the share coins of protocols, and a stablecoin. */
export interface Coins {
  packageId: string;
  types: Record<CoinName, string>;
  /** The objects that mint them, which are the publisher's until a protocol takes them. */
  treasuries: Record<CoinName, string>;
}

/** Publishes the coins; nothing is minted. */
export async function issueCoins(publisher: Account): Promise<Coins> {
  const published = await publish(publisher, 'protocols/coins');
  const { packageId } = published;
  const types = forEach((module) => `${packageId}::${module}::${module.toUpperCase()}`);
  const treasuries = forEach((module) => {
    const type = `${packageId}::${module}::${module.toUpperCase()}`;
    return createdObject(published, `::coin::TreasuryCap<${type}>`);
  });
  return { packageId, types, treasuries };
}

function forEach(of: (module: string) => string): Record<CoinName, string> {
  const entries = Object.entries(modules).map(([name, module]) => [name, of(module)]);
  return Object.fromEntries(entries) as Record<CoinName, string>;
}

/** Appends the minting of dollars, in base units, by the owner of their treasury. */
export function mintDollars(
  tx: Transaction,
  { types, treasuries }: Coins,
  amount: bigint,
): TransactionResult {
  return tx.moveCall({
    target: '0x2::coin::mint',
    typeArguments: [types.dollar],
    arguments: [tx.object(treasuries.dollar), tx.pure.u64(amount)],
  });
}
