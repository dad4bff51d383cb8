import type { ClientBase } from 'pg';
import type { z } from 'zod';
import { decodeCursor, encodeCursor, type Page, positionShape, toPage } from '../page.ts';
import {
  type EventPosition,
  type Queryable,
  type Statement,
  toColumns,
  toPositionColumns,
} from '../queryable.ts';

/** A wallet as its events left it. */
export interface Wallet {
  walletId: string;
  owner: string;
  /** Address that coins are sent to. */
  identity: string;
  paused: boolean;
  createdMs: number;
}

export interface WalletKey {
  network: string;
  walletId: string;
}

interface WalletRow {
  wallet_id: string;
  owner: string;
  identity: string;
  paused: boolean;
  created_at: Date;
  created_checkpoint: number;
  created_tx_index: number;
  created_event_index: number;
}

const toWallet = (row: WalletRow): Wallet => ({
  walletId: row.wallet_id,
  owner: row.owner,
  identity: row.identity,
  paused: row.paused,
  createdMs: row.created_at.getTime(),
});

const findWallets: Statement = {
  name: 'find-wallets',
  text: `
select key.position::int, w.*
from unnest($1::text[], $2::text[]) with ordinality as key (network, wallet_id, position)
join wallets w on w.network = key.network and w.wallet_id = key.wallet_id`,
};

/** Reads many wallets in one round trip, in the order of the keys. */
export async function readWallets(
  db: Queryable,
  keys: readonly WalletKey[],
): Promise<(Wallet | undefined)[]> {
  const { rows } = await db.query<WalletRow & { position: number }>({
    ...findWallets,
    values: [keys.map((key) => key.network), keys.map((key) => key.walletId)],
  });
  const found = new Map(rows.map((row) => [row.position, toWallet(row)]));
  return keys.map((_, at) => found.get(at + 1));
}

interface OwnedWalletsQuery {
  network: string;
  owner: string;
  limit: number;
  cursor?: string | undefined;
}

const listWallets: Statement = {
  name: 'list-wallets-of-owner',
  text: `
select *, (select count(*)::int from wallets where network = $1 and owner = $2) as total
from wallets
where network = $1 and owner = $2 and ($4::bigint is null
  or (created_checkpoint, created_tx_index, created_event_index) < ($4, $5::int, $6::int))
order by created_checkpoint desc, created_tx_index desc, created_event_index desc
limit $3::int + 1`,
};

/**
 * The wallets of an owner, the newest first; `total` is 0 on a page beyond the last.
 * @throws ProblemError `bad_cursor`
 */
export async function readWalletsOfOwner(
  db: Queryable,
  { network, owner, limit, cursor }: OwnedWalletsQuery,
): Promise<Page<Wallet> & { total: number }> {
  const after: z.infer<typeof positionShape> | undefined =
    cursor === undefined ? undefined : decodeCursor(cursor, positionShape);
  const { rows } = await db.query<WalletRow & { total: number }>({
    ...listWallets,
    values: [network, owner, limit, after?.[0] ?? null, after?.[1] ?? null, after?.[2] ?? null],
  });
  const page = toPage(rows, limit, toWallet, (row) =>
    encodeCursor([row.created_checkpoint, row.created_tx_index, row.created_event_index]),
  );
  return { ...page, total: rows[0]?.total ?? 0 };
}

interface NewWallet extends Pick<Wallet, 'walletId' | 'owner' | 'identity' | 'paused'> {
  created: EventPosition;
}

/** Adds wallets; one that is stored stays as it is. */
export async function insertWallets(
  client: ClientBase,
  network: string,
  wallets: readonly NewWallet[],
): Promise<void> {
  if (wallets.length === 0) return;
  await client.query({
    name: 'insert-wallets',
    text: `insert into wallets (network, wallet_id, owner, identity, paused, created_at, created_checkpoint,
        created_tx_index, created_event_index)
      select $1, w.* from unnest($2::text[], $3::text[], $4::text[], $5::boolean[], $6::timestamptz[],
        $7::bigint[], $8::int[], $9::int[]) w
      on conflict do nothing`,
    values: [
      network,
      ...toColumns(wallets, 'walletId', 'owner', 'identity', 'paused'),
      ...toPositionColumns(wallets.map(({ created }) => created)),
    ],
  });
}

/** What changed of a wallet; what is undefined stays. */
export interface WalletChange {
  walletId: string;
  owner?: string | undefined;
  paused?: boolean | undefined;
}

export async function updateWallets(
  client: ClientBase,
  network: string,
  changes: readonly WalletChange[],
): Promise<void> {
  if (changes.length === 0) return;
  await client.query({
    name: 'update-wallets',
    text: `update wallets w set owner = coalesce(c.owner, w.owner), paused = coalesce(c.paused, w.paused)
      from unnest($2::text[], $3::text[], $4::boolean[]) as c (wallet_id, owner, paused)
      where w.network = $1 and w.wallet_id = c.wallet_id`,
    values: [network, ...toColumns(changes, 'walletId', 'owner', 'paused')],
  });
}

/** The stored owners of wallets, by wallet; a wallet that is not known is absent. */
export async function readOwners(
  client: ClientBase,
  network: string,
  walletIds: readonly string[],
): Promise<Map<string, string>> {
  const { rows } = await client.query<{ id: string; owner: string }>({
    name: 'find-owners',
    text: 'select wallet_id as id, owner from wallets where network = $1 and wallet_id = any ($2::text[])',
    values: [network, walletIds],
  });
  return new Map(rows.map(({ id, owner }) => [id, owner]));
}
