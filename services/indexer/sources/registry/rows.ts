import { parseServiceType } from '@adaptor-marketplace/adaptor/chain/names';
import type { ListingEvent } from '../../../../lib/chain/events/registry.ts';
import type { ChainEvent } from '../source.ts';
import type { RegistryEvent } from './decode.ts';

type Event = ChainEvent<RegistryEvent>;

/** A row of `listing_versions`. */
export interface VersionRow {
  event: Event;
  /** Canonical where it can be made so. */
  serviceType: string;
  nameError: string | undefined;
  publisher: string;
  /** Undefined where another registry's unlisting follows a version that is stored already. */
  version: number | undefined;
  /** Undefined for an unlisting. */
  content: ListingEvent | undefined;
}

/** A row of `attestations`. */
export interface AttestationRow {
  event: Event;
  serviceType: string;
  attester: string;
  score: number;
  commentUri: string;
}

export interface RegistryRows {
  versions: VersionRow[];
  attestations: AttestationRow[];
}

/** What events in chain order add to the registry's tables. */
export function rowsOf(events: readonly Event[]): RegistryRows {
  const rows: RegistryRows = { versions: [], attestations: [] };
  const lastVersions = new Map<string, number>();
  for (const event of events) {
    const { data } = event;
    if (!data) continue;
    const name = parseServiceType(data.fields.serviceType);
    const [serviceType, nameError] =
      'error' in name ? [data.fields.serviceType, name.error] : [name.canonical, undefined];
    if (data.name === 'Attested') {
      const { attester, score, commentUri } = data.fields;
      rows.attestations.push({ event, serviceType, attester, score, commentUri });
      continue;
    }
    const { publisher } = data.fields;
    const content = data.name === 'Unlisted' ? undefined : data.fields;
    const key = `${publisher} ${serviceType}`;
    const version = data.fields.version ?? lastVersions.get(key);
    if (version !== undefined) lastVersions.set(key, version);
    rows.versions.push({ event, serviceType, nameError, publisher, version, content });
  }
  return rows;
}
