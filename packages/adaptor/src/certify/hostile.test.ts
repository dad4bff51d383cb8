import { join } from 'node:path';
import { parseModule } from '@adaptor-marketplace/move-bytecode';
import { moveToml } from '@adaptor-marketplace/move-toolchain/scratch-packages';
import { serialize } from '@mysten/move-bytecode-template';
import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { anyCode, changedBytes } from '../introspect/testing/hostile-bytecode.ts';
import { mill, wide } from '../introspect/testing/large-modules.ts';
import { moveDir, publishedFolders, publishedText } from '../introspect/testing/packages.ts';
import type { PackageContent } from '../packages/source.ts';
import { Certifier, CertifyTargetError, certify } from './certify.ts';
import { certificateHash } from './hash.ts';
import { linkProgram } from './testing/program.ts';

let wallet: PackageContent;
let subject: PackageContent;
let bytes: Uint8Array;

beforeAll(async () => {
  const folders = await publishedFolders([join(moveDir, 'wallet'), join(moveDir, 'adaptors/term_savings')]);
  wallet = await folders.read(folders.deriveId('wallet'));
  subject = await folders.read(folders.deriveId('term_savings'));
  bytes = subject.modules.get('term_savings')!;
});

const withModule = (module: Uint8Array): PackageContent => ({
  ...subject,
  modules: new Map([['term_savings', module]]),
});

/** Certifies all functions, whatever the bytes are. Returns the number of certificates. */
async function certifyAll(content: PackageContent): Promise<number> {
  const certifier = new Certifier(await linkProgram(content, [wallet]));
  const { targets } = certifier;
  for (const target of targets) certificateHash(certifier.certify(target));
  return targets.length;
}

test('bytes with any of them changed or missing give certificates or a refused target, and nothing else happens', async () => {
  await fc.assert(
    fc.asyncProperty(changedBytes(bytes), async (changed) => {
      const content = withModule(changed);
      if ((await certifyAll(content)) > 0) return;
      const program = await linkProgram(content, [wallet]);
      expect(() => certify(program, { module: 'term_savings', function: 'deposit' })).toThrow(
        CertifyTargetError,
      );
    }),
    { numRuns: 100 },
  );
});

test('code that no verifier would pass is certified within the bounds', async () => {
  const json = parseModule(bytes);
  let read = 0;
  await fc.assert(
    fc.asyncProperty(anyCode(json, 40), fc.nat(json.function_defs.length - 1), async (code, which) => {
      const changed = structuredClone(json);
      const definition = changed.function_defs[which]!;
      fc.pre(Boolean(definition.code));
      definition.code!.code = code;
      read += await certifyAll(withModule(serialize(changed)));
    }),
    { numRuns: 60 },
  );
  expect(read).toBeGreaterThan(0);
});

const depth = 120;
const floors = Array.from(
  { length: depth },
  (_, i) =>
    `public fun f${i}<T>(n: u64, to: &mut vector<u64>): u64 { f${i + 1}<Pair<T, T>>(n, to) + f${i + 1}<Pair<T, T>>(n, to) }\n`,
);
const tower = `module large::tower;
public struct Pair<phantom A, phantom B> {}
${floors.join('')}public fun f${depth}<T>(n: u64, to: &mut vector<u64>): u64 { to.push_back(n); n }
`;
const circle = `module large::circle;
use sui::coin::Coin;
use sui::sui::SUI;
${Array.from(
  { length: 40 },
  (_, i) =>
    `public fun g${i}(coin: Coin<SUI>, n: u64, to: address) { if (n > ${i}) g${(i * 7 + 1) % 40}(coin, n - 1, to) else g${(i * 11 + 3) % 40}(coin, n, @0x${i + 1}) }\n`,
).join('')}
public fun last(coin: Coin<SUI>, n: u64, to: address) {
  if (n == 0) transfer::public_transfer(coin, to) else g0(coin, n, to)
}
`;

test('towers of calls, loops within loops, wide structs and circles of calls cost no more than the bounds allow', async () => {
  const content = await publishedText({
    'Move.toml': moveToml('large'),
    'sources/tower.move': tower,
    'sources/mill.move': mill,
    'sources/wide.move': wide,
    'sources/circle.move': circle,
  });
  const certifier = new Certifier(await linkProgram(content, []));
  for (const target of certifier.targets) certificateHash(certifier.certify(target));
  expect(certifier.targets.length).toBe(depth + 1 + 1 + 1 + 41);
  const [first] = certifier
    .certify({ module: 'tower', function: 'f0' })
    .claims.filter(({ kind }) => kind === 'touches');
  expect(first).toMatchObject({ verdict: 'cannot' });
});

test('a function over a bound is unread as a whole', async () => {
  const content = await publishedText({ 'Move.toml': moveToml('large'), 'sources/mill.move': mill });
  const program = await linkProgram(content, []);
  const { claims } = certify(program, { module: 'mill', function: 'grind' }, { steps: 20 });
  const rests = claims.filter((claim) => 'rest' in claim && claim.kind !== 'witnessLeak');
  expect(rests.map(({ verdict }) => verdict)).toEqual(rests.map(() => 'unread'));
});
