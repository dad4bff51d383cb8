import { parseServiceType } from '@adaptor-marketplace/adaptor/chain/names';
import type { Network } from '@adaptor-marketplace/adaptor/networks';
import type { ClientBase } from 'pg';
import type { RulesEvents } from '../../../../lib/chain/events/rules.ts';
import { announceManifests, lockManifests, type NamedManifest } from '../../manifests/announce.ts';
import { judgeManifests } from '../../manifests/fit.ts';
import type { RulesEvent } from '../rules.ts';
import type { ChainEvent } from '../source.ts';

type Event = ChainEvent<RulesEvent>;

/** What a batch does to a rule. */
interface Change {
  ruleType: string;
  nameError: string | null;
  publisher: string;
  /** The first and the last that say what the rule is; undefined where it is only unlisted. */
  first?: Event;
  content?: RulesEvents['registry::Registered'];
  /** The last of all. */
  last: Event;
}

/** Brings `rules` up to date with events in chain order. What was only ever unlisted is no rule. */
export async function foldRules(client: ClientBase, network: Network, events: Event[]): Promise<void> {
  const changes = new Map<string, Change>();
  for (const event of events) {
    switch (event.data?.name) {
      case 'registry::Registered':
      case 'registry::Updated':
      case 'registry::Unlisted': {
        const { ruleType: raw, publisher } = event.data.fields;
        const name = parseServiceType(raw);
        const [ruleType, nameError] = 'error' in name ? [raw, name.error] : [name.canonical, null];
        const key = `${publisher} ${ruleType}`;
        const former = changes.get(key);
        const content =
          event.data.name === 'registry::Unlisted'
            ? former && { first: former.first, content: former.content }
            : { first: former?.first ?? event, content: event.data.fields };
        changes.set(key, { ruleType, nameError, publisher, ...content, last: event });
        break;
      }
    }
  }
  const all = [...changes.values()];
  await register(
    client,
    network,
    all.filter(({ content }) => content),
  );
  await unlist(
    client,
    network,
    all.filter(({ content }) => !content),
  );
}

async function register(client: ClientBase, network: Network, rows: Change[]): Promise<void> {
  if (rows.length === 0) return;
  await lockManifests(client, network);
  const former = await namedManifests(client, network, rows);
  await upsert(client, network, rows);
  const named = rows.map(({ content }) => ({ hash: content!.manifestHash, uri: content!.manifestUri }));
  await announceManifests(client, network, named, former);
  await judgeManifests(
    client,
    network,
    'rules',
    named.map(({ hash }) => hash),
  );
}

/** What those of these rules name that are stored. */
async function namedManifests(client: ClientBase, network: Network, rows: Change[]) {
  const { rows: named } = await client.query<NamedManifest>({
    name: 'manifests-named-by-rules',
    text: `select r.manifest_hash as hash, r.manifest_uri as uri
      from unnest($2::text[], $3::text[]) as k (rule_type, publisher)
      join rules r on r.network = $1 and r.rule_type = k.rule_type and r.publisher = k.publisher`,
    values: [network, rows.map(({ ruleType }) => ruleType), rows.map(({ publisher }) => publisher)],
  });
  return named;
}

async function upsert(client: ClientBase, network: Network, rows: Change[]): Promise<void> {
  const contents = rows.map(({ content }) => content!);
  const firsts = rows.map(({ first }) => first!);
  await client.query({
    name: 'upsert-rules',
    // A rule that moved to another package is no longer what was checked.
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
      rows.map(({ ruleType }) => ruleType),
      rows.map(({ publisher }) => publisher),
      contents.map(({ ruleType }) => ruleType),
      rows.map(({ nameError }) => nameError),
      contents.map(({ kind }) => kind),
      contents.map(({ packageId }) => packageId),
      contents.map(({ manifestUri }) => manifestUri),
      contents.map(({ manifestHash }) => manifestHash),
      contents.map(({ version }) => version),
      rows.map(({ last }) => last.data?.name !== 'registry::Unlisted'),
      firsts.map(({ timestampMs }) => new Date(timestampMs)),
      firsts.map(({ checkpoint }) => checkpoint),
      firsts.map(({ txIndex }) => txIndex),
      firsts.map(({ eventIndex }) => eventIndex),
      rows.map(({ last }) => new Date(last.timestampMs)),
    ],
  });
}

async function unlist(client: ClientBase, network: Network, rows: Change[]): Promise<void> {
  if (rows.length === 0) return;
  await client.query({
    name: 'unlist-rules',
    text: `update rules r set listed = false, updated_at = c.updated_at
      from unnest($2::text[], $3::text[], $4::timestamptz[]) as c (rule_type, publisher, updated_at)
      where r.network = $1 and r.rule_type = c.rule_type and r.publisher = c.publisher`,
    values: [
      network,
      rows.map(({ ruleType }) => ruleType),
      rows.map(({ publisher }) => publisher),
      rows.map(({ last }) => new Date(last.timestampMs)),
    ],
  });
}
