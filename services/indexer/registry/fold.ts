import type { ListingEvent } from '../../../lib/chain/events/registry.ts';
import { parseServiceType } from '../../../lib/chain/names.ts';
import type { ChainEvent } from '../source.ts';
import type { RegistryEvent } from './decode.ts';

type Event = ChainEvent<RegistryEvent>;

/** What a batch does to one (service type, publisher). */
export interface ListingChange {
  /** Canonical where it can be made so. */
  serviceType: string;
  publisher: string;
  listed: boolean;
  updatedAtMs: number;
  /** Undefined when the batch only unlists. */
  content: ListingContent | undefined;
}

export interface ListingContent {
  /** Of the latest event with content. */
  fields: ListingEvent;
  nameError: string | undefined;
  /** Earliest event with content: where a listing that is new to the database begins. */
  first: Event;
}

/** A row of `listing_versions`. */
export interface VersionRow {
  event: Event;
  serviceType: string;
  publisher: string;
  /** Undefined where another registry's unlisting follows content that is stored already. */
  version: number | undefined;
  /** Undefined for an unlisting. */
  content: ListingEvent | undefined;
}

export interface AttestationRow {
  event: Event;
  serviceType: string;
  attester: string;
  score: number;
  commentUri: string;
}

export interface RegistryFold {
  listings: ListingChange[];
  versions: VersionRow[];
  attestations: AttestationRow[];
}

/**
 * What follows from events in chain order: per listing only its last state, so that the database is told each
 * thing once however long the batch is.
 */
export function foldRegistry(events: readonly Event[]): RegistryFold {
  const changes = new Map<string, ListingChange>();
  const fold: RegistryFold = { listings: [], versions: [], attestations: [] };
  for (const event of events) {
    const { data } = event;
    if (!data) continue;
    const name = parseServiceType(data.fields.serviceType);
    const serviceType = 'error' in name ? data.fields.serviceType : name.canonical;
    if (data.name === 'Attested') {
      const { attester, score, commentUri } = data.fields;
      fold.attestations.push({ event, serviceType, attester, score, commentUri });
      continue;
    }
    const { publisher } = data.fields;
    const key = `${publisher} ${serviceType}`;
    const former = changes.get(key)?.content;
    const change = { serviceType, publisher, updatedAtMs: event.timestampMs };
    if (data.name === 'Unlisted') {
      const version = data.fields.version ?? former?.fields.version;
      fold.versions.push({ event, serviceType, publisher, version, content: undefined });
      changes.set(key, { ...change, listed: false, content: former });
    } else {
      const { fields } = data;
      const nameError = 'error' in name ? name.error : undefined;
      fold.versions.push({ event, serviceType, publisher, version: fields.version, content: fields });
      const content = { fields, nameError, first: former?.first ?? event };
      changes.set(key, { ...change, listed: true, content });
    }
  }
  fold.listings = [...changes.values()];
  return fold;
}
