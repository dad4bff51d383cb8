import { type Item, type Row, readColumns, unnestColumns } from '../../rows.ts';
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

/** The caps of a wallet that its owner minted, the newest first. */
export const ownerCapList: typeof capList = {
  ...capList,
  name: 'caps-of-owner',
  where: `${capList.where} and c.parent is null`,
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

/** Maximum number of wallets in which a read looks for active caps of an address, in the order of their first mint. */
const searchedMax = 1_000;

/** SQL for the policy version of cap `c`. A cap without a version never becomes outdated. */
const capVersion = 'coalesce(c.policy_version, 9223372036854775807)';

/**
 * SQL for active caps of wallet `w` for the recipient, in the order of `caps_active_for`. A stranger can mint any number
 * for anyone. An index range leaves out the caps of former versions of the policy.
 */
const buildActiveCapsSql = (minter: 'owner' | 'holder', limit: string): string => `
  select ${idColumns.select('c')} from caps c
  where c.network = $1 and c.recipient = $2 and c.wallet_id = w.wallet_id and (c.parent is not null)::int = ${minter === 'holder' ? 1 : 0}
    and c.revoked_at is null and c.burned_at is null
    and ${capVersion} >= coalesce((select p.version from policies p where p.network = $1 and p.wallet_id = w.wallet_id), 0)
  order by ${capVersion} desc, c.minted_checkpoint desc, c.minted_tx_index desc, c.minted_event_index desc limit ${limit}`;

/** SQL for the most caps that one wallet in `w` can add to a page: the first cap of each other wallet comes before. */
const reachable = '(select $3 + 1 - count(*) from w)';

/** SQL for the active caps of wallet `w` with their order: those that its owner minted come first. */
const capsOfWallet = `(
  select "capId", row_number() over (order by part, nth) as nth from (
    select "capId", 0 as part, row_number() over () as nth from (${buildActiveCapsSql('owner', reachable)}) o
    union all
    select "capId", 1, row_number() over () from (${buildActiveCapsSql('holder', reachable)}) h) c)`;

const activeOfWallet = `
  with w as materialized (select $4::text as wallet_id)
  select "capId" from w cross join lateral ${capsOfWallet} c order by nth limit $3`;

const inOrder = 'w.minted_checkpoint, w.minted_tx_index, w.minted_event_index';
const activeOfAll = `
  with w as materialized (
    select w.wallet_id, row_number() over (order by ${inOrder}) as place from (
      select * from (
        select * from cap_wallets w where w.network = $1 and w.recipient = $2 order by ${inOrder} limit ${searchedMax}) w
      where exists (${buildActiveCapsSql('owner', '1')}) or exists (${buildActiveCapsSql('holder', '1')})
      order by ${inOrder} limit $3) w)
  select "capId" from w cross join lateral ${capsOfWallet} c order by nth, place limit $3`;

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
    text: walletId === undefined ? activeOfAll : activeOfWallet,
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

const insertCapRows: BatchWrite<NewCap> = createPositionedInsert(
  tables.caps,
  [...described, ...ended],
  'minted',
);
const insertCapWallets = createPositionedInsert<typeof tables.capWallets, 'minted', NewCap>(
  tables.capWallets,
  ['recipient', 'walletId'],
  'minted',
);

/** Adds caps, in the order in which they were minted, and their wallets to those of their recipients. */
export const insertCaps: BatchWrite<NewCap> = async (client, network, caps) => {
  await insertCapRows(client, network, caps);
  await insertCapWallets(
    client,
    network,
    caps.filter(({ recipient }) => typeof recipient === 'string'),
  );
};

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
