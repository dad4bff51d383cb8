import { z } from 'zod';
import { cursorText, decodeCursor, encodeCursor } from '../cursor.ts';
import { type Page, toPage } from '../page.ts';
import type { Queryable, Statement } from '../queryable.ts';
import type { WalletKey } from './find.ts';

/** What a delegate may still spend: through one service, or of one coin. */
export interface Allowance {
  /** Type of the service or the coin. */
  key: string;
  /** Base units, decimal digits. */
  amount: string;
  unlimited: boolean;
}

/** An address that may spend for a wallet. */
export interface Delegate {
  address: string;
  addedMs: number;
  /** Null: never. */
  expiresMs: number | null;
  services: Allowance[];
  coins: Allowance[];
  /** Whether budgets beyond the first 200 of a kind were left out. */
  truncated: boolean;
}

export interface DelegatesKey extends WalletKey {
  first: number;
  /** Cursor of the delegate before the page. */
  after?: string | undefined;
}

/** 2^64 - 1 stands for it on the chain. */
const unlimited = '18446744073709551615';

const allowancesMax = 200;

const allowancesOf = (kind: 'service' | 'coin') => `(
  select coalesce(json_agg(json_build_object('key', key, 'amount', amount::text) order by key), '[]')
  from (
    select key, amount from delegate_allowances a
    where a.network = d.network and a.wallet_id = d.wallet_id and a.delegate = d.delegate
      and a.kind = '${kind}'
    order by key limit ${allowancesMax + 1}
  ) a
) as ${kind}s`;

const listDelegates: Statement = {
  name: 'list_delegates',
  text: `
select key.place::int, d.delegate, d.added_at, d.expires_at, d.services, d.coins
from unnest($1::text[], $2::text[], $3::int[], $4::timestamptz[], $5::text[])
  with ordinality as key (network, wallet_id, first, added_at, delegate, place)
join wallets w on w.network = key.network and w.wallet_id = key.wallet_id
left join lateral (
  select d.*, ${allowancesOf('service')}, ${allowancesOf('coin')}
  from delegates d
  where d.network = key.network and d.wallet_id = key.wallet_id
    and (key.added_at is null or (d.added_at, d.delegate) > (key.added_at, key.delegate))
  order by d.added_at, d.delegate
  limit key.first + 1
) d on true
order by key.place, d.added_at, d.delegate`,
};

interface DelegateRow {
  place: number;
  delegate: string;
  added_at: Date;
  expires_at: Date | null;
  services: Omit<Allowance, 'unlimited'>[];
  coins: Omit<Allowance, 'unlimited'>[];
}

const afterShape = z.tuple([z.int().min(0).max(8_640_000_000_000_000), cursorText]);

/**
 * Reads one page of delegates per key in one round trip, in the order in which they were added; undefined where
 * the wallet is not known.
 * @throws BadCursorError
 */
export async function readDelegates(
  db: Queryable,
  keys: readonly DelegatesKey[],
): Promise<(Page<Delegate> | undefined)[]> {
  const after = keys.map(({ after }) => (after === undefined ? undefined : decodeCursor(after, afterShape)));
  const { rows } = await db.query<DelegateRow>({
    ...listDelegates,
    values: [
      keys.map((key) => key.network),
      keys.map((key) => key.walletId),
      keys.map((key) => key.first),
      after.map((place) => (place ? new Date(place[0]) : null)),
      after.map((place) => place?.[1] ?? null),
    ],
  });
  const byPlace = Map.groupBy(rows, (row) => row.place);
  return keys.map((key, at) => {
    const own = byPlace.get(at + 1);
    // A known wallet without delegates comes back as one row without a delegate.
    const found = own?.filter((row) => row.delegate !== null);
    return found && toPage(found, key.first, toDelegate, toCursor);
  });
}

const toCursor = (row: DelegateRow) => encodeCursor([row.added_at.getTime(), row.delegate]);

function toDelegate(row: DelegateRow): Delegate {
  return {
    address: row.delegate,
    addedMs: row.added_at.getTime(),
    expiresMs: row.expires_at?.getTime() ?? null,
    services: toAllowances(row.services),
    coins: toAllowances(row.coins),
    truncated: row.services.length > allowancesMax || row.coins.length > allowancesMax,
  };
}

function toAllowances(rows: DelegateRow['services']): Allowance[] {
  return rows
    .slice(0, allowancesMax)
    .map(({ key, amount }) => ({ key, amount, unlimited: amount === unlimited }));
}
