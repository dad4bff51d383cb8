import type { ClientBase } from 'pg';
import type { KeyedList, Paging } from '../lists.ts';
import { type Queryable, type Statement, toColumns } from '../queryable.ts';

/** Requirements of a wallet's policy for spends. */
export interface Policy {
  walletId: string;
  /** Caps of an earlier version are not valid. */
  version: number;
  /** `true` if a spend may hand the coin to the transaction, which can then send it to any recipient. */
  spendInto: boolean;
  walletPaused: boolean;
  rules: PolicyRule[];
  /** The allowlist in force; null if there is none. */
  allowlist: { allowlistId: string; recipients: string[] } | null;
}

export interface PolicyRule {
  kind: 'auth' | 'caveat';
  /** Type of the rule's witness. */
  rule: string;
  /** The auth rule that a caveat applies to; null for a caveat of all of them, and for auth rules. */
  forAuth: string | null;
}

interface PoliciesQuery {
  network: string;
  walletIds: readonly string[];
  /** Ids of caps and of their ancestors. */
  capIds: readonly string[];
}

export interface Policies {
  /** Policies by wallet id. A wallet without a known policy is absent. */
  policies: Map<string, Policy>;
  /** Wallets whose lists were left out because all together were too long. */
  tooLong: Set<string>;
  /** Requested caps that were revoked individually. */
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
 * Maximum number of recipients over all wallets of one answer; the shortest lists come first. Owners may name any
 * number, and mint caps for strangers.
 */
export const recipientsMax = 20_000;

/** Maximum number of rules of one policy; auth rules come first. */
export const rulesMax = 200;

const findPolicies: Statement = {
  name: 'find-policies',
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

/** Reads the policies of many wallets and the revoked ones among the caps, in one round trip. */
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

interface RulePoliciesKey extends Paging {
  network: string;
  ruleType: string;
}

/** Wallets whose policies hold a rule, for one auth rule or for several, sorted. */
export const rulePolicyList: KeyedList<RulePoliciesKey, { wallet_id: string }, string> = {
  name: 'policies-of-rule',
  key: {
    network: ['text', ({ network }) => network],
    rule_type: ['text', ({ ruleType }) => ruleType],
  },
  from: `(
    select distinct r.wallet_id from policy_rules r where r.network = key.network and r.rule = key.rule_type
  ) p`,
  // A subquery for each policy: a join would read all policies of the network to count them.
  where: '(select true from policies o where o.network = key.network and o.wallet_id = p.wallet_id)',
  select: 'p.wallet_id',
  order: [['p.wallet_id', 'id']],
  toItem: (row) => row.wallet_id,
};

interface NewPolicy {
  walletId: string;
  version: number;
  spendInto: boolean;
  initializedAt: Date;
}

/** Adds policies. A policy that is already stored stays as it is. */
export async function insertPolicies(
  client: ClientBase,
  network: string,
  policies: readonly NewPolicy[],
): Promise<void> {
  if (policies.length === 0) return;
  await client.query({
    name: 'insert-policies',
    text: `insert into policies (network, wallet_id, version, spend_into, initialized_at)
      select $1, c.* from unnest($2::text[], $3::bigint[], $4::boolean[], $5::timestamptz[]) c
      on conflict do nothing`,
    values: [network, ...toColumns(policies, 'walletId', 'version', 'spendInto', 'initializedAt')],
  });
}

/** Changes to a policy. An undefined field stays as it is. */
export interface PolicyChange {
  walletId: string;
  version?: number | undefined;
  spendInto?: boolean | undefined;
}

export async function updatePolicies(
  client: ClientBase,
  network: string,
  changes: readonly PolicyChange[],
): Promise<void> {
  if (changes.length === 0) return;
  await client.query({
    name: 'update-policies',
    text: `update policies p set version = coalesce(c.version, p.version),
        spend_into = coalesce(c.spend_into, p.spend_into)
      from unnest($2::text[], $3::bigint[], $4::boolean[]) as c (wallet_id, version, spend_into)
      where p.network = $1 and p.wallet_id = c.wallet_id`,
    values: [network, ...toColumns(changes, 'walletId', 'version', 'spendInto')],
  });
}

export interface PolicyRuleKey {
  walletId: string;
  kind: 'auth' | 'caveat';
  rule: string;
  /** Empty for a caveat of all auth rules, and for auth rules. */
  forAuth: string;
}

export async function removePolicyRules(
  client: ClientBase,
  network: string,
  keys: readonly PolicyRuleKey[],
): Promise<void> {
  if (keys.length === 0) return;
  await client.query({
    name: 'remove-policy-rules',
    text: `delete from policy_rules r using unnest($2::text[], $3::text[], $4::text[], $5::text[])
        as c (wallet_id, kind, rule, for_auth)
      where r.network = $1 and r.wallet_id = c.wallet_id and r.kind = c.kind and r.rule = c.rule
        and r.for_auth = c.for_auth`,
    values: [network, ...toColumns(keys, 'walletId', 'kind', 'rule', 'forAuth')],
  });
}

/** Adds rules. A rule that is already stored stays as it is. */
export async function insertPolicyRules(
  client: ClientBase,
  network: string,
  rules: readonly (PolicyRuleKey & { addedAt: Date })[],
): Promise<void> {
  if (rules.length === 0) return;
  await client.query({
    name: 'insert-policy-rules',
    text: `insert into policy_rules (network, wallet_id, kind, rule, for_auth, added_at)
      select $1, c.* from unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::timestamptz[]) c
      on conflict do nothing`,
    values: [network, ...toColumns(rules, 'walletId', 'kind', 'rule', 'forAuth', 'addedAt')],
  });
}
