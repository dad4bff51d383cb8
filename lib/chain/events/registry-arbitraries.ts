import fc from 'fast-check';
import type { RegistryEventName, RegistryEvents } from './registry.ts';

const address = fc
  .uint8Array({ minLength: 32, maxLength: 32 })
  .map((bytes) => `0x${Buffer.from(bytes).toString('hex')}`);
const text = fc.string({ unit: 'grapheme', maxLength: 60 }).filter((value) => !value.includes('\0'));
const hash = fc.uint8Array({ maxLength: 64 }).map((bytes) => Buffer.from(bytes).toString('hex'));
const count = fc.maxSafeNat();

const listing = fc.record({
  serviceType: text,
  packageId: address,
  publisher: address,
  manifestUri: text,
  manifestHash: hash,
  version: count,
  timestampMs: count,
});

const arbitraries: { [Name in RegistryEventName]: fc.Arbitrary<RegistryEvents[Name]> } = {
  Registered: listing,
  Updated: listing,
  Unlisted: fc.record({
    serviceType: text,
    publisher: address,
    timestampMs: count,
    packageId: address,
    version: count,
  }),
  Attested: fc.record({
    serviceType: text,
    attester: address,
    score: fc.integer({ min: 0, max: 255 }),
    commentUri: text,
    timestampMs: count,
    publisher: address,
    version: count,
  }),
};

/** Any event that a registry could emit, whatever its own rules on the contents. */
export function anyRegistryEvent<Name extends RegistryEventName>(
  name: Name,
): fc.Arbitrary<RegistryEvents[Name]> {
  return arbitraries[name];
}
