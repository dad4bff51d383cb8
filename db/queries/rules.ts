import type { WitnessWarning } from '@adaptor-marketplace/adaptor/introspect';
import type { ClientBase } from 'pg';
import { z } from 'zod';
import { cursorText, decodeCursor, encodeCursor, type Page, toPage } from './page.ts';
import {
  type EventPosition,
  type Queryable,
  type Statement,
  toColumns,
  toPositionColumns,
} from './queryable.ts';

/** A policy rule as the rule registry lists it. */
export interface ListedRule {
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

interface RulesQuery {
  network: string;
  limit: number;
  cursor?: string | undefined;
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

/** One listing of each rule type, picked as the catalog picks one of each service type (`eligible`). */
const listRules: Statement = {
  name: 'list-rules',
  text: `
with eligible as (
  select r.*, r.publisher_check = 'verified' as publisher_verified,
    row_number() over (
      partition by r.rule_type
      order by r.publisher_check = 'verified' desc,
        r.registered_checkpoint, r.registered_tx_index, r.registered_event_index
    ) = 1 and (r.publisher_check = 'verified' or not exists (
      select from rules v
      where v.network = r.network and v.rule_type = r.rule_type and v.publisher_check = 'verified'
    )) as shown
  from rules r
  where r.network = $1 and r.listed and r.name_error is null and r.witness_check = 'valid'
)
select e.rule_type, e.kind, e.package_id, e.manifest_uri, e.publisher, e.publisher_verified, e.version,
  m.body->>'name' as name, e.witness_warnings as warnings
from eligible e
left join manifests m on m.hash = e.manifest_hash and e.manifest_error is null
where e.shown and ($3::text is null or e.rule_type collate "C" > $3)
order by e.rule_type collate "C"
limit $2::int + 1`,
};

/**
 * The rules of the registry, by rule type.
 * @throws ProblemError `bad_cursor`
 */
export async function readRules(
  db: Queryable,
  { network, limit, cursor }: RulesQuery,
): Promise<Page<ListedRule>> {
  const after = cursor === undefined ? undefined : decodeCursor(cursor, z.tuple([cursorText]));
  const { rows } = await db.query<RuleRow>({ ...listRules, values: [network, limit, after?.[0] ?? null] });
  return toPage(rows, limit, toRule, (row) => encodeCursor([row.rule_type]));
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
