import type { Network } from '@adaptor-marketplace/adaptor/networks';
import type { ClientBase } from 'pg';
import type { WalletChainEvent } from './event.ts';

/** What a batch does to a cap. */
interface Change {
  minted?: Minted;
  /** What is left, where an event says it; undefined: as it was, less `debited`. */
  remaining?: bigint;
  debited: bigint;
  revokedAt?: Date;
  burnedAt?: Date;
}

interface Minted {
  event: WalletChainEvent;
  kind: 'bearer' | 'scoped';
  walletId: string;
  recipient?: string | null;
  policyVersion?: number;
  coin?: string;
  budget?: string;
  depth?: number;
  maxDepth?: number;
  parent?: string | null;
}

/** Brings `caps` up to date with events in chain order. */
export async function foldCaps(
  client: ClientBase,
  network: Network,
  events: WalletChainEvent[],
): Promise<void> {
  const changes = new Map<string, Change>();
  const changeOf = (capId: string) => {
    const change = changes.get(capId) ?? { debited: 0n };
    changes.set(capId, change);
    return change;
  };
  for (const event of events) {
    const { data } = event;
    const at = new Date(event.timestampMs);
    switch (data?.name) {
      case 'cap_auth::DelegateCapMinted':
        changeOf(data.fields.capId).minted = { event, kind: 'bearer', ...data.fields };
        break;
      case 'sub_delegate::ScopedCapMinted': {
        const { capId, budget, parent } = data.fields;
        Object.assign(changeOf(capId), {
          minted: { event, kind: 'scoped', ...data.fields },
          remaining: BigInt(budget),
        });
        // A sub-delegation takes its budget out of the cap that it is split from, without an event of its own.
        if (parent !== null) debit(changeOf(parent), BigInt(budget));
        break;
      }
      case 'sub_delegate::ScopedSpent':
      case 'sub_delegate::ScopedRefunded':
        Object.assign(changeOf(data.fields.capId), { remaining: BigInt(data.fields.remaining), debited: 0n });
        break;
      case 'cap_auth::DelegateCapRevoked':
      case 'sub_delegate::ScopedCapRevoked':
        changeOf(data.fields.capId).revokedAt ??= at;
        break;
      case 'cap_auth::DelegateCapBurned':
        changeOf(data.fields.capId).burnedAt = at;
        break;
      case 'sub_delegate::ScopedCapBurned':
        Object.assign(changeOf(data.fields.capId), { burnedAt: at, remaining: 0n, debited: 0n });
        break;
    }
  }
  const all = [...changes];
  await insert(
    client,
    network,
    all.filter(([, { minted }]) => minted),
  );
  await update(
    client,
    network,
    all.filter(([, { minted }]) => !minted),
  );
}

function debit(change: Change, amount: bigint): void {
  if (change.remaining === undefined) change.debited += amount;
  // Never below zero: an event that did not decode may have raised it before.
  else change.remaining = amount < change.remaining ? change.remaining - amount : 0n;
}

async function insert(client: ClientBase, network: Network, rows: [string, Change][]): Promise<void> {
  if (rows.length === 0) return;
  const minted = rows.map(([, change]) => change.minted!);
  await client.query({
    name: 'insert-caps',
    text: `insert into caps (network, cap_id, kind, wallet_id, recipient, policy_version, coin, budget,
        remaining, depth, max_depth, parent, minted_at, minted_checkpoint, minted_tx_index,
        minted_event_index, revoked_at, burned_at)
      select $1, c.* from unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::bigint[], $7::text[],
        $8::numeric[], $9::numeric[], $10::smallint[], $11::smallint[], $12::text[], $13::timestamptz[],
        $14::bigint[], $15::int[], $16::int[], $17::timestamptz[], $18::timestamptz[]) c
      on conflict do nothing`,
    values: [
      network,
      rows.map(([capId]) => capId),
      minted.map(({ kind }) => kind),
      minted.map(({ walletId }) => walletId),
      minted.map(({ recipient }) => recipient ?? null),
      minted.map(({ policyVersion }) => policyVersion ?? null),
      minted.map(({ coin }) => coin ?? null),
      minted.map(({ budget }) => budget ?? null),
      rows.map(([, { remaining }]) => remaining ?? null),
      minted.map(({ depth }) => depth ?? null),
      minted.map(({ maxDepth }) => maxDepth ?? null),
      minted.map(({ parent }) => parent ?? null),
      minted.map(({ event }) => new Date(event.timestampMs)),
      minted.map(({ event }) => event.checkpoint),
      minted.map(({ event }) => event.txIndex),
      minted.map(({ event }) => event.eventIndex),
      rows.map(([, { revokedAt }]) => revokedAt ?? null),
      rows.map(([, { burnedAt }]) => burnedAt ?? null),
    ],
  });
}

async function update(client: ClientBase, network: Network, rows: [string, Change][]): Promise<void> {
  if (rows.length === 0) return;
  await client.query({
    name: 'update-caps',
    text: `update caps set remaining = coalesce(c.remaining, caps.remaining - least(c.debited, caps.remaining)),
        revoked_at = coalesce(caps.revoked_at, c.revoked_at), burned_at = coalesce(c.burned_at, caps.burned_at)
      from unnest($2::text[], $3::numeric[], $4::numeric[], $5::timestamptz[], $6::timestamptz[])
        as c (cap_id, remaining, debited, revoked_at, burned_at)
      where caps.network = $1 and caps.cap_id = c.cap_id`,
    values: [
      network,
      rows.map(([capId]) => capId),
      rows.map(([, { remaining }]) => remaining ?? null),
      rows.map(([, { debited }]) => debited),
      rows.map(([, { revokedAt }]) => revokedAt ?? null),
      rows.map(([, { burnedAt }]) => burnedAt ?? null),
    ],
  });
}
