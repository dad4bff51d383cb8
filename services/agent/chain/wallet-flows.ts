import type { SuiClientTypes } from '@mysten/sui/client';
import { walletEvents } from '../../../lib/chain/events/wallet.ts';

/** What left a wallet and what came into it, by coin type; the sums over a transaction. */
export interface WalletFlows {
  paid: Map<string, bigint>;
  received: Map<string, bigint>;
  /** Wallets that events name, other than the one asked for. */
  others: string[];
}

/**
 * Reads off a transaction's events what it does to a wallet: the wallet package itself says so, no matter what called
 * it. `packageIds` are all versions of the package: an event goes by the version that first defined it.
 */
export function walletFlows(
  events: readonly Pick<SuiClientTypes.Event, 'eventType' | 'bcs'>[],
  packageIds: ReadonlySet<string>,
  walletId: string,
): WalletFlows {
  const flows: WalletFlows = { paid: new Map(), received: new Map(), others: [] };
  for (const { eventType, bcs } of events) {
    const [packageId, ...path] = eventType.split('::');
    const name = path.join('::');
    if (!packageIds.has(packageId ?? '') || !walletEvents.isName(name)) continue;
    const fields: { walletId?: string } = walletEvents.decode(name, bcs);
    if (fields.walletId !== undefined && fields.walletId !== walletId) flows.others.push(fields.walletId);
    if (name === 'wallet::CoinWithdrawn') add(flows.paid, walletEvents.decode(name, bcs));
    if (name === 'wallet::CoinDeposited') add(flows.received, walletEvents.decode(name, bcs));
  }
  return flows;
}

function add(sums: Map<string, bigint>, { coin, amount }: { coin: string; amount: bigint | string }): void {
  sums.set(coin, (sums.get(coin) ?? 0n) + BigInt(amount));
}
