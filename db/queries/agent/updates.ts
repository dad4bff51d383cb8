import type { Pool } from 'pg';
import { columnTypes } from '../../rows.ts';
import * as tables from '../../schema/index.ts';
import type { FunctionChanges } from '../claim-changes.ts';
import { keyRows, type Queryable, toColumns } from '../queryable.ts';

/** A listing at the version that the catalog shows. */
interface ListedVersion {
  serviceType: string;
  publisher: string;
  version: number;
}

/** The first unconfirmed update of a listing whose code may do more than before, or is not compared yet. */
export interface HeldUpdate {
  version: number;
  /** `pending`: not compared yet. */
  state: 'pending' | 'computed';
  functions: FunctionChanges[];
}

const listingKeys = keyRows(columnTypes(tables.claimChanges, 'serviceType', 'publisher', 'version'));

/**
 * Reads for each listing the first update that holds the wallet's runs, in the order of the listings; undefined if none does.
 * An update whose code may do more holds them until it is confirmed, even if later updates add nothing. A confirmation by
 * the operator is for all wallets, one by the owner for the owner's wallet while it is theirs, each up to its version.
 */
export async function readHeldUpdates(
  db: Queryable,
  { network, walletId }: { network: string; walletId: string },
  listings: readonly ListedVersion[],
): Promise<(HeldUpdate | undefined)[]> {
  if (listings.length === 0) return [];
  const { rows } = await db.query<HeldUpdate | { version: null }>({
    name: 'agent-held-updates',
    text: `select c.version, c.state, c.functions
      from ${listingKeys}
      left join agent_adaptors a on a.network = $4 and a.service_type = key.service_type
        and a.publisher = key.publisher
      left join agent_updates u on u.network = $4 and u.wallet_id = $5 and u.service_type = key.service_type
        and u.publisher = key.publisher
        and u.owner = (select w.owner from wallets w where w.network = $4 and w.wallet_id = $5)
      left join lateral (
        select c.* from claim_changes c
        where c.network = $4 and c.service_type = key.service_type and c.publisher = key.publisher
          and c.version <= key.version and c.version > greatest(a.version, u.version, 0)
          and (c.widens or c.state = 'pending')
        order by c.version limit 1) c on true
      order by key.nth`,
    values: [...toColumns(listings, 'serviceType', 'publisher', 'version'), network, walletId],
  });
  return rows.map((row) => (row.version === null ? undefined : (row as HeldUpdate)));
}

interface UpdateConfirmation extends ListedVersion {
  network: string;
  walletId: string;
  owner: string;
  confirmedAt: Date;
}

/**
 * Confirms the updates of a listing up to a version, for one wallet. It replaces the confirmation of a former owner. A later
 * confirmation of an earlier version changes nothing.
 */
export async function confirmUpdate(db: Pool, confirmation: UpdateConfirmation): Promise<void> {
  const { network, walletId, serviceType, publisher, version, owner, confirmedAt } = confirmation;
  await db.query({
    name: 'agent-confirm-update',
    text: `insert into agent_updates as u (network, wallet_id, service_type, publisher, version, owner, confirmed_at)
      values ($1, $2, $3, $4, $5, $6, $7)
      on conflict (network, wallet_id, service_type, publisher) do update set
        version = excluded.version, owner = excluded.owner, confirmed_at = excluded.confirmed_at
      where u.version < excluded.version or u.owner <> excluded.owner`,
    values: [network, walletId, serviceType, publisher, version, owner, confirmedAt],
  });
}
