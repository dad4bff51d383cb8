import type { Network } from '@adaptor-marketplace/adaptor/networks';
import type { ClientBase } from 'pg';
import type { WalletChainEvent } from './event.ts';

interface Change {
  initialized?: WalletChainEvent;
  version?: number;
  spendInto?: boolean;
}

/** Brings `policies` up to date with events in chain order. */
export async function foldPolicies(
  client: ClientBase,
  network: Network,
  events: WalletChainEvent[],
): Promise<void> {
  const changes = new Map<string, Change>();
  const change = (walletId: string, part: Change) => {
    changes.set(walletId, { ...changes.get(walletId), ...part });
  };
  for (const event of events) {
    switch (event.data?.name) {
      case 'policy::PolicyInitialized': {
        const { walletId, version } = event.data.fields;
        changes.set(walletId, { initialized: event, version });
        break;
      }
      case 'policy::PolicyRevoked':
        change(event.data.fields.walletId, { version: event.data.fields.newVersion });
        break;
      case 'policy::SpendIntoChanged':
        change(event.data.fields.walletId, { spendInto: event.data.fields.allowed });
        break;
    }
  }
  const all = [...changes];
  const created = all.filter(([, { initialized }]) => initialized);
  if (created.length > 0) {
    await client.query({
      name: 'insert-policies',
      text: `insert into policies (network, wallet_id, version, spend_into, initialized_at)
        select $1, c.* from unnest($2::text[], $3::bigint[], $4::boolean[], $5::timestamptz[]) c
        on conflict do nothing`,
      values: [
        network,
        created.map(([walletId]) => walletId),
        created.map(([, { version }]) => version),
        created.map(([, { spendInto }]) => spendInto ?? false),
        created.map(([, { initialized }]) => new Date(initialized!.timestampMs)),
      ],
    });
  }
  const changed = all.filter(([, { initialized }]) => !initialized);
  if (changed.length > 0) {
    await client.query({
      name: 'update-policies',
      text: `update policies p set version = coalesce(c.version, p.version),
          spend_into = coalesce(c.spend_into, p.spend_into)
        from unnest($2::text[], $3::bigint[], $4::boolean[]) as c (wallet_id, version, spend_into)
        where p.network = $1 and p.wallet_id = c.wallet_id`,
      values: [
        network,
        changed.map(([walletId]) => walletId),
        changed.map(([, { version }]) => version ?? null),
        changed.map(([, { spendInto }]) => spendInto ?? null),
      ],
    });
  }
}
