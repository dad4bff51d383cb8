import { type Row, readColumns, unnestColumns } from '../../rows.ts';
import * as tables from '../../schema/index.ts';
import type { KeyedList, Paging } from '../lists.ts';
import type { Queryable, Statement } from '../queryable.ts';
import { type BatchWrite, createDelete, createInsert, createWrite } from '../writes.ts';

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

const policyColumns = readColumns(tables.policies, ['walletId', 'version', 'spendInto']);

/** A row without a wallet has the revoked caps of an answer without policies. */
type PolicyRow = { revoked: string[] } & (
  | (Row<typeof policyColumns> & {
      walletPaused: boolean;
      rules: PolicyRule[];
      allowlistId: string | null;
      recipients: string[] | null;
    })
  | { walletId: null }
);

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
  select ${policyColumns.select('p')}, coalesce(w.paused, false) as "walletPaused", list.allowlist_id as "allowlistId",
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
select revoked.*, found.*,
  (
    select coalesce(json_agg(json_build_object('kind', kind, 'rule', rule, 'forAuth', nullif(for_auth, ''))
      order by kind, rule, for_auth), '[]')
    from (
      select kind, rule, for_auth from policy_rules r
      where r.network = $1 and r.wallet_id = found."walletId"
      order by kind, rule, for_auth limit ${rulesMax}
    ) r
  ) as rules,
  case when found."allowlistId" is null or found.running <= $4 then array(
    select recipient from allowlist_recipients r
    where r.network = $1 and r.allowlist_id = found."allowlistId"
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
    if (row.walletId === null) continue;
    const { walletId, version, spendInto, walletPaused, rules, allowlistId, recipients } = row;
    if (recipients === null) tooLong.add(walletId);
    const allowlist = allowlistId === null ? null : { allowlistId, recipients: recipients ?? [] };
    policies.set(walletId, { walletId, version, spendInto, walletPaused, rules, allowlist });
  }
  return { policies, tooLong, revokedCaps: new Set(rows[0]?.revoked) };
}

interface RulePoliciesKey extends Paging {
  network: string;
  ruleType: string;
}

const walletColumns = readColumns(tables.policyRules, ['walletId']);

/** Wallets whose policies hold a rule, for one auth rule or for several, sorted. */
export const rulePolicyList: KeyedList<RulePoliciesKey, Row<typeof walletColumns>, string> = {
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
  select: walletColumns.select('p'),
  order: [['p.wallet_id', 'id']],
  toItem: ({ walletId }) => walletId,
};

const inserted = ['walletId', 'version', 'spendInto', 'initializedAt'] as const;
type NewPolicy = Pick<typeof tables.policies.$inferSelect, (typeof inserted)[number]>;

export const insertPolicies: BatchWrite<NewPolicy> = createInsert(tables.policies, inserted);

/** Changes to a policy. An undefined field stays as it is. */
export interface PolicyChange {
  walletId: string;
  version?: number | undefined;
  spendInto?: boolean | undefined;
}

const changed = ['walletId', 'version', 'spendInto'] as const;

export const updatePolicies = createWrite<PolicyChange>(
  'update-policies',
  `update policies p set version = coalesce(c.version, p.version),
      spend_into = coalesce(c.spend_into, p.spend_into)
    from ${unnestColumns(tables.policies, 2, changed)}
    where p.network = $1 and p.wallet_id = c.wallet_id`,
  changed,
);

const ruleKey = ['walletId', 'kind', 'rule', 'forAuth'] as const;
export type PolicyRuleKey = Pick<typeof tables.policyRules.$inferSelect, (typeof ruleKey)[number]>;

export const removePolicyRules: BatchWrite<PolicyRuleKey> = createDelete(tables.policyRules, ruleKey);

export const insertPolicyRules: BatchWrite<PolicyRuleKey & { addedAt: Date }> = createInsert(
  tables.policyRules,
  [...ruleKey, 'addedAt'],
);
