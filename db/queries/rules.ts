import type { WitnessWarning } from '@adaptor-marketplace/adaptor/introspect';
import type { ClientBase } from 'pg';
import type { KeyedList, Paging } from './lists.ts';
import {
  type EventPosition,
  keyRows,
  orderByKeys,
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
  /** Name in its manifest. Null unless the manifest was fetched, has the registered hash and is about this rule. */
  name: string | null;
  /** Security warnings about the rule's witness, from the package's bytecode. Empty if there are none. */
  warnings: WitnessWarning[];
}

interface RulesKey extends Paging {
  network: string;
  /** Address that registered the rules. */
  publisher?: string | undefined;
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

/** SQL condition for rules of the alias `name` that can be shown, as in the index `rules_of_type`. */
const showable = (name: string) =>
  `${name}.listed and ${name}.name_error is null and ${name}.witness_check = 'valid'`;

/**
 * `from` clause of the shown rules: one listing of each rule type, chosen as the catalog chooses one of each service
 * type (`front`). Each is compared only with the first of its type, so that a page is read from its start, in either
 * direction.
 */
const shownRules = `rules r
  cross join lateral (
    select f.publisher from rules f
    where f.network = r.network and f.rule_type = r.rule_type and ${showable('f')}
    order by (f.publisher_check = 'verified') desc, f.registered_checkpoint, f.registered_tx_index,
      f.registered_event_index
    limit 1
  ) front
  left join lateral (
    select m.body->>'name' as name from manifests m where m.hash = r.manifest_hash and r.manifest_error is null
  ) m on true`;
const isShown = `${showable('r')} and r.publisher = front.publisher and (r.publisher_check = 'verified' or (
    select true from rules v
    where v.network = r.network and v.rule_type = r.rule_type and v.publisher_check = 'verified' limit 1
  ) is null)`;
const ruleColumns = `r.rule_type, r.kind, r.package_id, r.manifest_uri, r.publisher,
  r.publisher_check = 'verified' as publisher_verified, r.version, m.name, r.witness_warnings as warnings`;

/** The rules of the registry, by rule type. */
export const ruleList: KeyedList<RulesKey, RuleRow, ListedRule> = {
  name: 'rules',
  key: { network: ['text', ({ network }) => network] },
  filters: {
    publisher: { column: ['text', ({ publisher }) => publisher], where: 'r.publisher = key.publisher' },
  },
  from: shownRules,
  where: `r.network = key.network and ${isShown}`,
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
join (${shownRules}) on r.network = key.network and r.rule_type = key.rule_type and ${isShown}`,
    values: [keys.map(({ network }) => network), keys.map(({ ruleType }) => ruleType)],
  });
  return orderByKeys(keys, rows, toRule);
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
  /** Position of its first registration. */
  registered: EventPosition;
  updatedAt: Date;
}

/** Adds or replaces rules. A rule that moved to another package is checked again. */
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
