import { type Item, nameColumns, readColumns, unnestColumns } from '../rows.ts';
import * as tables from '../schema/index.ts';
import { type KeyedList, keyColumns, type Paging } from './lists.ts';
import { createLookup } from './lookups.ts';
import { type EventPosition, positionColumns, toColumns, toPositionColumns } from './queryable.ts';
import { shownManifest } from './shown-manifest.ts';
import { createWrite } from './writes.ts';

const ruleColumns = readColumns(
  tables.rules,
  ['ruleType', 'kind', 'packageId', 'manifestUri', 'publisher', 'version'],
  { warnings: 'witnessWarnings' },
);

/** A policy rule as the rule registry lists it. */
interface ListedRule extends Item<typeof ruleColumns> {
  publisherVerified: boolean;
  /** Name in its manifest. Null unless the manifest was fetched, has the registered hash and is about this rule. */
  name: string | null;
}

interface RulesKey extends Paging {
  network: string;
  /** Address that registered the rules. */
  publisher?: string | undefined;
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
    select ${shownManifest}->>'name' as name from manifests m
    where m.hash = r.manifest_hash and r.manifest_error is null and not r.judgement_due
  ) m on true`;
const isShown = `${showable('r')} and r.publisher = front.publisher and (r.publisher_check = 'verified' or (
    select true from rules v
    where v.network = r.network and v.rule_type = r.rule_type and v.publisher_check = 'verified' limit 1
  ) is null)`;
const selected = `${ruleColumns.select('r')}, r.publisher_check = 'verified' as "publisherVerified", m.name`;

/** The rules of the registry, by rule type. */
export const ruleList: KeyedList<RulesKey, ListedRule, ListedRule> = {
  name: 'rules',
  key: keyColumns(tables.rules, 'network'),
  filters: {
    publisher: { column: ['text', ({ publisher }) => publisher], where: 'r.publisher = key.publisher' },
  },
  from: shownRules,
  where: `r.network = key.network and ${isShown}`,
  select: selected,
  order: [['r.rule_type', 'id']],
  toItem: toRule,
};

export const readRules = createLookup<{ network: string; ruleType: string }, ListedRule, ListedRule>({
  name: 'find-rules',
  key: keyColumns(tables.rules, 'network', 'ruleType'),
  select: selected,
  join: `join (${shownRules}) on r.network = key.network and r.rule_type = key.rule_type and ${isShown}`,
  toItem: toRule,
});

function toRule(row: ListedRule): ListedRule {
  return { ...ruleColumns.toItem(row), publisherVerified: row.publisherVerified, name: row.name };
}

const content = [
  'ruleType',
  'publisher',
  'rawRuleType',
  'nameError',
  'kind',
  'packageId',
  'manifestUri',
  'manifestHash',
  'version',
  'listed',
  'updatedAt',
] as const;
const inserted = [...content, ...positionColumns('registered')] as const;

/** A rule as its last registration or update describes it. */
interface RuleContent extends Pick<typeof tables.rules.$inferSelect, (typeof content)[number]> {
  /** Position of its first registration. */
  registered: EventPosition;
}

/** Adds or replaces rules, which must be judged again. A rule that moved to another package is checked again. */
export const upsertRules = createWrite<RuleContent>(
  'upsert-rules',
  `insert into rules (network, ${nameColumns(tables.rules, inserted)}, next_check_at, judgement_due)
    select $1, c.*, case when c.name_error is null then now() end, true
    from ${unnestColumns(tables.rules, 2, inserted)}
    on conflict (network, rule_type, publisher) do update set
      raw_rule_type = excluded.raw_rule_type, kind = excluded.kind, package_id = excluded.package_id,
      manifest_uri = excluded.manifest_uri, manifest_hash = excluded.manifest_hash,
      version = excluded.version, listed = excluded.listed, updated_at = excluded.updated_at,
      manifest_error = null, judgement_due = true, check_attempts = 0, next_check_at = excluded.next_check_at,
      check_ready = true,
      publisher_check = case when rules.package_id = excluded.package_id
        then rules.publisher_check else 'pending' end,
      witness_check = case when rules.package_id = excluded.package_id
        then rules.witness_check else 'pending' end,
      witness_warnings = case when rules.package_id = excluded.package_id
        then rules.witness_warnings else '[]' end`,
  (rules) => [
    ...toColumns(rules, ...content),
    ...toPositionColumns(rules.map(({ registered }) => registered)),
  ],
);

const unlisted = ['ruleType', 'publisher', 'updatedAt'] as const;

export const unlistRules = createWrite<Pick<RuleContent, (typeof unlisted)[number]>>(
  'unlist-rules',
  `update rules r set listed = false, updated_at = c.updated_at
    from ${unnestColumns(tables.rules, 2, unlisted)}
    where r.network = $1 and r.rule_type = c.rule_type and r.publisher = c.publisher`,
  unlisted,
);
