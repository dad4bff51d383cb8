import type { WitnessWarning } from '@adaptor-marketplace/adaptor/introspect';
import type { ClientBase } from 'pg';
import type { KeyedList, Paging } from './lists.ts';
import {
  type EventPosition,
  inOrderOf,
  keyRows,
  type Queryable,
  toColumns,
  toPositionColumns,
} from './queryable.ts';

/** A policy rule as the rule registry lists it. */
interface ListedRule {
  ruleType: string;
  kind: 'auth' | 'caveat';
  packageId: string;
  manifestUri: string;
  publisher: string;
  publisherVerified: boolean;
  version: number;
  /** The name in its manifest, where that was fetched, has the registered hash and is about this rule. */
  name: string | null;
  /** What the package's bytecode says against the rule's witness; empty where nothing does. */
  warnings: WitnessWarning[];
}

interface RulesKey extends Paging {
  network: string;
}

interface RuleRow {
  rule_type: string;
  kind: 'auth' | 'caveat';
  package_id: string;
  manifest_uri: string;
  publisher: string;
  publisher_verified: boolean;
  version: number;
  name: string | null;
  warnings: WitnessWarning[];
}

/**
 * The shown rules of network `key.network` that meet a condition: one listing of each rule type, picked as the catalog picks
 * one of each service type (`front`).
 */
const rulesWith = (condition = 'true') => `(
  select e.*, (
    select m.body->>'name' from manifests m where m.hash = e.manifest_hash and e.manifest_error is null
  ) as name
  from (
    select r.*, r.publisher_check = 'verified' as publisher_verified,
      row_number() over (
        partition by r.rule_type
        order by r.publisher_check = 'verified' desc,
          r.registered_checkpoint, r.registered_tx_index, r.registered_event_index
      ) = 1 and (r.publisher_check = 'verified' or (
        select true from rules v
        where v.network = r.network and v.rule_type = r.rule_type and v.publisher_check = 'verified' limit 1
      ) is null) as shown
    from rules r
    where r.network = key.network and r.listed and r.name_error is null and r.witness_check = 'valid'
      and ${condition}
  ) e
  where e.shown
) r`;
const ruleColumns = `r.rule_type, r.kind, r.package_id, r.manifest_uri, r.publisher, r.publisher_verified, r.version,
  r.name, r.witness_warnings as warnings`;

/** The rules of the registry, by rule type. */
export const ruleList: KeyedList<RulesKey, RuleRow, ListedRule> = {
  name: 'rules',
  key: { network: ['text', ({ network }) => network] },
  from: rulesWith(),
  where: 'true',
  select: ruleColumns,
  order: [['r.rule_type', 'id']],
  toItem: (row) => toRule(row),
};

/** Reads many rules of the registry in one round trip, in the order of the keys. */
export async function readRulesAt(
  db: Queryable,
  keys: readonly { network: string; ruleType: string }[],
): Promise<(ListedRule | undefined)[]> {
  const { rows } = await db.query<RuleRow & { nth: number }>({
    name: 'find-rules',
    text: `
select key.nth::int, ${ruleColumns}
from ${keyRows({ network: 'text', rule_type: 'text' })}
cross join lateral ${rulesWith('r.rule_type = key.rule_type')}`,
    values: [keys.map(({ network }) => network), keys.map(({ ruleType }) => ruleType)],
  });
  return inOrderOf(keys, rows, toRule);
}

const toRule = (row: RuleRow): ListedRule => ({
  ruleType: row.rule_type,
  kind: row.kind,
  packageId: row.package_id,
  manifestUri: row.manifest_uri,
  publisher: row.publisher,
  publisherVerified: row.publisher_verified,
  version: row.version,
  name: row.name,
  warnings: row.warnings,
});

interface RuleKey {
  ruleType: string;
  publisher: string;
}

/** A rule as its last registration or update describes it. */
interface RuleContent extends RuleKey {
  rawRuleType: string;
  nameError: string | null;
  kind: string;
  packageId: string;
  manifestUri: string;
  manifestHash: string;
  version: number;
  listed: boolean;
  /** Where it was first registered. */
  registered: EventPosition;
  updatedAt: Date;
}

/** Adds or replaces rules. One that moved to another package has its checks done again. */
export async function upsertRules(
  client: ClientBase,
  network: string,
  rules: readonly RuleContent[],
): Promise<void> {
  await client.query({
    name: 'upsert-rules',
    text: `insert into rules (network, rule_type, publisher, raw_rule_type, name_error, kind, package_id,
        manifest_uri, manifest_hash, version, listed, registered_at, registered_checkpoint,
        registered_tx_index, registered_event_index, updated_at, next_check_at)
      select $1, c.*, case when c.name_error is null then now() end
      from unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[],
        $9::text[], $10::int[], $11::boolean[], $12::timestamptz[], $13::bigint[], $14::int[], $15::int[],
        $16::timestamptz[]) as c (rule_type, publisher, raw_rule_type, name_error, kind, package_id,
        manifest_uri, manifest_hash, version, listed, registered_at, registered_checkpoint,
        registered_tx_index, registered_event_index, updated_at)
      on conflict (network, rule_type, publisher) do update set
        raw_rule_type = excluded.raw_rule_type, kind = excluded.kind, package_id = excluded.package_id,
        manifest_uri = excluded.manifest_uri, manifest_hash = excluded.manifest_hash,
        version = excluded.version, listed = excluded.listed, updated_at = excluded.updated_at,
        manifest_error = null, check_attempts = 0, next_check_at = excluded.next_check_at,
        publisher_check = case when rules.package_id = excluded.package_id
          then rules.publisher_check else 'pending' end,
        witness_check = case when rules.package_id = excluded.package_id
          then rules.witness_check else 'pending' end,
        witness_warnings = case when rules.package_id = excluded.package_id
          then rules.witness_warnings else '[]' end`,
    values: [
      network,
      ...toColumns(rules, 'ruleType', 'publisher', 'rawRuleType', 'nameError', 'kind', 'packageId'),
      ...toColumns(rules, 'manifestUri', 'manifestHash', 'version', 'listed'),
      ...toPositionColumns(rules.map(({ registered }) => registered)),
      ...toColumns(rules, 'updatedAt'),
    ],
  });
}

export async function unlistRules(
  client: ClientBase,
  network: string,
  rules: readonly (RuleKey & { updatedAt: Date })[],
): Promise<void> {
  if (rules.length === 0) return;
  await client.query({
    name: 'unlist-rules',
    text: `update rules r set listed = false, updated_at = c.updated_at
      from unnest($2::text[], $3::text[], $4::timestamptz[]) as c (rule_type, publisher, updated_at)
      where r.network = $1 and r.rule_type = c.rule_type and r.publisher = c.publisher`,
    values: [network, ...toColumns(rules, 'ruleType', 'publisher', 'updatedAt')],
  });
}
