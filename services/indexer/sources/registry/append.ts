import type { Network } from '@adaptor-marketplace/adaptor/networks';
import type { ClientBase } from 'pg';
import { copyRows } from '../../../../db/queries/copy.ts';
import type { AttestationRow, VersionRow } from './rows.ts';

const versionColumns = [
  'network',
  'checkpoint',
  'tx_index',
  'event_index',
  'service_type',
  'raw_service_type',
  'name_error',
  'publisher',
  'version',
  'listed',
  'package_id',
  'manifest_uri',
  'manifest_hash',
  'timestamp',
];

export async function appendVersions(
  client: ClientBase,
  network: Network,
  versions: VersionRow[],
): Promise<void> {
  if (versions.length === 0) return;
  const open = versions.filter(({ version }) => version === undefined);
  const stored = await storedVersions(client, network, open);
  await copyRows(
    client,
    'listing_versions',
    versionColumns,
    versions.map(({ event, serviceType, nameError, publisher, version, content }) => [
      network,
      event.checkpoint,
      event.txIndex,
      event.eventIndex,
      serviceType,
      content && content.serviceType !== serviceType ? content.serviceType : null,
      nameError ?? null,
      publisher,
      version ?? stored.get(`${publisher} ${serviceType}`) ?? 0,
      content !== undefined,
      content?.packageId ?? null,
      content?.manifestUri ?? null,
      content?.manifestHash ?? null,
      new Date(event.timestampMs),
    ]),
  );
}

/** The last stored version of each, by publisher and service type. */
async function storedVersions(client: ClientBase, network: Network, wanted: VersionRow[]) {
  if (wanted.length === 0) return new Map<string, number>();
  const { rows } = await client.query<{ key: string; version: number }>({
    name: 'stored-versions',
    text: `select w.publisher || ' ' || w.service_type as key, last.version
      from unnest($2::text[], $3::text[]) as w (service_type, publisher)
      cross join lateral (select v.version from listing_versions v
        where v.network = $1 and v.service_type = w.service_type and v.publisher = w.publisher
        order by v.checkpoint desc, v.tx_index desc, v.event_index desc limit 1) last`,
    values: [network, wanted.map((row) => row.serviceType), wanted.map((row) => row.publisher)],
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

export async function appendAttestations(
  client: ClientBase,
  network: Network,
  rows: AttestationRow[],
): Promise<void> {
  if (rows.length === 0) return;
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
