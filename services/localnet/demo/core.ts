import type { Transaction, TransactionResult } from '@mysten/sui/transactions';
import type { RegistryIds } from '../../../lib/adaptor/registry-calls.ts';
import type { SharedTarget } from '../../../lib/chain/calls/target.ts';
import { execute } from './account.ts';
import type { Cast } from './cast.ts';
import { dollars } from './coins.ts';
import { createdObject, type Published, publish } from './publish.ts';

/** The contracts that everyone uses, and the coins beside SUI. */
export interface Core {
  registry: RegistryIds;
  wallet: string;
  rules: SharedTarget;
  agents: SharedTarget;
  escrow: string;
  /** Coin types. */
  coins: { package: string; dollar: string; reefSui: string };
  /** The objects that mint them: the operator's, and Reef's. */
  treasuries: { dollar: string; reefSui: string };
  /** Lagoon's coin of dollars. */
  poolDollars: string;
}

/** Publishes them, gives Lagoon the dollars for its pool and Reef the treasury of its share coin. */
export async function publishCore({ operator, lagoon, reef }: Cast): Promise<Core> {
  const wallet = (await publish(operator, 'wallet')).packageId;
  const registry = shared(await publish(operator, 'registry'));
  const rules = shared(await publish(operator, 'rules', { wallet }));
  const agents = shared(await publish(operator, 'agents'));
  const escrow = (await publish(operator, 'escrow', { wallet })).packageId;
  const minting = await publish(operator, 'protocols/coins');
  const dollar = `${minting.packageId}::dollar::DOLLAR`;
  const reefSui = `${minting.packageId}::reef_sui::REEF_SUI`;
  const treasuryOf = (coin: string) => createdObject(minting, `::coin::TreasuryCap<${coin}>`);
  const treasuries = { dollar: treasuryOf(dollar), reefSui: treasuryOf(reefSui) };

  const handed = await execute(operator, (tx) => {
    const forPool = mintDollars(tx, { dollar, treasury: treasuries.dollar }, dollars(1_800));
    tx.transferObjects([forPool], lagoon.address);
    tx.transferObjects([treasuries.reefSui], reef.address);
  });
  const poolDollars = createdObject(handed, `::coin::Coin<${dollar}>`);
  const coins = { package: minting.packageId, dollar, reefSui };
  return { registry, wallet, rules, agents, escrow, coins, treasuries, poolDollars };
}

/** Appends the minting of `amount` base units by the treasury's owner. */
export function mintDollars(
  tx: Transaction,
  { dollar, treasury }: { dollar: string; treasury: string },
  amount: bigint,
): TransactionResult {
  return tx.moveCall({
    target: '0x2::coin::mint',
    typeArguments: [dollar],
    arguments: [tx.object(treasury), tx.pure.u64(amount)],
  });
}

/** A package with a shared registry. */
function shared(published: Published): SharedTarget {
  return { packageId: published.packageId, objectId: createdObject(published, '::registry::Registry') };
}
