import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { agentsEvents } from './agents.ts';
import { buildEventArbitrary } from './arbitraries.ts';
import { escrowEvents } from './escrow.ts';
import { registryEvents } from './registry.ts';
import { rulesEvents } from './rules.ts';
import { walletEvents } from './wallet.ts';

const packages = {
  registry: registryEvents,
  wallet: walletEvents,
  rules: rulesEvents,
  agents: agentsEvents,
  escrow: escrowEvents,
};

/** One event of one package, with the types of its fields forgotten. */
function subject(packageName: keyof typeof packages, name: string) {
  // biome-ignore lint/suspicious/noExplicitAny: the events of all packages are treated alike
  const codec: any = packages[packageName];
  const { leading, appended } = codec.layouts[name];
  return {
    arbitrary: buildEventArbitrary<Record<string, Record<string, unknown>>, string>(codec, name),
    encode: (event: object): Uint8Array => codec.encode(name, event),
    decode: (bytes: Uint8Array): object => codec.decode(name, bytes),
    leading: Object.keys(leading),
    appended: Object.keys(appended),
  };
}

const only = (event: Record<string, unknown>, fields: string[]) =>
  Object.fromEntries(fields.map((field) => [field, event[field]]));

const everyEvent = (Object.keys(packages) as (keyof typeof packages)[]).flatMap((packageName) =>
  packages[packageName].names.map((name) => [packageName, name] as const),
);

describe.each(everyEvent)('%s %s', (packageName, name) => {
  const { arbitrary, encode, decode, leading, appended } = subject(packageName, name);

  it('is read back as it was written', () => {
    fc.assert(
      fc.property(arbitrary, (event) => {
        expect(decode(encode(event))).toEqual(event);
      }),
      { numRuns: 10 },
    );
  });

  it('is read without the fields that a later deployment appends', () => {
    fc.assert(
      fc.property(arbitrary, fc.uint8Array({ maxLength: 300 }), (event, more) => {
        expect(decode(Buffer.concat([encode(event), more]))).toEqual(event);
      }),
      { numRuns: 10 },
    );
  });

  it('cut between appended fields is what a deployment without them emits; cut anywhere else it is refused', () => {
    fc.assert(
      fc.property(arbitrary, (event) => {
        const bytes = encode(event);
        const shorter = new Map<number, object>();
        for (let kept = 0; kept <= appended.length; kept++) {
          const part = only(event, [...leading, ...appended.slice(0, kept)]);
          shorter.set(encode(part).length, part);
        }
        for (let length = 0; length <= bytes.length; length++) {
          const part = shorter.get(length);
          if (part) expect(decode(bytes.subarray(0, length))).toEqual(part);
          else expect(() => decode(bytes.subarray(0, length))).toThrow('does not decode');
        }
      }),
      { numRuns: 3 },
    );
  });

  it('never fails on garbage but with an error that names the event', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 1000 }), (garbage) => {
        try {
          decode(garbage);
        } catch (error) {
          expect(String(error)).toContain(`Error: ${name} of ${garbage.length} bytes does not decode: `);
        }
      }),
      { numRuns: 10 },
    );
  });
});

it.each(Object.entries(packages))('%s knows its own events alone', (_, codec) => {
  expect(codec.names.every((name) => codec.isName(name))).toBe(true);
  expect(['registered', 'wallet::walletcreated', 'toString', ''].some((name) => codec.isName(name))).toBe(
    false,
  );
});

const wallet = `0x${'0'.repeat(63)}1`;
const sui = `0x${'0'.repeat(63)}2::sui::SUI`;

it('an amount may be any u64, to the last unit', () => {
  const event = { walletId: wallet, service: sui, coin: sui, allowance: '18446744073709551615' };
  expect(
    walletEvents.decode('wallet::ServiceGranted', walletEvents.encode('wallet::ServiceGranted', event)),
  ).toEqual(event);
});

it('a moment that means never is the last of a Date, not an error', () => {
  const bytes = walletEvents.encode('delegate::ExpiryChanged', {
    walletId: wallet,
    delegate: wallet,
    expiresAtMs: 5,
  });
  bytes.fill(0xff, bytes.length - 8);
  const { expiresAtMs } = walletEvents.decode('delegate::ExpiryChanged', bytes);
  expect(new Date(expiresAtMs!).getUTCFullYear()).toBe(275_760);
});

it('a kind of rule that there is not is refused', () => {
  const event = {
    ruleType: '',
    packageId: wallet,
    publisher: wallet,
    kind: 'caveat' as const,
    manifestUri: '',
    manifestHash: '',
    version: 1,
    timestampMs: 1,
  };
  const bytes = rulesEvents.encode('registry::Registered', event);
  bytes[1 + 32 + 32] = 2;
  expect(() => rulesEvents.decode('registry::Registered', bytes)).toThrow(
    '2 stands for none of auth, caveat',
  );
});

const unlisted = { serviceType: 'ab', publisher: wallet, timestampMs: 5 };

describe('a text', () => {
  it('that is not UTF-8 is refused, not repaired', () => {
    const bytes = registryEvents.encode('Unlisted', unlisted);
    bytes[1] = 0xff;
    expect(() => registryEvents.decode('Unlisted', bytes)).toThrow(/does not decode: .*not valid/);
  });

  it('with a NUL character is refused, because no database row can hold it', () => {
    const bytes = registryEvents.encode('Unlisted', { ...unlisted, serviceType: 'a\0' });
    expect(() => registryEvents.decode('Unlisted', bytes)).toThrow('a text holds a NUL character');
  });

  it('keeps a byte order mark', () => {
    const event = { ...unlisted, serviceType: '\ufeffab' };
    expect(registryEvents.decode('Unlisted', registryEvents.encode('Unlisted', event))).toEqual(event);
  });
});

it('a number that JavaScript would round is refused', () => {
  const bytes = registryEvents.encode('Unlisted', unlisted);
  bytes.fill(0xff, bytes.length - 8);
  expect(() => registryEvents.decode('Unlisted', bytes)).toThrow(
    '18446744073709551615 is not a version or a time',
  );
});

it('bytes beyond what the chain can emit are refused unread', () => {
  expect(() => registryEvents.decode('Unlisted', new Uint8Array(256_001))).toThrow('none above 256000');
});
