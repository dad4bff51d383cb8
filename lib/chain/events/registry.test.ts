import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  decodeRegistryEvent,
  encodeRegistryEvent,
  isRegistryEventName,
  type RegistryEventName,
  registryEventNames,
} from './registry.ts';
import { anyRegistryEvent } from './registry-arbitraries.ts';

/** Sizes up to which an event is its leading fields alone: without the appended address and u64. */
const appendedBytes: Record<RegistryEventName, number> = {
  Registered: 0,
  Updated: 0,
  Unlisted: 40,
  Attested: 40,
};

describe.each(registryEventNames)('%s', (name) => {
  const arbitrary = anyRegistryEvent(name);

  it('is read back as it was written', () => {
    fc.assert(
      fc.property(arbitrary, (event) => {
        expect(decodeRegistryEvent(name, encodeRegistryEvent(name, event))).toEqual(event);
      }),
    );
  });

  it('is read without the fields that a later registry appends', () => {
    fc.assert(
      fc.property(arbitrary, fc.uint8Array({ maxLength: 300 }), (event, more) => {
        const bytes = Buffer.concat([encodeRegistryEvent(name, event), more]);
        expect(decodeRegistryEvent(name, bytes)).toEqual(event);
      }),
    );
  });

  it('is read without the fields that an earlier registry does not have', () => {
    fc.assert(
      fc.property(arbitrary, (event) => {
        const bytes = encodeRegistryEvent(name, event);
        const leading = decodeRegistryEvent(name, bytes.subarray(0, bytes.length - appendedBytes[name]));
        expect(event).toMatchObject(leading);
        expect(encodeRegistryEvent(name, leading).length).toBe(bytes.length - appendedBytes[name]);
      }),
    );
  });

  it('is refused when cut anywhere in its leading fields, also as a view of longer bytes', () => {
    fc.assert(
      fc.property(arbitrary, fc.nat(), (event, cut) => {
        const bytes = encodeRegistryEvent(name, event);
        const short = bytes.subarray(0, cut % (bytes.length - appendedBytes[name]));
        expect(() => decodeRegistryEvent(name, short)).toThrow('does not decode');
      }),
    );
  });

  it('never fails on garbage but with an error that names the event', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 2000 }), (garbage) => {
        try {
          decodeRegistryEvent(name, garbage);
        } catch (error) {
          expect(String(error)).toContain(`Error: ${name} of ${garbage.length} bytes does not decode: `);
        }
      }),
    );
  });
});

const unlisted = { serviceType: 'ab', publisher: `0x${'0'.repeat(63)}1`, timestampMs: 5 };

describe('a text', () => {
  it('that is not UTF-8 is refused, not repaired', () => {
    const bytes = encodeRegistryEvent('Unlisted', unlisted);
    bytes[1] = 0xff;
    expect(() => decodeRegistryEvent('Unlisted', bytes)).toThrow(/does not decode: .*not valid/);
  });

  it('with a NUL character is refused, because no database row can hold it', () => {
    const bytes = encodeRegistryEvent('Unlisted', { ...unlisted, serviceType: 'a\0' });
    expect(() => decodeRegistryEvent('Unlisted', bytes)).toThrow('a text holds a NUL character');
  });

  it('keeps a byte order mark', () => {
    const event = { ...unlisted, serviceType: '\ufeffab' };
    expect(decodeRegistryEvent('Unlisted', encodeRegistryEvent('Unlisted', event))).toEqual(event);
  });
});

it('a number that JavaScript would round is refused', () => {
  const bytes = encodeRegistryEvent('Unlisted', unlisted);
  bytes.fill(0xff, bytes.length - 8);
  expect(() => decodeRegistryEvent('Unlisted', bytes)).toThrow(
    '18446744073709551615 is no version and no time',
  );
});

it('bytes beyond what the chain can emit are refused unread', () => {
  expect(() => decodeRegistryEvent('Unlisted', new Uint8Array(256_001))).toThrow('none above 256000');
});

it('only the four names are registry events', () => {
  expect(registryEventNames.every(isRegistryEventName)).toBe(true);
  expect(['registered', 'RuleRegistered', 'toString', ''].some(isRegistryEventName)).toBe(false);
});
