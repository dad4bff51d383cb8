import type { ClientBase } from 'pg';
import { byPosition, type KeyedList, type Paging } from '../lists.ts';
import {
  type EventPosition,
  keyRows,
  orderByKeys,
  type Queryable,
  toColumns,
  toPositionColumns,
} from '../queryable.ts';
import { type WalletKey, walletKeyColumns } from './wallets.ts';

/** A cap according to the events of its wallet, which do not show its current holder. */
interface KnownCap {
  capId: string;
  kind: 'bearer' | 'scoped';
  walletId: string;
  /** Address that it was minted for, if known. */
  recipient: string | null;
  policyVersion: number | null;
  coin: string | null;
  budget: string | null;
  remaining: string | null;
  depth: number | null;
  maxDepth: number | null;
  parent: string | null;
  mintedMs: number;
  /** Time at which this cap itself was revoked; a revoked ancestor does not set it. */
  revokedMs: number | null;
  burnedMs: number | null;
}

interface CapsKey extends WalletKey, Paging {}

interface CapRow {
  cap_id: string;
  kind: 'bearer' | 'scoped';
  wallet_id: string;
  recipient: string | null;
  policy_version: number | null;
  coin: string | null;
  budget: string | null;
  remaining: string | null;
  depth: number | null;
  max_depth: number | null;
  parent: string | null;
  minted_at: Date;
  revoked_at: Date | null;
  burned_at: Date | null;
}

const capColumns = `c.cap_id, c.kind, c.wallet_id, c.recipient, c.policy_version, c.coin, c.budget::text, c.remaining::text,
  c.depth, c.max_depth, c.parent, c.minted_at, c.revoked_at, c.burned_at`;

const toCap = (row: CapRow): KnownCap => ({
  capId: row.cap_id,
  kind: row.kind,
  walletId: row.wallet_id,
  recipient: row.recipient,
  policyVersion: row.policy_version,
  coin: row.coin,
  budget: row.budget,
  remaining: row.remaining,
  depth: row.depth,
  maxDepth: row.max_depth,
  parent: row.parent,
  mintedMs: row.minted_at.getTime(),
  revokedMs: row.revoked_at?.getTime() ?? null,
  burnedMs: row.burned_at?.getTime() ?? null,
});

/** The caps of a wallet, the newest first. */
export const capList: KeyedList<CapsKey, CapRow, KnownCap> = {
  name: 'caps',
  key: walletKeyColumns,
  from: 'caps c',
  where: 'c.network = key.network and c.wallet_id = key.wallet_id',
  select: capColumns,
  times: ['minted_at', 'revoked_at', 'burned_at'],
  ...byPosition('c.minted_checkpoint', 'c.minted_tx_index', 'c.minted_event_index'),
  toItem: toCap,
};

interface MintedKey extends Paging {
  network: string;
  recipient: string;
}

/** The caps that were minted for an address, the newest first. They may have other holders now. */
export const mintedCapList: KeyedList<MintedKey, CapRow, KnownCap> = {
  ...capList,
  name: 'caps-minted-for',
  filters: {},
  key: {
    network: ['text', ({ network }) => network],
    recipient: ['text', ({ recipient }) => recipient],
  },
  where: 'c.network = key.network and c.recipient = key.recipient',
};

interface ChildCapsKey extends Paging {
  network: string;
  parent: string;
}

/** The caps that were split from a cap, the newest first. */
export const childCapList: KeyedList<ChildCapsKey, CapRow, KnownCap> = {
  ...capList,
  name: 'caps-split-from',
  filters: {},
  key: {
    network: ['text', ({ network }) => network],
    parent: ['text', ({ parent }) => parent],
  },
  where: 'c.network = key.network and c.parent = key.parent',
};

/** Reads many caps in one round trip, in the order of the keys. */
export async function readCapsById(
  db: Queryable,
  keys: readonly { network: string; capId: string }[],
): Promise<(KnownCap | undefined)[]> {
  const { rows } = await db.query<CapRow & { nth: number }>({
    name: 'find-caps',
    text: `
select key.nth::int, ${capColumns}
from ${keyRows({ network: 'text', cap_id: 'text' })}
join caps c on c.network = key.network and c.cap_id = key.cap_id`,
    values: [keys.map(({ network }) => network), keys.map(({ capId }) => capId)],
  });
  return orderByKeys(keys, rows, toCap);
}

/**
 * Reads the ids of the newest 50 caps that a wallet's owner minted for an address, the newest first. Revoked and burned
 * caps are left out.
 */
export async function readCapsMintedFor(
  db: Queryable,
  { network, walletId, recipient }: { network: string; walletId: string; recipient: string },
): Promise<string[]> {
  const { rows } = await db.query<{ cap_id: string }>({
    name: 'caps-minted-for',
    text: `
select cap_id from caps where network = $1 and wallet_id = $2 and recipient = $3
  and parent is null and revoked_at is null and burned_at is null
order by minted_checkpoint desc, minted_tx_index desc, minted_event_index desc limit 50`,
    values: [network, walletId, recipient],
  });
  return rows.map(({ cap_id }) => cap_id);
}

export interface NewCap {
  capId: string;
  kind: 'bearer' | 'scoped';
  walletId: string;
  recipient?: string | null | undefined;
  policyVersion?: number | undefined;
  coin?: string | undefined;
  budget?: string | undefined;
  remaining?: bigint | undefined;
  depth?: number | undefined;
  maxDepth?: number | undefined;
  parent?: string | null | undefined;
  minted: EventPosition;
  revokedAt?: Date | undefined;
  burnedAt?: Date | undefined;
}

/** Adds caps. A cap that is already stored stays as it is. */
export async function insertCaps(
  client: ClientBase,
  network: string,
  caps: readonly NewCap[],
): Promise<void> {
  if (caps.length === 0) return;
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
      ...toColumns(caps, 'capId', 'kind', 'walletId', 'recipient', 'policyVersion', 'coin', 'budget'),
      ...toColumns(caps, 'remaining', 'depth', 'maxDepth', 'parent'),
      ...toPositionColumns(caps.map(({ minted }) => minted)),
      ...toColumns(caps, 'revokedAt', 'burnedAt'),
    ],
  });
}

export interface CapChange {
  capId: string;
  /** Remaining budget in base units. Undefined: the stored one, less `debited`. */
  remaining?: bigint | undefined;
  debited: bigint;
  revokedAt?: Date | undefined;
  burnedAt?: Date | undefined;
}

export async function updateCaps(
  client: ClientBase,
  network: string,
  changes: readonly CapChange[],
): Promise<void> {
  if (changes.length === 0) return;
  await client.query({
    name: 'update-caps',
    text: `update caps set remaining = coalesce(c.remaining, caps.remaining - least(c.debited, caps.remaining)),
        revoked_at = coalesce(caps.revoked_at, c.revoked_at), burned_at = coalesce(c.burned_at, caps.burned_at)
      from unnest($2::text[], $3::numeric[], $4::numeric[], $5::timestamptz[], $6::timestamptz[])
        as c (cap_id, remaining, debited, revoked_at, burned_at)
      where caps.network = $1 and caps.cap_id = c.cap_id`,
    values: [network, ...toColumns(changes, 'capId', 'remaining', 'debited', 'revokedAt', 'burnedAt')],
  });
}
