import type { z } from 'zod';
import { decodeCursor, encodeCursor, positionShape } from '../cursor.ts';
import { type Page, toPage } from '../page.ts';
import type { Queryable, Statement } from '../queryable.ts';

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
  name: 'find_wallets',
  text: `
select key.place::int, w.*
from unnest($1::text[], $2::text[]) with ordinality as key (network, wallet_id, place)
join wallets w on w.network = key.network and w.wallet_id = key.wallet_id`,
};

/** Reads many wallets in one round trip, in the order of the keys. */
export async function readWallets(
  db: Queryable,
  keys: readonly WalletKey[],
): Promise<(Wallet | undefined)[]> {
  const { rows } = await db.query<WalletRow & { place: number }>({
    ...findWallets,
    values: [keys.map((key) => key.network), keys.map((key) => key.walletId)],
  });
  const found = new Map(rows.map((row) => [row.place, toWallet(row)]));
  return keys.map((_, at) => found.get(at + 1));
}

export interface OwnedWalletsQuery {
  network: string;
  owner: string;
  limit: number;
  cursor?: string | undefined;
}

const listWallets: Statement = {
  name: 'list_wallets_of_owner',
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
 * @throws BadCursorError
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
