import { byPosition, type KeyedList, type Paging } from '../lists.ts';
import { keyRows, orderByKeys, type Queryable } from '../queryable.ts';
import { type WalletKey, walletKeyColumns } from './wallets.ts';

/** One counted use of a service by a wallet. */
interface ServiceAction {
  serviceType: string;
  walletId: string;
  /** The wallet's owner at that time, the sender, and spenders and payers that the events name. */
  actors: string[];
  /** Amounts that it moved, by coin, in base units. */
  moved: { coin: string; taken: string; brought: string }[];
  timestampMs: number;
  checkpoint: number;
  txIndex: number;
  eventIndex: number;
}

interface ActionRow {
  service_type: string;
  wallet_id: string;
  actors: string[];
  coins: string[];
  taken: string[];
  brought: string[];
  timestamp: Date;
  checkpoint: number;
  tx_index: number;
  event_index: number;
}

const actionColumns = `a.service_type, a.wallet_id, a.actors, a.coins, a.taken::text[], a.brought::text[], a.timestamp,
  a.checkpoint, a.tx_index, a.event_index`;

const toAction = (row: ActionRow): ServiceAction => ({
  serviceType: row.service_type,
  walletId: row.wallet_id,
  actors: row.actors,
  moved: row.coins.map((coin, at) => ({ coin, taken: row.taken[at]!, brought: row.brought[at]! })),
  timestampMs: row.timestamp.getTime(),
  checkpoint: row.checkpoint,
  txIndex: row.tx_index,
  eventIndex: row.event_index,
});

interface ServiceActionsKey extends Paging {
  network: string;
  serviceType: string;
}

/** The counted uses of a service, the newest first. */
export const serviceActionList: KeyedList<ServiceActionsKey, ActionRow, ServiceAction> = {
  name: 'actions-of-service',
  key: {
    network: ['text', ({ network }) => network],
    service_type: ['text', ({ serviceType }) => serviceType],
  },
  from: 'service_actions a',
  where: 'a.network = key.network and a.service_type = key.service_type',
  select: actionColumns,
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

/** Reads many actions by their positions, in the order of the keys. */
export async function readActionsAt(
  db: Queryable,
  keys: readonly { network: string; checkpoint: number; txIndex: number; eventIndex: number }[],
): Promise<(ServiceAction | undefined)[]> {
  const { rows } = await db.query<ActionRow & { nth: number }>({
    name: 'find-actions',
    text: `
select key.nth::int, ${actionColumns}
from ${keyRows({ network: 'text', checkpoint: 'bigint', tx_index: 'int', event_index: 'int' })}
join service_actions a on a.network = key.network and a.checkpoint = key.checkpoint
  and a.tx_index = key.tx_index and a.event_index = key.event_index`,
    values: [
      keys.map(({ network }) => network),
      keys.map(({ checkpoint }) => checkpoint),
      keys.map(({ txIndex }) => txIndex),
      keys.map(({ eventIndex }) => eventIndex),
    ],
  });
  return orderByKeys(keys, rows, toAction);
}

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

interface SpendRow {
  data: Omit<PolicySpend, 'eventId' | 'timestampMs' | 'checkpoint' | 'txIndex' | 'eventIndex'>;
  tx_digest: string;
  timestamp: Date;
  at_0: number;
  at_1: number;
  at_2: number;
}

/** Payments of a wallet by its policy, the newest first. The conditions are those of the index `events_of_spends`. */
export const spendList: KeyedList<WalletKey & Paging, SpendRow, PolicySpend> = {
  name: 'spends',
  key: walletKeyColumns,
  from: 'events e',
  where: `e.network = key.network and e.data->>'walletId' = key.wallet_id
    and e.source = 'wallet' and e.name = 'SpendConfirmed'`,
  select: 'e.data, e.tx_digest, e.timestamp',
  ...byPosition('e.checkpoint', 'e.tx_index', 'e.event_index'),
  toItem: ({ data, tx_digest, timestamp, at_0, at_1, at_2 }) => ({
    coin: data.coin,
    amount: String(data.amount),
    recipient: data.recipient,
    policyVersion: Number(data.policyVersion),
    sender: data.sender ?? null,
    auth: data.auth ?? null,
    capId: data.capId ?? null,
    into: data.into ?? null,
    eventId: `${tx_digest}:${at_2}`,
    timestampMs: timestamp.getTime(),
    ...{ checkpoint: at_0, txIndex: at_1, eventIndex: at_2 },
  }),
};
