import { address, count, hash, small, text } from '../fields.ts';
import { defineLayout } from '../structs.ts';
import { createEventCodec, type EventsOf } from './codec.ts';

/** A listing after `register` or `update`. */
const listing = defineLayout({
  serviceType: text,
  packageId: address,
  publisher: address,
  manifestUri: text,
  /** 32 bytes in our registry, of any length in others. */
  manifestHash: hash,
  version: count,
  /** The chain's clock, milliseconds since the epoch. */
  timestampMs: count,
});

const layouts = {
  Registered: listing,
  Updated: listing,
  Unlisted: defineLayout(
    { serviceType: text, publisher: address, timestampMs: count },
    /** Package and version that were unlisted. */
    { packageId: address, version: count },
  ),
  Attested: defineLayout(
    { serviceType: text, attester: address, score: small, commentUri: text, timestampMs: count },
    /** Oldest live listing of the service type at that time. */
    { publisher: address, version: count },
  ),
};

/** Events of an adaptor registry, by the name of their Move struct. */
export type RegistryEvents = EventsOf<typeof layouts>;
export type RegistryEventName = keyof RegistryEvents;

/** Meanings of the events, for people. */
export const registryEventWords: Readonly<Record<RegistryEventName, string>> = {
  Registered: 'A publisher listed an adaptor.',
  Updated: 'A publisher changed a listing: its manifest, its package, or both.',
  Unlisted: 'A publisher took a listing off. Wallets that granted to it keep their grants.',
  Attested: 'An address rated a listed service, with a score of 1 to 5.',
};

export const registryEvents = createEventCodec(layouts);

/** Lists the names of the events for a sentence: `Registered, Updated, Unlisted or Attested`. */
export const nameRegistryEvents = (quote = ''): string =>
  new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(
    registryEvents.names.map((name) => `${quote}${name}${quote}`),
  );
