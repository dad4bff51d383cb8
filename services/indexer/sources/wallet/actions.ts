import type { Network } from '@adaptor-marketplace/adaptor/networks';
import type { ClientBase } from 'pg';
import { copyRows } from '../../../../db/queries/copy.ts';
import type { WalletChainEvent } from './event.ts';

/** Counted use: a distinct (transaction, wallet, service), at the place of its first event. */
export interface Action {
  event: WalletChainEvent;
  walletId: string;
  service: string;
  /** Without the wallet's owner. */
  actors: Set<string>;
}

/**
 * What the events count as use. A service is used where it is paid, swapped with, takes a coin out of a wallet
 * or puts one in, of a positive amount; a policy spend is no use of a service.
 */
export function actionsOf(events: readonly WalletChainEvent[]): Action[] {
  const actions: Action[] = [];
  let inTransaction = new Map<string, Action>();
  /** Who spent in this transaction, by wallet and service: the budgets are debited before the coin leaves. */
  let spenders = new Map<string, Set<string>>();
  let digest = '';
  for (const event of events) {
    const { data } = event;
    if (!data) continue;
    if (event.txDigest !== digest) {
      digest = event.txDigest;
      inTransaction = new Map();
      spenders = new Map();
    }
    const use = useOf(event);
    if (!use) continue;
    const key = `${use.walletId} ${use.service}`;
    const known = inTransaction.get(key);
    const actors = known?.actors ?? spenders.get(key) ?? new Set([event.sender]);
    for (const actor of use.actors) actors.add(actor);
    spenders.set(key, actors);
    if (known || !use.counts) continue;
    const action = { event, walletId: use.walletId, service: use.service, actors };
    inTransaction.set(key, action);
    actions.push(action);
  }
  return actions;
}

interface Use {
  walletId: string;
  service: string;
  actors: string[];
  /** Or else it only says who acts. */
  counts: boolean;
}

function useOf({ data, type }: WalletChainEvent): Use | undefined {
  switch (data?.name) {
    case 'intent::PaymentValidated': {
      const { walletId, service, payer, sender, amount } = data.fields;
      const actors = [payer, sender].filter((actor) => typeof actor === 'string');
      return { walletId, service, actors, counts: amount !== '0' };
    }
    case 'intent::SwapValidated': {
      const { walletId, service, spender, amountIn } = data.fields;
      return { walletId, service, actors: [spender], counts: amountIn !== '0' };
    }
    case 'wallet::CoinWithdrawn':
    case 'wallet::CoinDeposited': {
      const { walletId, service, amount } = data.fields;
      if (service === null || service === policySpendOf(type)) return undefined;
      return { walletId, service, actors: [], counts: amount !== '0' };
    }
    case 'delegate::ServiceAllowanceDebited': {
      const { walletId, service, spender } = data.fields;
      return { walletId, service, actors: [spender], counts: false };
    }
    default:
      return undefined;
  }
}

/** The mark that the wallet package puts in a service's place when a policy pays: `0x…::wallet::PolicySpend`. */
function policySpendOf(eventType: string): string {
  return eventType.replace(/::\w+$/, '::PolicySpend');
}

const columns = [
  'network',
  'checkpoint',
  'tx_index',
  'event_index',
  'service_type',
  'wallet_id',
  'actors',
  'timestamp',
];

/** @param owners of the wallets at the moments of the actions, in the same order; undefined where unknown */
export async function appendActions(
  client: ClientBase,
  network: Network,
  actions: Action[],
  owners: (string | undefined)[],
): Promise<void> {
  if (actions.length === 0) return;
  await copyRows(
    client,
    'service_actions',
    columns,
    actions.map(({ event, walletId, service, actors }, i) => {
      const owner = owners[i];
      const all = owner === undefined ? actors : new Set(actors).add(owner);
      return [
        network,
        event.checkpoint,
        event.txIndex,
        event.eventIndex,
        service,
        walletId,
        `{${[...all].join(',')}}`,
        new Date(event.timestampMs),
      ];
    }),
  );
}
