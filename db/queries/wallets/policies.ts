import type { Queryable, Statement } from '../queryable.ts';

/** What a wallet's policy demands of those who spend by it. */
export interface Policy {
  walletId: string;
  /** Caps of an earlier version open nothing. */
  version: number;
  /** Whether a spend may hand the coin to the transaction, where nothing holds it to the recipient. */
  spendInto: boolean;
  walletPaused: boolean;
  rules: PolicyRule[];
  /** The list in force; null where there is none. */
  allowlist: { allowlistId: string; recipients: string[] } | null;
}

export interface PolicyRule {
  kind: 'auth' | 'caveat';
  /** Type of the rule's witness. */
  rule: string;
  /** The auth rule that a caveat goes with; null for a caveat of all of them, and for auth rules. */
  forAuth: string | null;
}

export interface PoliciesQuery {
  network: string;
  walletIds: readonly string[];
  /** Caps, and those that they were split from. */
  capIds: readonly string[];
}

export interface Policies {
  /** By wallet; absent where the read model knows no policy of it. */
  policies: Map<string, Policy>;
  /** Wallets whose lists were left out because all together were too long. */
  tooLong: Set<string>;
  /** Which of the caps were revoked one by one. */
  revokedCaps: Set<string>;
}

interface PolicyRow {
  revoked: string[];
  wallet_id: string | null;
  version: number;
  spend_into: boolean;
  paused: boolean;
  rules: PolicyRule[];
  allowlist_id: string | null;
  recipients: string[] | null;
}

/**
 * Recipients over all wallets of one answer, the shortest lists first: owners may name any number, and mint caps
 * for strangers.
 */
export const recipientsMax = 20_000;

/** Rules of one policy, auth rules first. */
export const rulesMax = 200;

const findPolicies: Statement = {
  name: 'find_policies',
  text: `
with found as (
  select p.wallet_id, p.version, p.spend_into, coalesce(w.paused, false) as paused, list.allowlist_id,
    sum(list.size) over (order by list.size, p.wallet_id) as running
  from policies p
  left join wallets w on w.network = p.network and w.wallet_id = p.wallet_id
  left join lateral (
    select a.network, a.allowlist_id, (
      select count(*) from allowlist_recipients r
      where r.network = a.network and r.allowlist_id = a.allowlist_id
    ) as size
    from allowlists a
    where a.network = p.network and a.wallet_id = p.wallet_id and a.retired_at is null
    order by a.created_checkpoint desc, a.created_tx_index desc, a.created_event_index desc
    limit 1
  ) list on true
  where p.network = $1 and p.wallet_id = any ($2::text[])
)
select revoked.*, found.wallet_id, found.version, found.spend_into, found.paused, found.allowlist_id,
  (
    select coalesce(json_agg(json_build_object('kind', kind, 'rule', rule, 'forAuth', nullif(for_auth, ''))
      order by kind, rule, for_auth), '[]')
    from (
      select kind, rule, for_auth from policy_rules r
      where r.network = $1 and r.wallet_id = found.wallet_id
      order by kind, rule, for_auth limit ${rulesMax}
    ) r
  ) as rules,
  case when found.allowlist_id is null or found.running <= $4 then array(
    select recipient from allowlist_recipients r
    where r.network = $1 and r.allowlist_id = found.allowlist_id
    order by recipient
  ) end as recipients
from (
  select array(
    select cap_id from caps where network = $1 and cap_id = any ($3::text[]) and revoked_at is not null
  ) as revoked
) revoked
left join found on true`,
};

/** Reads the policies of many wallets, and which of the caps were revoked, in one round trip. */
export async function readPolicies(
  db: Queryable,
  { network, walletIds, capIds }: PoliciesQuery,
): Promise<Policies> {
  const { rows } = await db.query<PolicyRow>({
    ...findPolicies,
    values: [network, walletIds, capIds, recipientsMax],
  });
  const policies = new Map<string, Policy>();
  const tooLong = new Set<string>();
  for (const row of rows) {
    // Without any policy, the revoked caps still come back, in a row without one.
    if (row.wallet_id === null) continue;
    const { wallet_id: walletId, allowlist_id: allowlistId, recipients, version, rules } = row;
    if (recipients === null) tooLong.add(walletId);
    policies.set(walletId, {
      walletId,
      version,
      spendInto: row.spend_into,
      walletPaused: row.paused,
      rules,
      allowlist: allowlistId === null ? null : { allowlistId, recipients: recipients ?? [] },
    });
  }
  return { policies, tooLong, revokedCaps: new Set(rows[0]?.revoked) };
}
