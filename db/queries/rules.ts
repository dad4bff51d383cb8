import type { WitnessWarning } from '@adaptor-marketplace/adaptor/introspect/types';
import { z } from 'zod';
import { cursorText, decodeCursor, encodeCursor } from './cursor.ts';
import { type Page, toPage } from './page.ts';
import type { Queryable, Statement } from './queryable.ts';

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

export interface RulesQuery {
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
  name: 'list_rules',
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
 * @throws BadCursorError
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
