import type { ClientBase } from 'pg';
import {
  addLinks,
  addPayments,
  type NewLink,
  type NewPayment,
  paymentCoin,
} from '../../../db/queries/catalog/credits.ts';
import { makeOwnersDue } from '../../../db/queries/catalog/due-credits.ts';
import { queueWallets } from '../../../db/queries/catalog/hires.ts';
import { lockCatalog } from '../../../db/queries/catalog/revision.ts';
import { readOwners } from '../../../db/queries/wallets/wallets.ts';
import type { WalletEvents } from '../../../lib/chain/events/wallet.ts';
import type { ChainEvent, DecodedEvent } from './source.ts';

type Event = ChainEvent<DecodedEvent<WalletEvents>>;

/** Owners of the wallets of events, just before them. An event whose wallet is unknown is missing. */
export type OwnersBefore = ReadonlyMap<Event, string>;

/** Reads the owners of wallets before each of `ownerEvents`. Call it before the wallets are updated with `events`. */
export async function readOwnersBefore(
  client: ClientBase,
  network: string,
  events: readonly Event[],
  ownerEvents: readonly Event[],
): Promise<OwnersBefore> {
  const before = new Map<Event, string>();
  const walletIds = new Set(ownerEvents.flatMap((event) => readWalletId(event) ?? []));
  if (walletIds.size === 0) return before;
  const owners = await readOwners(client, network, [...walletIds]);
  for (const event of events) {
    const walletId = readWalletId(event);
    if (walletId === undefined || !walletIds.has(walletId)) continue;
    const owner = owners.get(walletId);
    if (owner !== undefined) before.set(event, owner);
    const { data } = event;
    if (data?.name === 'wallet::WalletCreated' || data?.name === 'wallet::OwnerChanged') {
      owners.set(walletId, data.fields.owner);
    }
  }
  return before;
}

/** Returns `undefined` for an event that does not name its wallet, as those of some packages. */
const readWalletId = ({ data }: Event): string | undefined => data?.fields.walletId;

/** Returns the events from which payments and links follow. */
export const findRankingEvents = (events: readonly Event[]): Event[] =>
  events.filter(({ data }) => data?.name === 'delegate::Added' || isPayment(data));

/**
 * A policy spend in SUI is a payment if the wallet's own package sends the coin to the recipient. The events of the
 * earlier package do not say so: it may also return the coin to the spender, who names any recipient. The recipient of
 * a payment by a service is only what the service says, and escrow has its own events.
 */
const isPayment = (data: Event['data']): boolean =>
  data?.name === 'policy::SpendConfirmed' && data.fields.coin === paymentCoin && data.fields.into === false;

/** Stores what the ranking needs besides use. It may lock the catalog. */
export async function foldRanking(
  client: ClientBase,
  network: string,
  events: readonly Event[],
  owners: OwnersBefore,
): Promise<void> {
  const payments: NewPayment[] = [];
  const links: NewLink[] = [];
  const created: string[] = [];
  for (const event of events) {
    const { data } = event;
    const owner = owners.get(event);
    switch (data?.name) {
      case 'policy::SpendConfirmed':
        if (owner !== undefined && isPayment(data)) payments.push({ owner, ...data.fields });
        break;
      case 'delegate::Added':
        if (owner !== undefined) links.push({ owner, address: data.fields.delegate, isTransfer: false });
        break;
      case 'wallet::OwnerChanged': {
        const { previous, owner: newOwner } = data.fields;
        links.push({ owner: previous, address: newOwner, isTransfer: true });
        links.push({ owner: newOwner, address: previous, isTransfer: true });
        break;
      }
      case 'wallet::WalletCreated':
        created.push(data.fields.walletId);
        break;
    }
  }
  const payers = await addPayments(client, network, payments);
  if (payers.length === 0 && links.length === 0 && created.length === 0) return;
  const catalog = await lockCatalog(client, network);
  if (payers.length > 0) await makeOwnersDue(client, catalog, payers);
  if (links.length > 0) await addLinks(client, catalog, links);
  if (created.length > 0) await queueWallets(client, catalog, created);
}
