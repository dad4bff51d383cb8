import fc from 'fast-check';
import { expect, test } from 'vitest';
import { briefBounds, briefCertificate } from './brief.ts';
import type { Certificate, Claim } from './claims.ts';

const id = (digit: string) => `0x${digit.repeat(64)}`;
const version = (originalId: string) => ({ originalId, id: originalId, version: '1' });

const brief = (claims: Claim[], functions: string[] = [], closure: string[] = []) =>
  briefCertificate({
    analysis: 1,
    package: version(id('a')),
    module: 'vault',
    function: 'deposit',
    parameters: ['u64'],
    closure: [id('a'), ...closure].map(version),
    claims,
    functions,
    writers: [],
    authorities: [],
  } satisfies Certificate);

const reads = (path: string, evidence: [number, number][] = []): Claim => ({
  kind: 'touches',
  verdict: 'may',
  access: 'reads',
  path,
  evidence,
});
const steers = (path: string, evidence: [number, number][] = []): Claim => ({
  kind: 'steers',
  verdict: 'may',
  reaches: 'amount',
  path,
  evidence,
});

test('what a function takes comes first, and each sentence names its claims and the calls down to an instruction', () => {
  const takes: Claim = {
    kind: 'takes',
    verdict: 'may',
    source: { kind: 'argument', parameter: 0 },
    type: 'T0',
    bounds: [{ kind: 'all' }],
    repeated: false,
    evidence: [[], [[1, 4]]],
  };
  const long = Array.from({ length: 12 }, (_, at): [number, number] => [0, at]);
  const path = `${id('c')}::pool::Pool.fee`;
  const made = brief([reads(path, long), takes, steers(path)], ['first', 'second'], [id('b'), id('c')]);
  expect(made.sentenceCount).toBe(3);
  expect(made.functions).toEqual(['second', 'first']);
  expect(made.packages).toEqual([{ name: '@P2', version: version(id('c')) }]);
  expect(made.sentences).toMatchObject([
    { kind: 'takes', claims: [1], path: [[0, 4]], callsBefore: 0 },
    { kind: 'steers', claims: [2], path: [], callsBefore: 0 },
    { kind: 'touches', claims: [0], path: long.slice(2).map(([, at]) => [1, at]), callsBefore: 2 },
  ]);
});

/** A name of `count` parts, each as long as the chain allows. */
const longName = (count: number) => Array.from({ length: count }, () => 'x'.repeat(128)).join('::');

test('the longest names leave in a sentence where the money goes and who decides', () => {
  const address = id('e');
  const from = [1, 2, 3].map((at) => ({ kind: 'state' as const, path: `${id('a')}::${longName(2)}.f${at}` }));
  const type = `${id('b')}::${longName(2)}`;
  const goesTo: Claim = {
    kind: 'goesTo',
    verdict: 'may',
    type,
    source: { kind: 'state', path: `${id('a')}::${longName(2)}[${type}]` },
    sink: { kind: 'constantAddress', address },
    decidedBy: [...from, { kind: 'sender' }],
    evidence: [],
  };
  const takes: Claim = {
    kind: 'takes',
    verdict: 'may',
    type,
    source: { kind: 'wallet', parameter: 0 },
    bounds: [...from.map((to) => ({ kind: 'equal' as const, to })), { kind: 'all' }],
    repeated: true,
    evidence: [],
  };
  const [first, second] = brief([goesTo, takes], [], [id('b')]).sentences;
  expect(first!.text).toMatch(/^Takes @P1::x+…x+ from the wallet: all of it, and exactly x+/);
  expect(first!.text).toMatch(/, more than once\.$/);
  expect(second!.text).toContain(` may go to ${address}, an address in the code, decided by x`);
  expect(second!.text).toMatch(/, the sender\.$/);
});

test('a sentence about many functions names those first that anyone can call, and counts the others', () => {
  const names = Array.from({ length: 400 }, (_, at) => `${id('a')}::vault::set_${at}`);
  const list = names.map((_, at) => ({ function: at, needs: at === 399 ? [] : [0], evidence: [] }));
  const certificate: Certificate = {
    analysis: 1,
    package: version(id('a')),
    module: 'vault',
    function: 'deposit',
    parameters: [],
    closure: [version(id('a'))],
    claims: [{ ...steers(`${id('a')}::vault::Vault.fee`), writers: 0 } as Claim],
    functions: names,
    writers: [{ list, others: 'cannot' }],
    authorities: [{ kind: 'capability', type: `${id('a')}::vault::Cap` }],
  };
  const [sentence] = briefCertificate(certificate).sentences;
  expect(sentence!.text).toMatch(
    /^vault::Vault\.fee decides an amount\. vault::set_399 \(called by anyone\), /,
  );
  expect(sentence!.text).toMatch(/ and \d+ more may change it\.$/);
});

test('a brief of any certificate is within its bounds, and keeps the first sentences', () => {
  const site = fc.tuple(fc.nat(30), fc.nat(1_000));
  const packages = Array.from({ length: 60 }, (_, at) => `0xf${at.toString(16).padStart(63, '0')}`);
  const path = fc
    .tuple(fc.constantFrom(...packages), fc.string({ maxLength: 900 }))
    .map(([address, name]) => `${address}::${name}`);
  const claim = fc
    .tuple(fc.constantFrom(reads, steers), path, fc.array(site, { maxLength: 48 }))
    .map(([make, text, evidence]) => make(text, evidence));
  const names = fc.array(fc.string({ maxLength: 4_000 }), { maxLength: 31 });
  fc.assert(
    fc.property(fc.array(claim, { maxLength: 150 }), names, (claims, functions) => {
      const made = brief(claims, functions, packages);
      expect(Buffer.byteLength(JSON.stringify(made.sentences))).toBeLessThanOrEqual(briefBounds.bytes);
      expect(Buffer.byteLength(JSON.stringify(made))).toBeLessThanOrEqual(briefBounds.bytes + 200);
      expect(made.sentences.length).toBeLessThanOrEqual(Math.min(briefBounds.sentences, made.sentenceCount));
      expect(made.packages.length).toBeLessThanOrEqual(briefBounds.packages);
      for (const { text, path: steps, claims: positions } of made.sentences) {
        expect(text.length).toBeLessThanOrEqual(briefBounds.text);
        expect(steps.length).toBeLessThanOrEqual(briefBounds.path);
        for (const [at] of steps) expect(made.functions[at]).toBeDefined();
        for (const at of positions) expect(claims[at]).toBeDefined();
      }
    }),
    { numRuns: 40 },
  );
});
