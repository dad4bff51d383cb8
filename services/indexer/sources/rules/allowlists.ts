import type { Network } from '@adaptor-marketplace/adaptor/networks';
import type { ClientBase } from 'pg';
import type { RulesEvent } from '../rules.ts';
import type { ChainEvent } from '../source.ts';

type Event = ChainEvent<RulesEvent>;

/** What a batch does to a recipient on a list. */
interface Change {
  allowlistId: string;
  recipient: string;
  /** Was taken off at least once. */
  reset: boolean;
  /** Since when it is on the list; undefined where it is not. */
  addedAtMs?: number;
}

/** Brings `allowlists` and `allowlist_recipients` up to date with events in chain order. */
export async function foldAllowlists(client: ClientBase, network: Network, events: Event[]): Promise<void> {
  const created: Event[] = [];
  const retired = new Map<string, Date>();
  const changes = new Map<string, Change>();
  for (const event of events) {
    switch (event.data?.name) {
      case 'rule::AllowlistCreated':
        created.push(event);
        break;
      case 'rule::AllowlistRetired':
        retired.set(event.data.fields.allowlistId, new Date(event.timestampMs));
        break;
      case 'rule::AllowlistChanged': {
        const { allowlistId, recipient, allowed } = event.data.fields;
        const key = `${allowlistId} ${recipient}`;
        const former = changes.get(key);
        const since = allowed ? { addedAtMs: former?.addedAtMs ?? event.timestampMs } : {};
        const reset = !allowed || (former?.reset ?? false);
        changes.set(key, { allowlistId, recipient, reset, ...since });
        break;
      }
    }
  }
  await create(client, network, created);
  await retire(client, network, [...retired]);
  await changeRecipients(client, network, [...changes.values()]);
}

async function create(client: ClientBase, network: Network, events: Event[]): Promise<void> {
  if (events.length === 0) return;
  const fields = events.map(({ data }) => data!.fields as { allowlistId: string; walletId: string });
  await client.query({
    name: 'insert-allowlists',
    text: `insert into allowlists (network, allowlist_id, wallet_id, created_at, created_checkpoint,
        created_tx_index, created_event_index)
      select $1, c.* from unnest($2::text[], $3::text[], $4::timestamptz[], $5::bigint[], $6::int[],
        $7::int[]) c
      on conflict do nothing`,
    values: [
      network,
      fields.map(({ allowlistId }) => allowlistId),
      fields.map(({ walletId }) => walletId),
      events.map(({ timestampMs }) => new Date(timestampMs)),
      events.map(({ checkpoint }) => checkpoint),
      events.map(({ txIndex }) => txIndex),
      events.map(({ eventIndex }) => eventIndex),
    ],
  });
}

async function retire(client: ClientBase, network: Network, rows: [string, Date][]): Promise<void> {
  if (rows.length === 0) return;
  await client.query({
    name: 'retire-allowlists',
    text: `update allowlists a set retired_at = c.retired_at
      from unnest($2::text[], $3::timestamptz[]) as c (allowlist_id, retired_at)
      where a.network = $1 and a.allowlist_id = c.allowlist_id`,
    values: [network, rows.map(([allowlistId]) => allowlistId), rows.map(([, at]) => at)],
  });
}

async function changeRecipients(client: ClientBase, network: Network, all: Change[]): Promise<void> {
  const values = (rows: Change[]) => [
    network,
    rows.map(({ allowlistId }) => allowlistId),
    rows.map(({ recipient }) => recipient),
  ];
  const removed = all.filter(({ reset }) => reset);
  if (removed.length > 0) {
    await client.query({
      name: 'remove-recipients',
      text: `delete from allowlist_recipients r using unnest($2::text[], $3::text[])
          as c (allowlist_id, recipient)
        where r.network = $1 and r.allowlist_id = c.allowlist_id and r.recipient = c.recipient`,
      values: values(removed),
    });
  }
  const added = all.filter(({ addedAtMs }) => addedAtMs !== undefined);
  if (added.length > 0) {
    await client.query({
      name: 'add-recipients',
      text: `insert into allowlist_recipients (network, allowlist_id, recipient, added_at)
        select $1, c.* from unnest($2::text[], $3::text[], $4::timestamptz[]) c
        on conflict do nothing`,
      values: [...values(added), added.map(({ addedAtMs }) => new Date(addedAtMs!))],
    });
  }
}
