import { parseServiceType } from '@adaptor-marketplace/adaptor';
import type { Database } from '../../../db/client.ts';
import { registryEvents } from '../../../lib/chain/events/registry.ts';
import type { GeneratedChain } from './chain.ts';

interface Listing {
  serviceType: string;
  publisher: string;
  nameError: string | null;
  packageId: string;
  manifestUri: string;
  manifestHash: string;
  version: number;
  listed: boolean;
  registeredMs: number;
  registered: number[];
  updatedMs: number;
}

/**
 * The expected tables after the chain, computed from one event at a time in plain code. The computation shares no
 * batches, no SQL and no method with the indexer.
 */
export function expectedTables(chain: GeneratedChain): Tables {
  const tables: Tables = { events: [], listings: [], versions: [], attestations: [], manifests: [] };
  const listings = new Map<string, Listing>();
  for (const { checkpoint, txIndex, timestampMs, digest, sender, events } of chain.transactions) {
    events.forEach(({ type, contents }, eventIndex) => {
      if (!type.startsWith(`${chain.registryPackageId}::registry::`)) return;
      const position = [checkpoint, txIndex, eventIndex];
      const name = type.split('::')[2]!;
      const fields = decode(name, contents);
      const bytes = Buffer.from(contents).toString('hex');
      const id = `${digest}:${eventIndex}`;
      tables.events.push({ position, id, name, sender, timestampMs, bytes, data: fields ?? null });
      if (!fields) return;
      const parsed = parseServiceType(fields.serviceType);
      const [serviceType, nameError] =
        'error' in parsed ? [fields.serviceType, parsed.error] : [parsed.canonical, null];
      if (name === 'Attested') {
        const { attester, score, commentUri } = fields;
        tables.attestations.push({ position, serviceType, attester, score, commentUri });
        return;
      }
      const { publisher, packageId = null, manifestUri = null, manifestHash = null } = fields;
      const key = `${serviceType} ${publisher}`;
      const former = listings.get(key);
      const versionRow = {
        position,
        serviceType,
        publisher,
        version: fields.version ?? former?.version ?? 0,
      };
      if (name === 'Unlisted') {
        const nothing = { packageId: null, manifestUri: null, manifestHash: null };
        tables.versions.push({ ...versionRow, listed: false, ...nothing });
        if (former) listings.set(key, { ...former, listed: false, updatedMs: timestampMs });
        return;
      }
      const content = { packageId, manifestUri, manifestHash };
      tables.versions.push({ ...versionRow, listed: true, ...content });
      listings.set(key, {
        serviceType,
        publisher,
        nameError,
        version: fields.version,
        ...content,
        listed: true,
        registered: former?.registered ?? position,
        registeredMs: former?.registeredMs ?? timestampMs,
        updatedMs: timestampMs,
      });
    });
  }
  tables.listings = [...listings.values()].map((listing) => ({ ...listing }));
  tables.manifests = tables.listings.map(({ manifestHash, manifestUri }) => ({ manifestHash, manifestUri }));
  return sortedTables(tables);
}

// biome-ignore lint/suspicious/noExplicitAny: the fields of all four events are read alike
function decode(name: string, contents: Uint8Array): any {
  try {
    return registryEvents.isName(name) ? registryEvents.decode(name, contents) : undefined;
  } catch {
    return undefined;
  }
}

type Row = Record<string, unknown>;

/** The read model, without what depends on more than the chain. */
interface Tables {
  events: Row[];
  listings: Row[];
  versions: Row[];
  attestations: Row[];
  manifests: Row[];
}

const position = 'json_build_array(checkpoint, tx_index, event_index)';
const ms = (column: string) => `(extract(epoch from ${column}) * 1000)::bigint`;

/** Sorts the rows, so that `toEqual` can compare two results. */
function sortedTables(tables: Tables): Tables {
  const keyed = (row: Row) => JSON.stringify(row, Object.keys(row).sort());
  const sorted = (rows: Row[]) =>
    rows
      .map((row) => ({ row, key: keyed(row) }))
      .sort((a, b) => (a.key < b.key ? -1 : 1))
      .map(({ row }) => row);
  return {
    events: sorted(tables.events),
    listings: sorted(tables.listings),
    versions: sorted(tables.versions),
    attestations: sorted(tables.attestations),
    manifests: sorted(tables.manifests),
  };
}

export async function readTables({ pool }: Database): Promise<Tables> {
  const rows = async (sql: string) => (await pool.query<Row>(sql)).rows;
  return sortedTables({
    events: await rows(`select ${position} as position, tx_digest || ':' || event_index as id, name, sender,
      ${ms('timestamp')} as "timestampMs", encode(contents, 'hex') as bytes, data from events`),
    listings: await rows(`select service_type as "serviceType", publisher, name_error as "nameError",
      package_id as "packageId", manifest_uri as "manifestUri", manifest_hash as "manifestHash", version, listed,
      ${ms('registered_at')} as "registeredMs", ${ms('updated_at')} as "updatedMs",
      json_build_array(registered_checkpoint, registered_tx_index, registered_event_index) as registered
      from listings`),
    versions:
      await rows(`select ${position} as position, service_type as "serviceType", publisher, version, listed,
      package_id as "packageId", manifest_uri as "manifestUri", manifest_hash as "manifestHash"
      from listing_versions`),
    attestations: await rows(`select ${position} as position, service_type as "serviceType", attester, score,
      comment_uri as "commentUri" from attestations`),
    manifests: await rows('select hash as "manifestHash", uri as "manifestUri" from manifest_fetches'),
  });
}
