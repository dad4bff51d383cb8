import type { Network } from '@adaptor-marketplace/adaptor/networks';
import type { ClientBase } from 'pg';
import type { Action } from './actions.ts';
import type { WalletChainEvent } from './event.ts';

/**
 * The owner of each action's wallet at the moment of the action: what the table says before these events, and
 * what they say themselves until then. Undefined for a wallet whose creation is not known.
 */
export async function ownersAtActions(
  client: ClientBase,
  network: Network,
  events: readonly WalletChainEvent[],
  actions: readonly Action[],
): Promise<(string | undefined)[]> {
  if (actions.length === 0) return [];
  const owners = await storedOwners(client, network, [...new Set(actions.map(({ walletId }) => walletId))]);
  const found: (string | undefined)[] = [];
  let next = 0;
  for (const event of events) {
    if (event.data?.name === 'wallet::WalletCreated' || event.data?.name === 'wallet::OwnerChanged') {
      owners.set(event.data.fields.walletId, event.data.fields.owner);
    }
    const action = actions[next];
    if (action?.event !== event) continue;
    found.push(owners.get(action.walletId));
    next++;
  }
  return found;
}

async function storedOwners(client: ClientBase, network: Network, walletIds: string[]) {
  const { rows } = await client.query<{ id: string; owner: string }>({
    name: 'stored-owners',
    text: 'select wallet_id as id, owner from wallets where network = $1 and wallet_id = any ($2::text[])',
    values: [network, walletIds],
  });
  return new Map(rows.map(({ id, owner }) => [id, owner]));
}
