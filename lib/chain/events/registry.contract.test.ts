import { join } from 'node:path';
import type { PackageFiles } from '@adaptor-marketplace/move-toolchain';
import { readPackage } from '@adaptor-marketplace/move-toolchain/sources';
import { testSources } from '@adaptor-marketplace/move-toolchain/test-package';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { moveDir } from '../../contracts/move-dir.ts';
import { type RegistryEvents, registryEvents } from './registry.ts';

/** Arguments that a publisher and an attester pass to the contract, within its bounds. */
interface Calls {
  publisher: string;
  attester: string;
  packageId: string;
  upgradedId: string;
  module: string;
  manifestUri: string;
  manifestHash: string;
  commentUri: string;
  score: number;
  updates: number;
  timestampMs: number;
}

const address = fc
  .uint8Array({ minLength: 32, maxLength: 32 })
  .map((bytes) => `0x${Buffer.from(bytes).toString('hex')}`);

const uri = (minLength: number) =>
  fc
    .string({ unit: 'grapheme', minLength, maxLength: 100 })
    .filter((text) => !text.includes('\0') && Buffer.byteLength(text) <= 512);

const anyCalls: fc.Arbitrary<Calls> = fc
  .record({
    publisher: address,
    attester: address,
    packageId: address,
    upgradedId: address,
    module: fc.stringMatching(/^[a-z][a-z0-9_]{0,60}$/),
    manifestUri: uri(1),
    manifestHash: fc
      .uint8Array({ minLength: 32, maxLength: 32 })
      .map((bytes) => Buffer.from(bytes).toString('hex')),
    commentUri: uri(0),
    score: fc.integer({ min: 1, max: 5 }),
    updates: fc.integer({ min: 1, max: 4 }),
    timestampMs: fc.maxSafeNat(),
  })
  .filter(({ publisher, attester }) => publisher !== attester);

const buildServiceType = ({ packageId, module }: Calls) => `${packageId}::${module}::Witness`;

/** The events that those calls must lead to, one of each name. */
function expectedEvents(calls: Calls): RegistryEvents {
  const { publisher, attester, packageId, upgradedId, manifestUri, manifestHash, timestampMs } = calls;
  const serviceType = buildServiceType(calls);
  const version = 1 + calls.updates;
  const listing = { serviceType, publisher, manifestUri, manifestHash, timestampMs };
  return {
    Registered: { ...listing, packageId, version: 1 },
    Updated: { ...listing, packageId: upgradedId, version },
    Attested: {
      serviceType,
      attester,
      score: calls.score,
      commentUri: calls.commentUri,
      timestampMs,
      publisher,
      version,
    },
    Unlisted: { serviceType, publisher, timestampMs, packageId: upgradedId, version },
  };
}

const hex = (text: string | Uint8Array) => `x"${Buffer.from(text).toString('hex')}"`;

/** A Move function that makes the calls and returns the BCS bytes of the four events, in the order of the names. */
function moveFunction(name: string, calls: Calls): string {
  const serviceType = `${hex(buildServiceType(calls))}.to_string()`;
  const manifest = `${hex(calls.manifestUri)}.to_string(), x"${calls.manifestHash}", &clock, test.ctx()`;
  return `
fun ${name}(): vector<vector<u8>> {
    let mut test = scenario::begin(@${calls.publisher});
    registry::init_for_testing(test.ctx());
    test.next_tx(@${calls.publisher});
    let mut registry = test.take_shared<Registry>();
    let mut clock = clock::create_for_testing(test.ctx());
    clock.set_for_testing(${calls.timestampMs});
    registry::register(&mut registry, @${calls.packageId}, ${serviceType}, ${manifest});
    let registered = bcs::to_bytes(&event::events_by_type<Registered>()[0]);
    ${calls.updates}u64.do!(|_| {
        registry::update(&mut registry, ${serviceType}, @${calls.upgradedId}, ${manifest});
    });
    let updated = bcs::to_bytes(&event::events_by_type<Updated>()[${calls.updates - 1}]);
    test.next_tx(@${calls.attester});
    let comment = ${hex(calls.commentUri)}.to_string();
    registry::attest(&registry, ${serviceType}, ${calls.score}, comment, &clock, test.ctx());
    let attested = bcs::to_bytes(&event::events_by_type<Attested>()[0]);
    test.next_tx(@${calls.publisher});
    registry::unlist(&mut registry, ${serviceType}, &clock, test.ctx());
    let unlisted = bcs::to_bytes(&event::events_by_type<Unlisted>()[0]);
    scenario::return_shared(registry);
    clock.destroy_for_testing();
    test.end();
    vector[registered, updated, unlisted, attested]
}
`;
}

async function withTests(body: string): Promise<PackageFiles> {
  const head = `#[test_only]
module adaptor_registry::contract_tests;

use adaptor_registry::registry::{Self, Attested, Registered, Registry, Unlisted, Updated};
use std::bcs;
use sui::clock;
use sui::event;
use sui::test_scenario as scenario;
`;
  return { ...(await readPackage(join(moveDir, 'registry'))), 'tests/contract_tests.move': head + body };
}

/**
 * Bytes in one abort code. Abort codes are the only output of the Move VM. A code with its highest bit set is printed
 * differently, so a code holds seven bytes and not eight.
 */
const bytesPerCode = 7;

describe('the registry contract and our codecs', () => {
  it('agree on the bytes of every event: what we encode is what the contract emits', async () => {
    const samples = fc.sample(anyCalls, 20);
    const tests = samples.map((calls, index) => {
      const events = expectedEvents(calls);
      const asserts = registryEvents.names.map(
        (name, position) =>
          `    assert!(events[${position}] == ${hex(registryEvents.encode(name, events[name]))}, ${position});`,
      );
      const test = `\n#[test]\nfun test_${index}() {\n    let events = calls_${index}();\n${asserts.join('\n')}\n}\n`;
      return moveFunction(`calls_${index}`, calls) + test;
    });
    const run = await testSources(await withTests(tests.join('')));
    expect(run.tests.length).toBe(samples.length);
    expect(run.failed, `${run.output}\n${JSON.stringify(samples)}`).toBe(0);
  });

  it('agree on the values of every event: what the contract emits is what we decode', async () => {
    const calls = fc.sample(anyCalls, 1)[0]!;
    const expected = expectedEvents(calls);
    const emitted = await bytesFromMove(moveFunction('calls', calls));
    registryEvents.names.forEach((name, position) => {
      expect(registryEvents.decode(name, emitted[position]!)).toEqual(expected[name]);
    });
  });
});

/** The byte strings that the Move function `calls` returns, one for each event name. */
async function bytesFromMove(moveFunction: string): Promise<Uint8Array[]> {
  const lengths = await abortCodes(
    moveFunction +
      registryEvents.names.map((_, event) => abortTest(`${event}`, `calls()[${event}].length()`)).join(''),
  );
  const words = registryEvents.names.flatMap((_, event) =>
    Array.from({ length: Math.ceil(Number(lengths.get(`${event}`)) / bytesPerCode) }, (_, word) =>
      abortTest(`${event}_${word}`, `word(&calls()[${event}], ${word})`),
    ),
  );
  const wordFunction = `
fun word(bytes: &vector<u8>, word: u64): u64 {
    let mut code = 0;
    ${bytesPerCode}u64.do!(|i| {
        let at = word * ${bytesPerCode} + i;
        if (at < bytes.length()) code = code | ((bytes[at] as u64) << ((8 * i) as u8));
    });
    code
}
`;
  const codes = await abortCodes(moveFunction + wordFunction + words.join(''));
  return registryEvents.names.map((_, event) => {
    const length = Number(lengths.get(`${event}`));
    return Uint8Array.from({ length }, (_, at) => {
      const code = codes.get(`${event}_${Math.floor(at / bytesPerCode)}`)!;
      return Number((code >> BigInt(8 * (at % bytesPerCode))) & 0xffn);
    });
  });
}

const abortTest = (name: string, code: string) => `\n#[test]\nfun test_${name}() {\n    abort ${code}\n}\n`;

/** Runs tests that each end in an abort. Returns their codes by name. */
async function abortCodes(body: string): Promise<Map<string, bigint>> {
  const { output } = await testSources(await withTests(body));
  const failures = output.split('┌── test_').slice(1);
  return new Map(
    failures.map((failure) => {
      const code = /aborted with code (\d+)/.exec(failure)?.[1];
      expect(code, failure).toBeDefined();
      return [failure.slice(0, failure.indexOf(' ')), BigInt(code!)];
    }),
  );
}
