import { type Item, nameColumns, type Row, readColumns, unnestColumns } from '../../rows.ts';
import * as tables from '../../schema/index.ts';
import { byPosition, type KeyedList, keyColumns, type Paging } from '../lists.ts';
import { createLookup } from '../lookups.ts';
import type { EventPosition, Queryable } from '../queryable.ts';
import { type BatchWrite, createPositionedInsert, createWrite } from '../writes.ts';
import { type WalletKey, walletKeyColumns } from './wallets.ts';

/** Columns of a cap that its events describe, except times. */
const described = [
  'capId',
  'kind',
  'walletId',
  'recipient',
  'policyVersion',
  'coin',
  'budget',
  'remaining',
  'depth',
  'maxDepth',
  'parent',
] as const;
const capColumns = readColumns(tables.caps, described, {
  mintedMs: 'mintedAt',
  revokedMs: 'revokedAt',
  burnedMs: 'burnedAt',
});

type CapRow = Row<typeof capColumns>;

/** A cap according to the events of its wallet, which do not show its current holder. */
type IndexedCap = Item<typeof capColumns>;

interface CapsKey extends WalletKey, Paging {}

/** The caps of a wallet, the newest first. */
export const capList: KeyedList<CapsKey, CapRow, IndexedCap> = {
  name: 'caps',
  key: walletKeyColumns,
  from: 'caps c',
  where: 'c.network = key.network and c.wallet_id = key.wallet_id',
  select: capColumns.select('c'),
  times: capColumns.times,
  ...byPosition('c.minted_checkpoint', 'c.minted_tx_index', 'c.minted_event_index'),
  toItem: capColumns.toItem,
};

interface MintedKey extends Paging {
  network: string;
  recipient: string;
}

/** The caps that were minted for an address, the newest first. They may have other holders now. */
export const mintedCapList: KeyedList<MintedKey, CapRow, IndexedCap> = {
  ...capList,
  name: 'caps-minted-for',
  filters: {},
  key: keyColumns(tables.caps, 'network', 'recipient'),
  where: 'c.network = key.network and c.recipient = key.recipient',
};

interface ChildCapsKey extends Paging {
  network: string;
  parent: string;
}

/** The caps that were split from a cap, the newest first. */
export const childCapList: KeyedList<ChildCapsKey, CapRow, IndexedCap> = {
  ...capList,
  name: 'caps-split-from',
  filters: {},
  key: keyColumns(tables.caps, 'network', 'parent'),
  where: 'c.network = key.network and c.parent = key.parent',
};

export const readCapsById = createLookup<{ network: string; capId: string }, CapRow, IndexedCap>({
  name: 'find-caps',
  key: keyColumns(tables.caps, 'network', 'capId'),
  select: capColumns.select('c'),
  join: 'join caps c on c.network = key.network and c.cap_id = key.cap_id',
  toItem: capColumns.toItem,
});

const idColumns = readColumns(tables.caps, ['capId']);

interface MintedQuery {
  network: string;
  recipient: string;
  /** Undefined: of all wallets. */
  walletId?: string | undefined;
  limit: number;
}

const mintedOrder = ['mintedCheckpoint', 'mintedTxIndex', 'mintedEventIndex'] as const;
const oldest = nameColumns(tables.caps, mintedOrder);
const newest = oldest.replaceAll(/(,|$)/g, ' desc$1');

/**
 * Reads the ids of active caps that were minted for an address. Caps that were revoked or burned, or whose policy has a
 * newer version, are left out. Of each wallet those that its owner minted come first, the newest first. The first cap of
 * every wallet comes before the second of any, and of two wallets that which minted for the address first: a stranger
 * can mint any number for anyone, and later.
 */
export async function readCapsMintedFor(
  db: Queryable,
  { network, recipient, walletId, limit }: MintedQuery,
): Promise<string[]> {
  const { rows } = await db.query<Row<typeof idColumns>>({
    name: walletId === undefined ? 'active-caps-minted-for' : 'active-caps-of-wallet-minted-for',
    text: `
select ${idColumns.select('c')} from (
  select c.*, row_number() over (partition by c.wallet_id order by c.parent is not null, ${newest}) as nth,
    row_number() over (order by ${oldest}) as place
  from caps c left join policies p on p.network = c.network and p.wallet_id = c.wallet_id
  where c.network = $1 and c.recipient = $2 ${walletId === undefined ? '' : 'and c.wallet_id = $4'}
    and c.revoked_at is null and c.burned_at is null and not coalesce(c.policy_version < p.version, false)
) c
order by c.nth, min(c.place) over (partition by c.wallet_id) limit $3`,
    values: [network, recipient, limit, ...(walletId === undefined ? [] : [walletId])],
  });
  return rows.map(({ capId }) => capId);
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

const ended = ['revokedAt', 'burnedAt'] as const;

export const insertCaps: BatchWrite<NewCap> = createPositionedInsert(
  tables.caps,
  [...described, ...ended],
  'minted',
);

export interface CapChange {
  capId: string;
  /** Remaining budget in base units. Undefined: the stored one, less `debited`. */
  remaining?: bigint | undefined;
  debited: bigint;
  revokedAt?: Date | undefined;
  burnedAt?: Date | undefined;
}

export const updateCaps = createWrite<CapChange>(
  'update-caps',
  `update caps set remaining = coalesce(c.remaining, caps.remaining - least(c.debited, caps.remaining)),
      revoked_at = coalesce(caps.revoked_at, c.revoked_at), burned_at = coalesce(c.burned_at, caps.burned_at)
    from ${unnestColumns(tables.caps, 2, ['capId', 'remaining', ...ended], { debited: 'numeric' })}
    where caps.network = $1 and caps.cap_id = c.cap_id`,
  ['capId', 'remaining', ...ended, 'debited'],
);
