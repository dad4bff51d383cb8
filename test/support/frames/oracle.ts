import { parseServiceType } from '@adaptor-marketplace/adaptor/chain/names';
import { registryEvents } from '../../../lib/chain/events/registry.ts';
import type { GeneratedChain } from './chain.ts';
import { sortedTables, type Tables } from './tables.ts';

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
 * What the tables must hold after the chain, worked out one event at a time in plain code: independent of
 * batches, of SQL, and of how the indexer goes about it.
 */
export function expectedTables(chain: GeneratedChain): Tables {
  const tables: Tables = { events: [], listings: [], versions: [], attestations: [], manifests: [] };
  const listings = new Map<string, Listing>();
  for (const { checkpoint, txIndex, timestampMs, digest, sender, events } of chain.transactions) {
    events.forEach(({ type, contents }, eventIndex) => {
      if (!type.startsWith(`${chain.registryPackageId}::registry::`)) return;
      const place = [checkpoint, txIndex, eventIndex];
      const name = type.split('::')[2]!;
      const fields = decode(name, contents);
      const bytes = Buffer.from(contents).toString('hex');
      const id = `${digest}:${eventIndex}`;
      tables.events.push({ place, id, name, sender, timestampMs, bytes, data: fields ?? null });
      if (!fields) return;
      const parsed = parseServiceType(fields.serviceType);
      const [serviceType, nameError] =
        'error' in parsed ? [fields.serviceType, parsed.error] : [parsed.canonical, null];
      if (name === 'Attested') {
        const { attester, score, commentUri } = fields;
        tables.attestations.push({ place, serviceType, attester, score, commentUri });
        return;
      }
      const { publisher, packageId = null, manifestUri = null, manifestHash = null } = fields;
      const key = `${serviceType} ${publisher}`;
      const former = listings.get(key);
      const versionRow = { place, serviceType, publisher, version: fields.version ?? former?.version ?? 0 };
      if (name === 'Unlisted') {
        const nothing = { packageId: null, manifestUri: null, manifestHash: null };
        tables.versions.push({ ...versionRow, listed: false, ...nothing });
        if (former) listings.set(key, { ...former, listed: false, updatedMs: timestampMs });
        return;
      }
      const content = { packageId, manifestUri, manifestHash };
      tables.versions.push({ ...versionRow, listed: true, ...content });
      listings.set(key, {
        ...{ serviceType, publisher, nameError, version: fields.version, ...content, listed: true },
        registered: former?.registered ?? place,
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
