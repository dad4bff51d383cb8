import type { Slot } from '../../../lib/actions/slots.ts';
import { SUI } from '../../../services/demo/publish.ts';
import { type ChainRead, readChain } from '../chain-reads.ts';
import type { DemoTools } from '../demo-tools.ts';

/**
 * Amounts by name, in base units: a wallet's coins, its positions at each slot's venue, and the venues' own holdings.
 */
export type Holdings = Record<string, bigint>;

/** Ids of the wallet's accounts and positions at the venues, as far as it has them. */
export type Positions = Partial<Record<'lendingC' | 'perp' | 'current' | 'clmm', string>>;

const positionTypes = {
  lendingC: '::money_market::AccountCap',
  perp: '::perpetuals::AccountCap',
  current: '::supply_market::Position',
  clmm: '::pool::Position',
};

/** Finds the positions that a transaction created. */
export async function positionsMade({ client }: DemoTools, digest: string): Promise<Positions> {
  const include = { effects: true, objectTypes: true } as const;
  const { Transaction: made } = await client.getTransaction({ digest, include });
  const types = Object.entries(made?.objectTypes ?? {});
  return Object.fromEntries(
    Object.entries(positionTypes).flatMap(([name, type]) => {
      const found = types.find(([, objectType]) => objectType.endsWith(type));
      const created = made?.effects.changedObjects.some(
        ({ objectId, idOperation }) => objectId === found?.[0] && idOperation === 'Created',
      );
      return found && created ? [[name, found[0]]] : [];
    }),
  );
}

/** Reads all holdings from the chain. */
export async function readHoldings(
  world: DemoTools,
  walletId: string,
  positions: Positions,
): Promise<Holdings> {
  const { client, owner, demo } = world;
  const reads = [...walletReads(world, walletId), ...venueReads(world, positions)];
  const answers = await readChain(
    client,
    owner.address,
    reads.map(({ read }) => read),
  );
  const {
    supply = 0n,
    surplus = 0n,
    saved = 0n,
    ...held
  } = Object.fromEntries(
    reads.flatMap(({ names }, place) => names.map((name, nth) => [name, answers[place]![nth]!])),
  );
  const { balance } = await client.getBalance({ owner: demo.provider.address, coinType: SUI });
  return {
    ...held,
    ...(await positionFields(world, positions)),
    // Interest is minted into the surplus and paid out of it at any time, so it does not count as circulating.
    'stablecoin.circulating': supply - surplus - saved,
    'provider.sui': BigInt(balance.balance),
  };
}

interface NamedRead {
  /** Names of the function's return values, in their order. */
  names: string[];
  read: ChainRead;
}

/** Coin types by the names of holdings. */
export function coinNames({ demo: { venues } }: DemoTools): Record<string, string> {
  return {
    sui: SUI,
    dollar: venues.swap.coins.b!,
    flashSui: venues.lendingA.coins.share!,
    creditUsd: venues.lendingB.coins.share!,
    anchorUsd: venues.stablecoin.coins.stablecoin!,
    tideSui: venues.liquidStake.coins.share!,
    reefSui: venues.vault.coins.share!,
  };
}

function walletReads(world: DemoTools, walletId: string): NamedRead[] {
  const target = `${world.demo.packages.wallet}::wallet::balance`;
  return Object.entries(coinNames(world)).map(([name, coinType]) => ({
    names: [name],
    read: { target, typeArguments: [coinType], arguments: [walletId] },
  }));
}

function venueReads({ demo }: DemoTools, { lendingC, perp }: Positions): NamedRead[] {
  const reads: NamedRead[] = [];
  /** Reads a view function of the slot's venue. `roles` are the coins that are its type arguments. */
  const at = (slot: Slot, [folder, module]: [string, string], roles: string[]) => {
    const { coins, objects } = demo.venues[slot];
    const object = objects.pool ?? objects.market ?? objects.issuer ?? objects.vault;
    const typeArguments = roles.map((role) => coins[role]!);
    return (view: string, names: string[], ...more: { id: string }[]) =>
      reads.push({
        names,
        read: {
          target: `${demo.packages.protocols[folder]}::${module}::${view}`,
          typeArguments,
          arguments: [object!, ...more],
        },
      });
  };
  at('swap', ['pool', 'pool'], ['a', 'b'])('reserves', ['swap.a', 'swap.b']);
  const assetAndShare: [Slot, string][] = [
    ['lendingA', 'flash_pool'],
    ['lendingB', 'credit_pool'],
    ['vault', 'vault'],
  ];
  for (const [slot, folder] of assetAndShare) {
    const read = at(slot, [folder, folder], ['asset', 'share']);
    read('total_assets', [`${slot}.assets`]);
    read('total_shares', [`${slot}.shares`]);
  }
  const market = at('lendingC', ['money_market', 'money_market'], ['asset', 'collateral']);
  market('total_assets', ['lendingC.assets']);
  if (lendingC) market('supplied_of', ['lendingC.supplied'], { id: lendingC });
  const issuer = at('stablecoin', ['stablecoin', 'stablecoin'], ['stablecoin']);
  issuer('total_supply', ['supply']);
  issuer('surplus', ['surplus']);
  issuer('total_saved', ['saved']);
  const loans = at('stablecoin', ['stablecoin', 'stablecoin'], ['collateral', 'stablecoin']);
  loans('total_collateral', ['stablecoin.pledged']);
  const stake = at('liquidStake', ['liquid_stake', 'liquid_stake'], ['share']);
  stake('total_staked', ['liquidStake.assets']);
  stake('total_shares', ['liquidStake.shares']);
  at('clmm', ['concentrated', 'pool'], ['a', 'b', 'reward'])('held', ['clmm.a', 'clmm.b', 'clmm.reward']);
  const perpetuals = at('perp', ['perpetuals', 'perpetuals'], ['base', 'quote']);
  perpetuals('held', ['perp.house', 'perp.margins']);
  if (perp) perpetuals('account', ['perp.margin', 'perp.size', 'perp.long', 'perp.cost'], { id: perp });
  at('current', ['supply_market', 'supply_market'], ['asset'])('total_supplied', ['current.supplied']);
  return reads;
}

/** Reads the amounts of positions that are objects. A closed position is left out. */
async function positionFields({ client }: DemoTools, { current, clmm }: Positions): Promise<Holdings> {
  const read = async (objectId: string | undefined, field: string) => {
    if (objectId === undefined) return undefined;
    const { objects } = await client.getObjects({ objectIds: [objectId], include: { json: true } });
    const [object] = objects;
    return !object || object instanceof Error ? undefined : BigInt(String(object.json?.[field]));
  };
  const [supplied, liquidity] = await Promise.all([read(current, 'amount'), read(clmm, 'liquidity')]);
  return {
    ...(supplied !== undefined && { 'current.position': supplied }),
    ...(liquidity !== undefined && { 'clmm.positions': 1n, 'clmm.liquidity': liquidity }),
  };
}

/** Returns the difference of each holding. Unchanged holdings are left out. */
export function changes(before: Holdings, after: Holdings): Holdings {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return Object.fromEntries(
    [...names].flatMap((name) => {
      const change = (after[name] ?? 0n) - (before[name] ?? 0n);
      return change === 0n ? [] : [[name, change]];
    }),
  );
}
