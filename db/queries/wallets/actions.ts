import { type Item, type Row, readColumns } from '../../rows.ts';
import * as tables from '../../schema/index.ts';
import type { EventKey } from '../events.ts';
import { byPosition, type KeyedList, keyColumns, type Paging } from '../lists.ts';
import { createLookup } from '../lookups.ts';
import { eventPosition } from '../queryable.ts';
import { type WalletKey, walletKeyColumns } from './wallets.ts';

const actionColumns = readColumns(
  tables.serviceActions,
  ['serviceType', 'walletId', 'actors', ...eventPosition],
  { timestampMs: 'timestamp' },
);
const movedColumns = readColumns(tables.serviceActions, ['coins', 'taken', 'brought']);

type ActionRow = Row<typeof actionColumns> & Row<typeof movedColumns>;

/** One counted use of a service by a wallet. */
interface ServiceAction extends Item<typeof actionColumns> {
  /** Amounts that it moved, by coin, in base units. */
  moved: { coin: string; taken: string; brought: string }[];
}

const selected = `${actionColumns.select('a')}, ${movedColumns.select('a')}`;

const toAction = (row: ActionRow): ServiceAction => ({
  ...actionColumns.toItem(row),
  moved: row.coins.map((coin, at) => ({ coin, taken: row.taken[at]!, brought: row.brought[at]! })),
});

interface ServiceActionsKey extends Paging {
  network: string;
  serviceType: string;
}

/** The counted uses of a service, the newest first. */
export const serviceActionList: KeyedList<ServiceActionsKey, ActionRow, ServiceAction> = {
  name: 'actions-of-service',
  key: keyColumns(tables.serviceActions, 'network', 'serviceType'),
  from: 'service_actions a',
  where: 'a.network = key.network and a.service_type = key.service_type',
  select: selected,
  ...byPosition('a.checkpoint', 'a.tx_index', 'a.event_index'),
  toItem: toAction,
};

/** The counted uses of services by a wallet, the newest first. */
export const walletActionList: KeyedList<WalletKey & Paging, ActionRow, ServiceAction> = {
  ...serviceActionList,
  name: 'actions-of-wallet',
  filters: {},
  key: walletKeyColumns,
  where: 'a.network = key.network and a.wallet_id = key.wallet_id',
};

export const readActionsAt = createLookup<EventKey, ActionRow, ServiceAction>({
  name: 'find-actions',
  key: keyColumns(tables.serviceActions, 'network', ...eventPosition),
  select: selected,
  join: `join service_actions a on a.network = key.network and a.checkpoint = key.checkpoint
    and a.tx_index = key.tx_index and a.event_index = key.event_index`,
  toItem: toAction,
});

/** Money that left a wallet by its policy. Fields that earlier wallet packages do not announce are null. */
export interface PolicySpend {
  coin: string;
  /** Base units. */
  amount: string;
  recipient: string;
  policyVersion: number;
  sender: string | null;
  /** Type of the auth rule that authorized it. */
  auth: string | null;
  capId: string | null;
  /** The coin was returned to the transaction, so the recipient was not checked. */
  into: boolean | null;
  /** `<transaction digest>:<event index>`. */
  eventId: string;
  timestampMs: number;
  checkpoint: number;
  txIndex: number;
  eventIndex: number;
}

const spendColumns = readColumns(tables.events, ['txDigest', ...eventPosition], { timestampMs: 'timestamp' });

interface SpendRow extends Row<typeof spendColumns> {
  data: Omit<PolicySpend, 'eventId' | 'timestampMs' | (typeof eventPosition)[number]>;
}

/** Payments of a wallet by its policy, the newest first. The conditions are those of the index `events_of_spends`. */
export const spendList: KeyedList<WalletKey & Paging, SpendRow, PolicySpend> = {
  name: 'spends',
  key: walletKeyColumns,
  from: 'events e',
  where: `e.network = key.network and e.data->>'walletId' = key.wallet_id
    and e.source = 'wallet' and e.name = 'SpendConfirmed'`,
  select: `e.data, ${spendColumns.select('e')}`,
  ...byPosition('e.checkpoint', 'e.tx_index', 'e.event_index'),
  toItem: ({ data, txDigest, timestampMs, checkpoint, txIndex, eventIndex }) => ({
    coin: data.coin,
    amount: String(data.amount),
    recipient: data.recipient,
    policyVersion: Number(data.policyVersion),
    sender: data.sender ?? null,
    auth: data.auth ?? null,
    capId: data.capId ?? null,
    into: data.into ?? null,
    eventId: `${txDigest}:${eventIndex}`,
    timestampMs: timestampMs.getTime(),
    checkpoint,
    txIndex,
    eventIndex,
  }),
};
