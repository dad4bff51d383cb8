import type { ClientBase } from 'pg';
import type { Network } from '../../../lib/config/index.ts';
import { copyRows } from '../store/copy.ts';
import type { AttestationRow, ListingChange, ListingContent, RegistryFold, VersionRow } from './fold.ts';

/** Writes a fold to the registry's tables, each with one or two statements. */
export async function applyRegistryFold(
  client: ClientBase,
  network: Network,
  { listings, versions, attestations }: RegistryFold,
): Promise<void> {
  const withContent = listings.filter(hasContent);
  const unlistedOnly = listings.filter((change) => !hasContent(change));
  if (versions.length > 0) await addVersions(client, network, versions);
  if (unlistedOnly.length > 0) await unlist(client, network, unlistedOnly);
  if (withContent.length > 0) await upsertListings(client, network, withContent);
  if (attestations.length > 0) await addAttestations(client, network, attestations);
}

interface ContentChange extends ListingChange {
  content: ListingContent;
}

const hasContent = (change: ListingChange): change is ContentChange => change.content !== undefined;

const column = <T>(rows: readonly T[], pick: (row: T) => string | number | boolean | null) => rows.map(pick);

async function upsertListings(client: ClientBase, network: Network, changes: ContentChange[]): Promise<void> {
  await client.query({
    name: 'upsert-listings',
    // A listing that moved to another package is no longer what was checked. Who holds the UpgradeCap may
    // have changed too, but until that is known again the former answer stands.
    text: `insert into listings (network, service_type, publisher, raw_service_type, name_error, package_id,
        manifest_uri, manifest_hash, version, listed, registered_at, registered_checkpoint,
        registered_tx_index, registered_event_index, updated_at, next_check_at)
      select $1, c.*, case when c.name_error is null then now() end
        from unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[],
          $9::int[], $10::bool[], $11::timestamptz[], $12::bigint[], $13::int[], $14::int[],
          $15::timestamptz[]) as c (service_type, publisher, raw_service_type, name_error, package_id,
          manifest_uri, manifest_hash, version, listed, registered_at, registered_checkpoint,
          registered_tx_index, registered_event_index, updated_at)
      on conflict (network, service_type, publisher) do update set
        raw_service_type = excluded.raw_service_type, package_id = excluded.package_id,
        manifest_uri = excluded.manifest_uri, manifest_hash = excluded.manifest_hash,
        version = excluded.version, listed = excluded.listed, updated_at = excluded.updated_at,
        manifest_error = null, check_attempts = 0, next_check_at = excluded.next_check_at,
        publisher_check = case when listings.package_id = excluded.package_id
          then listings.publisher_check else 'pending' end,
        witness_check = case when listings.package_id = excluded.package_id
          then listings.witness_check else 'pending' end`,
    values: [
      network,
      column(changes, (change) => change.serviceType),
      column(changes, (change) => change.publisher),
      column(changes, ({ content }) => content.fields.serviceType),
      column(changes, ({ content }) => content.nameError ?? null),
      column(changes, ({ content }) => content.fields.packageId),
      column(changes, ({ content }) => content.fields.manifestUri),
      column(changes, ({ content }) => content.fields.manifestHash),
      column(changes, ({ content }) => content.fields.version),
      column(changes, (change) => change.listed),
      column(changes, ({ content: { first } }) => iso(first.timestampMs)),
      column(changes, ({ content: { first } }) => first.checkpoint),
      column(changes, ({ content: { first } }) => first.txIndex),
      column(changes, ({ content: { first } }) => first.eventIndex),
      column(changes, (change) => iso(change.updatedAtMs)),
    ],
  });
}

async function unlist(client: ClientBase, network: Network, changes: ListingChange[]): Promise<void> {
  await client.query({
    name: 'unlist',
    text: `update listings l set listed = false, updated_at = c.updated_at
      from unnest($2::text[], $3::text[], $4::timestamptz[]) as c (service_type, publisher, updated_at)
      where l.network = $1 and l.service_type = c.service_type and l.publisher = c.publisher`,
    values: [
      network,
      column(changes, (change) => change.serviceType),
      column(changes, (change) => change.publisher),
      column(changes, (change) => iso(change.updatedAtMs)),
    ],
  });
}

const versionColumns = [
  'network',
  'checkpoint',
  'tx_index',
  'event_index',
  'service_type',
  'publisher',
  'version',
  'listed',
  'package_id',
  'manifest_uri',
  'manifest_hash',
  'timestamp',
];

/** Before the listings change: an unlisting's version is the one that stood before the batch. */
async function addVersions(client: ClientBase, network: Network, versions: VersionRow[]): Promise<void> {
  const open = versions.filter(({ version }) => version === undefined);
  const former = await storedVersions(client, network, open);
  await copyRows(
    client,
    'listing_versions',
    versionColumns,
    versions.map(({ event, serviceType, publisher, version, content }) => [
      network,
      event.checkpoint,
      event.txIndex,
      event.eventIndex,
      serviceType,
      publisher,
      version ?? former.get(`${publisher} ${serviceType}`) ?? 0,
      content !== undefined,
      content?.packageId ?? null,
      content?.manifestUri ?? null,
      content?.manifestHash ?? null,
      new Date(event.timestampMs),
    ]),
  );
}

async function storedVersions(client: ClientBase, network: Network, wanted: VersionRow[]) {
  if (wanted.length === 0) return new Map<string, number>();
  const { rows } = await client.query<{ key: string; version: number }>({
    name: 'stored-versions',
    text: `select distinct l.publisher || ' ' || l.service_type as key, l.version
      from unnest($2::text[], $3::text[]) as w (service_type, publisher)
      join listings l on l.network = $1 and l.service_type = w.service_type and l.publisher = w.publisher`,
    values: [network, column(wanted, (row) => row.serviceType), column(wanted, (row) => row.publisher)],
  });
  return new Map(rows.map(({ key, version }) => [key, version]));
}

const attestationColumns = [
  'network',
  'checkpoint',
  'tx_index',
  'event_index',
  'service_type',
  'attester',
  'score',
  'comment_uri',
  'timestamp',
];

async function addAttestations(client: ClientBase, network: Network, rows: AttestationRow[]): Promise<void> {
  await copyRows(
    client,
    'attestations',
    attestationColumns,
    rows.map(({ event, serviceType, attester, score, commentUri }) => [
      network,
      event.checkpoint,
      event.txIndex,
      event.eventIndex,
      serviceType,
      attester,
      score,
      commentUri,
      new Date(event.timestampMs),
    ]),
  );
}

const iso = (ms: number) => new Date(ms).toISOString();
