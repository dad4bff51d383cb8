import { decodeCursor, encodeCursor, positionShape } from '../cursor.ts';
import { type Page, toPage } from '../page.ts';
import type { Queryable, Statement } from '../queryable.ts';
import type { WalletKey } from './find.ts';

/** A cap as the events of its wallet tell of it; who holds it now they do not tell. */
export interface KnownCap {
  capId: string;
  kind: 'bearer' | 'scoped';
  walletId: string;
  /** Whom it was minted for, where known. */
  recipient: string | null;
  policyVersion: number | null;
  coin: string | null;
  budget: string | null;
  remaining: string | null;
  depth: number | null;
  maxDepth: number | null;
  parent: string | null;
  mintedMs: number;
  /** When this very cap was revoked. */
  revokedMs: number | null;
  burnedMs: number | null;
}

export interface CapsKey extends WalletKey {
  first: number;
  /** Cursor of the cap before the page. */
  after?: string | undefined;
}

const listCaps: Statement = {
  name: 'list_caps',
  text: `
select key.place::int, c.*
from unnest($1::text[], $2::text[], $3::int[], $4::bigint[], $5::int[], $6::int[])
  with ordinality as key (network, wallet_id, first, checkpoint, tx_index, event_index, place)
cross join lateral (
  select * from caps c
  where c.network = key.network and c.wallet_id = key.wallet_id and (key.checkpoint is null
    or (c.minted_checkpoint, c.minted_tx_index, c.minted_event_index)
      < (key.checkpoint, key.tx_index, key.event_index))
  order by c.minted_checkpoint desc, c.minted_tx_index desc, c.minted_event_index desc
  limit key.first + 1
) c
order by key.place, c.minted_checkpoint desc, c.minted_tx_index desc, c.minted_event_index desc`,
};

interface CapRow {
  place: number;
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
  minted_checkpoint: number;
  minted_tx_index: number;
  minted_event_index: number;
  revoked_at: Date | null;
  burned_at: Date | null;
}

/**
 * Reads one page of the caps of each wallet in one round trip, the newest first.
 * @throws BadCursorError
 */
export async function readCaps(db: Queryable, keys: readonly CapsKey[]): Promise<Page<KnownCap>[]> {
  const after = keys.map(({ after }) =>
    after === undefined ? undefined : decodeCursor(after, positionShape),
  );
  const { rows } = await db.query<CapRow>({
    ...listCaps,
    values: [
      keys.map((key) => key.network),
      keys.map((key) => key.walletId),
      keys.map((key) => key.first),
      ...[0, 1, 2].map((part) => after.map((position) => position?.[part] ?? null)),
    ],
  });
  const byPlace = Map.groupBy(rows, (row) => row.place);
  return keys.map((key, at) => toPage(byPlace.get(at + 1) ?? [], key.first, toCap, toCursor));
}

const toCursor = (row: CapRow) =>
  encodeCursor([row.minted_checkpoint, row.minted_tx_index, row.minted_event_index]);

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

/** Ids of the caps that a wallet's owner minted for an address, the newest first, of those that still open something. */
export async function readCapsMintedFor(
  db: Queryable,
  { network, walletId, recipient }: { network: string; walletId: string; recipient: string },
): Promise<string[]> {
  const { rows } = await db.query<{ cap_id: string }>({
    name: 'caps_minted_for',
    text: `
select cap_id from caps where network = $1 and wallet_id = $2 and recipient = $3
  and parent is null and revoked_at is null and burned_at is null
order by minted_checkpoint desc, minted_tx_index desc, minted_event_index desc limit 50`,
    values: [network, walletId, recipient],
  });
  return rows.map(({ cap_id }) => cap_id);
}
