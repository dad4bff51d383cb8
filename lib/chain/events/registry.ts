import { bcs } from '@mysten/sui/bcs';
import { fromHex } from '@mysten/sui/utils';
import { messageOf } from '../../errors/index.ts';

/** A listing as `register` or `update` left it. */
export interface ListingEvent {
  serviceType: string;
  packageId: string;
  publisher: string;
  manifestUri: string;
  /** Lower-case hex without `0x`; 32 bytes in our registry, of any length in others. */
  manifestHash: string;
  version: number;
  /** The chain's clock, milliseconds since the epoch. */
  timestampMs: number;
}

export interface UnlistedEvent {
  serviceType: string;
  publisher: string;
  timestampMs: number;
  /** The package and version that were taken off; appended by our registry, absent from others. */
  packageId?: string;
  version?: number;
}

export interface AttestedEvent {
  serviceType: string;
  attester: string;
  score: number;
  commentUri: string;
  timestampMs: number;
  /** The oldest live listing of the service type then; appended by our registry, absent from others. */
  publisher?: string;
  version?: number;
}

/** The events of a registry, by the name of their Move struct. */
export interface RegistryEvents {
  Registered: ListingEvent;
  Updated: ListingEvent;
  Unlisted: UnlistedEvent;
  Attested: AttestedEvent;
}

export type RegistryEventName = keyof RegistryEvents;

export const registryEventNames: readonly RegistryEventName[] = [
  'Registered',
  'Updated',
  'Unlisted',
  'Attested',
];

/** The chain's own bound on an event (`max_event_emit_size`). */
const eventBytesMax = 256_000;

const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

const text = bcs.byteVector().transform({
  name: 'text',
  input: (value: string) => new TextEncoder().encode(value),
  output: (bytes) => {
    const value = strictUtf8.decode(bytes);
    // Valid in Move, but no PostgreSQL text can hold it: one such event would stop all that follow it.
    if (value.includes('\0')) throw new Error('a text holds a NUL character');
    return value;
  },
});

const hash = bcs.byteVector().transform({
  name: 'hash',
  input: (hex: string) => fromHex(hex),
  output: (bytes) => Buffer.from(bytes).toString('hex'),
});

/** Versions and times: no true one is ever beyond 2^53 - 1, so they are numbers, and others are refused. */
const count = bcs.u64().transform({
  name: 'count',
  input: (value: number) => value,
  output: (digits) => {
    const value = Number(digits);
    if (!Number.isSafeInteger(value)) throw new Error(`${digits} is no version and no time`);
    return value;
  },
});

const listingFields = {
  serviceType: text,
  packageId: bcs.Address,
  publisher: bcs.Address,
  manifestUri: text,
  manifestHash: hash,
  version: count,
  timestampMs: count,
};
const unlistedFields = { serviceType: text, publisher: bcs.Address, timestampMs: count };
const attestedFields = {
  serviceType: text,
  attester: bcs.Address,
  score: bcs.u8(),
  commentUri: text,
  timestampMs: count,
};

const listing = bcs.struct('Listing', listingFields);
const unlisted = bcs.struct('Unlisted', unlistedFields);
const unlistedAppended = bcs.struct('UnlistedAppended', {
  ...unlistedFields,
  packageId: bcs.Address,
  version: count,
});
const attested = bcs.struct('Attested', attestedFields);
const attestedAppended = bcs.struct('AttestedAppended', {
  ...attestedFields,
  publisher: bcs.Address,
  version: count,
});

interface Codec<Event> {
  parse: (bytes: Uint8Array) => Event;
  serialize: (event: Event) => Uint8Array;
}

const listingCodec: Codec<ListingEvent> = {
  parse: (bytes) => listing.parse(bytes),
  serialize: (event) => listing.serialize(event).toBytes(),
};

const codecs: { [Name in RegistryEventName]: Codec<RegistryEvents[Name]> } = {
  Registered: listingCodec,
  Updated: listingCodec,
  Unlisted: {
    parse: (bytes) =>
      either(
        () => unlistedAppended.parse(bytes),
        () => unlisted.parse(bytes),
      ),
    serialize: ({ packageId, version, ...leading }) =>
      (packageId === undefined || version === undefined
        ? unlisted.serialize(leading)
        : unlistedAppended.serialize({ ...leading, packageId, version })
      ).toBytes(),
  },
  Attested: {
    parse: (bytes) =>
      either(
        () => attestedAppended.parse(bytes),
        () => attested.parse(bytes),
      ),
    serialize: ({ publisher, version, ...leading }) =>
      (publisher === undefined || version === undefined
        ? attested.serialize(leading)
        : attestedAppended.serialize({ ...leading, publisher, version })
      ).toBytes(),
  },
};

/** The event with what our registry appends; without it where the bytes hold none, or another registry's own. */
function either<Event>(appended: () => Event, leading: () => Event): Event {
  try {
    return appended();
  } catch {
    return leading();
  }
}

/** Whether a registry emits an event of that name. */
export function isRegistryEventName(name: string): name is RegistryEventName {
  return Object.hasOwn(codecs, name);
}

/**
 * Reads the fields of an event from its BCS bytes. What follows the fields known here is ignored, so that
 * registries with fewer or more appended fields are read alike. Throws an Error that says what is wrong:
 * too short or too long, no valid UTF-8, a number beyond 2^53 - 1.
 */
export function decodeRegistryEvent<Name extends RegistryEventName>(
  name: Name,
  bytes: Uint8Array,
): RegistryEvents[Name] {
  if (bytes.length > eventBytesMax) {
    throw new Error(`${name} of ${bytes.length} bytes: the chain emits none above ${eventBytesMax}`);
  }
  try {
    // A copy of its own: the reader takes byte vectors from the whole underlying buffer, past the end of a view.
    return codecs[name].parse(Uint8Array.from(bytes));
  } catch (error) {
    const length = `${name} of ${bytes.length} bytes`;
    throw new Error(`${length} does not decode: ${messageOf(error)}`, { cause: error });
  }
}

/** The bytes that a registry emits for this event; the inverse of `decodeRegistryEvent`, for tests and generators. */
export function encodeRegistryEvent<Name extends RegistryEventName>(
  name: Name,
  event: RegistryEvents[Name],
): Uint8Array {
  return codecs[name].serialize(event);
}
