import { join } from 'node:path';
import { moveToml, scratchPackages } from '@adaptor-marketplace/move-toolchain/scratch-packages';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { publishedFolders } from '../introspect/testing/packages.ts';
import { Certifier } from './certify.ts';
import { describeChanges } from './change-text.ts';
import type { Authority, Certificate, Claim, Origin, RestClaim, Source, Writers } from './claims.ts';
import { compareCertificates, OtherAnalysisError } from './compare.ts';
import { linkProgram } from './testing/program.ts';

const id = (digit: string) => `0x${digit.repeat(64)}`;
const own = id('a');
const path = (name: string) => `${own}::vault::Vault.${name}`;
const sui = `${'0x'.padEnd(65, '0')}2::sui::SUI`;

const certificate = (claims: Claim[], rest: Partial<Certificate> = {}): Certificate => ({
  analysis: 1,
  package: { originalId: own, id: own, version: '1' },
  module: 'vault',
  function: 'deposit',
  parameters: ['u64', 'u64'],
  closure: [{ originalId: own, id: own, version: '1' }],
  claims,
  functions: [],
  writers: [],
  authorities: [],
  ...rest,
});

const kinds = [
  'takes',
  'goesTo',
  'comesBack',
  'touches',
  'gate',
  'steers',
  'droppedCheck',
  'witnessLeak',
] as const;
const closed = (open: readonly string[] = []): RestClaim[] =>
  kinds.map((kind) => ({ kind, rest: true, verdict: open.includes(kind) ? 'unread' : 'cannot' }));

const anyName = fc.constantFrom('fee', 'owner', 'paused');
const anyPath = anyName.map(path);
const anyOrigin: fc.Arbitrary<Origin> = fc.oneof(
  fc.record({ kind: fc.constant('argument' as const), parameter: fc.nat(1) }),
  fc.record({ kind: fc.constant('state' as const), path: anyPath }),
  fc.constant<Origin>({ kind: 'sender' }),
);
const anySource: fc.Arbitrary<Extract<Source, { kind: 'wallet' | 'argument' }>> = fc.record({
  kind: fc.constantFrom('wallet' as const, 'argument' as const),
  parameter: fc.nat(1),
});
const anyType = fc.constantFrom(sui, 'T0');
const evidence = fc.constantFrom<[number, number][]>([], [[0, 3]]);
const anyBound = fc.oneof(
  fc.record({ kind: fc.constant('equal' as const), to: anyOrigin }),
  fc.constant({ kind: 'all' as const }),
  fc.record({ kind: fc.constant('unbounded' as const), from: fc.array(anyOrigin, { maxLength: 2 }) }),
);
const writersCount = 3;

/** A claim that the code may do something, or that some was not read. */
const anyClaim: fc.Arbitrary<Claim> = fc.oneof(
  fc.record({
    kind: fc.constant('takes' as const),
    verdict: fc.constant('may' as const),
    source: anySource,
    type: anyType,
    bounds: fc.array(anyBound, { minLength: 1, maxLength: 3 }),
    repeated: fc.boolean(),
    evidence: evidence.map((one) => [one]),
  }),
  fc.record({
    kind: fc.constant('goesTo' as const),
    verdict: fc.constantFrom('may' as const, 'always' as const),
    source: anySource,
    sink: fc.constantFrom(
      { kind: 'sender' as const },
      { kind: 'kept' as const, path: path('held') },
      { kind: 'constantAddress' as const, address: id('b') },
    ),
    type: anyType,
    decidedBy: fc.array(anyOrigin, { maxLength: 2 }),
    evidence: evidence.map((one) => [one]),
  }),
  fc.record({
    kind: fc.constant('comesBack' as const),
    verdict: fc.constant('may' as const),
    sink: fc.constant({ kind: 'sender' as const }),
    type: anyType,
    sources: fc.array(anySource, { maxLength: 2 }),
  }),
  fc.record({
    kind: fc.constant('touches' as const),
    verdict: fc.constant('may' as const),
    access: fc.constantFrom('reads' as const, 'writes' as const),
    path: anyPath,
    evidence,
  }),
  fc.record({
    kind: fc.constant('gate' as const),
    verdict: fc.constant('may' as const),
    on: anyOrigin,
    writers: fc.nat(writersCount - 1),
    evidence,
  }),
  fc.record({
    kind: fc.constant('steers' as const),
    verdict: fc.constant('may' as const),
    path: anyPath,
    reaches: fc.constantFrom('amount' as const, 'recipient' as const),
    writers: fc.nat(writersCount - 1),
    evidence,
  }),
  fc.record({
    kind: fc.constant('droppedCheck' as const),
    verdict: fc.constant('may' as const),
    check: anyName,
    evidence,
  }),
  fc.record({
    kind: fc.constant('witnessLeak' as const),
    verdict: fc.constant('may' as const),
    witness: anyName,
    function: anyName,
  }),
  fc.record({
    kind: fc.constant('notRead' as const),
    verdict: fc.constant('unread' as const),
    reason: fc.constantFrom('package' as const, 'bound' as const),
    what: anyName,
    evidence,
  }),
);

const anyWriters: fc.Arbitrary<Writers> = fc.record({
  list: fc.array(
    fc.record({
      function: fc.nat(1),
      needs: fc.subarray([0, 1]),
      evidence,
    }),
    { maxLength: 2 },
  ),
  others: fc.constantFrom('cannot' as const, 'unread' as const),
});
const authorities: Authority[] = [
  { kind: 'capability', type: `${own}::vault::Admin` },
  { kind: 'constantSender', address: id('c') },
];
const tables = { functions: [`${own}::vault::set_fee`, `${own}::vault::set_owner`], authorities };

const anyCertificate: fc.Arbitrary<Certificate> = fc
  .record({
    claims: fc.array(anyClaim, { maxLength: 6 }),
    open: fc.subarray([...kinds]),
    writers: fc.array(anyWriters, { minLength: writersCount, maxLength: writersCount }),
  })
  .map(({ claims, open, writers }) => certificate([...claims, ...closed(open)], { ...tables, writers }));

describe('for any certificates', () => {
  test('one has no change to itself, and evidence, the order of fields and the id of the upgraded package are none', () => {
    fc.assert(
      fc.property(anyCertificate, (before) => {
        const withoutEvidence = before.claims.map((claim) =>
          'evidence' in claim ? ({ ...claim, evidence: [] } as Claim) : claim,
        );
        const reversed = (_: string, value: unknown) =>
          typeof value === 'object' && value !== null && !Array.isArray(value)
            ? Object.fromEntries(Object.entries(value).reverse())
            : value;
        const upgraded = { originalId: own, id: id('d'), version: '2' };
        const after: Certificate = {
          ...JSON.parse(JSON.stringify({ ...before, claims: withoutEvidence }, reversed)),
          package: upgraded,
          closure: [upgraded],
        };
        expect(compareCertificates(before, after)).toMatchObject({ changes: [], widens: false });
        expect(compareCertificates(after, before)).toMatchObject({ changes: [], widens: false });
      }),
    );
  });

  test('a further claim is wider, also in code that was not read', () => {
    fc.assert(
      fc.property(anyCertificate, anyClaim, fc.nat(6), (before, claim, at) => {
        const after = { ...before, claims: before.claims.toSpliced(at, 0, claim) };
        const { widens, changes } = compareCertificates(before, after);
        expect(widens).toBe(true);
        expect(changes).toContainEqual(expect.objectContaining({ widens: true }));
      }),
    );
  });

  test('what is not wider in either direction is the same', () => {
    fc.assert(
      fc.property(anyCertificate, anyCertificate, (one, other) => {
        const [there, back] = [compareCertificates(one, other), compareCertificates(other, one)];
        if (!there.widens && !back.widens) expect(there.changes).toEqual([]);
        expect(there.changes.length === 0).toBe(back.changes.length === 0);
      }),
    );
  });

  test('widening is transitive: two steps that are not wider are not wider together', () => {
    fc.assert(
      fc.property(anyCertificate, fc.infiniteStream(fc.boolean()), (first, keeps) => {
        const drop = (one: Certificate): Certificate => {
          const claims = one.claims.filter((claim) => 'rest' in claim || keeps.next().value);
          return { ...one, claims };
        };
        const second = drop(first);
        const third = drop(second);
        const steps = [compareCertificates(first, second), compareCertificates(second, third)];
        if (steps.every(({ widens }) => !widens))
          expect(compareCertificates(first, third).widens).toBe(false);
      }),
    );
  });

  test('each change has a sentence, within the bounds', () => {
    fc.assert(
      fc.property(fc.option(anyCertificate), anyCertificate, (before, after) => {
        const compared = compareCertificates(before, after);
        const { sentences, sentenceCount } = describeChanges(compared, { before, after });
        expect(sentenceCount > 0).toBe(compared.changes.length > 0);
        expect(sentences.some(({ widens }) => widens)).toBe(compared.widens);
        for (const { text, formerText } of sentences) {
          expect(text).not.toBe('');
          expect(`${text} ${formerText}`).not.toContain('undefined');
        }
      }),
    );
  });
});

const takes = (...bounds: Extract<Claim, { kind: 'takes'; bounds: unknown }>['bounds']): Claim => ({
  kind: 'takes',
  verdict: 'may',
  source: { kind: 'argument', parameter: 0 },
  type: sui,
  bounds,
  repeated: false,
  evidence: [],
});
const exactly = (parameter: number) => ({
  kind: 'equal' as const,
  to: { kind: 'argument' as const, parameter },
});
const all = { kind: 'all' as const };

/** Returns the changes between claims, as `change kind`, with `!` for one that widens. */
const list = (before: Claim[], after: Claim[], writers: Writers[] = []) =>
  compareCertificates(
    certificate(before, { ...tables, writers }),
    certificate(after, { ...tables, writers }),
  ).changes.map(
    ({ change, widens, ...one }) => `${change} ${(one.after ?? one.before)!.kind}${widens ? '!' : ''}`,
  );

test('a larger amount is wider, and a smaller one is narrower', () => {
  expect(list([takes(exactly(1))], [takes(all)])).toEqual(['wider takes!']);
  expect(list([takes(all)], [takes(exactly(1))])).toEqual(['narrower takes']);
  expect(list([takes(exactly(1))], [takes(exactly(1), exactly(1))])).toEqual(['wider takes!']);
  expect(list([takes(exactly(0), exactly(1))], [takes(exactly(1))])).toEqual(['narrower takes']);
  expect(list([takes(all)], [takes(all, exactly(1))])).toEqual(['wider takes!']);
  expect(list([takes(exactly(1))], [takes(exactly(0))])).toEqual(['wider takes!']);
});

test('a writer that is new or needs less is wider, and one that needs more is narrower', () => {
  const none: Writers = { list: [], others: 'cannot' };
  const writer = (...needs: number[]): Writers => ({
    list: [{ function: 0, needs, evidence: [] }],
    others: 'cannot',
  });
  const open: Writers = { list: [], others: 'unread' };
  const writers = [none, writer(0), writer(), writer(0, 1), open];
  const steers = (at: number): Claim[] => [
    { kind: 'steers', verdict: 'may', path: path('fee'), reaches: 'amount', writers: at, evidence: [] },
  ];
  expect(list(steers(0), steers(1), writers)).toEqual(['wider steers!']);
  expect(list(steers(1), steers(2), writers)).toEqual(['wider steers!']);
  expect(list(steers(1), steers(3), writers)).toEqual(['narrower steers']);
  expect(list(steers(1), steers(0), writers)).toEqual(['narrower steers']);
  expect(list(steers(0), steers(4), writers)).toEqual(['wider steers!']);
});

test('a check, a return and a promise that are gone are wider; other claims that are gone are narrower', () => {
  const gate: Claim = { kind: 'gate', verdict: 'may', on: { kind: 'sender' }, evidence: [] };
  const back: Claim = { kind: 'comesBack', verdict: 'may', sink: { kind: 'sender' }, type: sui, sources: [] };
  const dropped: Claim = { kind: 'droppedCheck', verdict: 'may', check: 'is_owner', evidence: [] };
  const nothing: Claim = { ...takes(), verdict: 'cannot' } as Claim;
  expect(list([gate, back, nothing], [])).toEqual(['gone gate!', 'gone comesBack!', 'gone takes!']);
  expect(list([dropped, takes(all)], [])).toEqual(['gone droppedCheck', 'gone takes']);
  expect(list(closed(), closed(['goesTo']))).toEqual(['wider goesTo!']);
  expect(list(closed(['goesTo']), closed())).toEqual(['narrower goesTo']);
});

test('rights to upgrade are wider with a larger policy, another holder, or without a version gate', () => {
  const upgrade = (facts: object, versionGates: string[] = []) =>
    ({ kind: 'upgrade', verdict: 'may', facts: { olderVersions: 0, ...facts }, versionGates }) as Claim;
  const holder = { kind: 'address', id: id('e') };
  const additive = upgrade({ policy: 'additive', holder });
  expect(list([additive], [upgrade({ policy: 'compatible', holder })])).toEqual(['wider upgrade!']);
  expect(list([upgrade({ policy: 'compatible', holder })], [additive])).toEqual(['narrower upgrade']);
  const another = { ...holder, id: id('f') };
  expect(list([additive], [upgrade({ policy: 'additive', holder: another })])).toEqual(['wider upgrade!']);
  const gated = upgrade({ policy: 'additive', holder }, [path('version')]);
  expect(list([gated], [additive])).toEqual(['wider upgrade!']);
  expect(list([additive], [gated])).toEqual(['narrower upgrade']);
  expect(list([additive], [upgrade({ policy: 'additive', holder, olderVersions: 3 })])).toEqual([]);
});

test('all of a function that was not there, or had other parameters, is new', () => {
  const after = certificate([takes(all), ...closed(['gate'])]);
  const expected = [
    { change: 'new', widens: true, after: takes(all) },
    { change: 'new', widens: true, after: { kind: 'gate', rest: true, verdict: 'unread' } },
  ];
  expect(compareCertificates(null, after).changes).toEqual(expected);
  const other = { ...after, parameters: ['u64'] };
  expect(compareCertificates(other, after)).toEqual({ changes: expected, widens: true, unread: true });
});

test('certificates of two versions of the analysis are not compared', () => {
  expect(() => compareCertificates({ ...certificate([]), analysis: 2 }, certificate([]))).toThrow(
    OtherAnalysisError,
  );
});

test('the words are those of the certificates, first what widens', () => {
  const dropped: Claim = {
    kind: 'droppedCheck',
    verdict: 'may',
    check: `${id('b')}::pool::is_open`,
    evidence: [],
  };
  const version = (originalId: string) => ({ originalId, id: originalId, version: '1' });
  const before = certificate([takes(exactly(1)), dropped], { closure: [own, id('b')].map(version) });
  const after = certificate([takes(all), ...closed(['goesTo'])], { closure: [own, id('c')].map(version) });
  const { sentences, packages } = describeChanges(compareCertificates(before, after), { before, after });
  expect(sentences.map(({ change, text, formerText }) => [change, text, formerText])).toEqual([
    [
      'wider',
      'Takes 0x2::sui::SUI from argument 1 (u64): all of it.',
      'Takes 0x2::sui::SUI from argument 1 (u64): exactly argument 2 (u64).',
    ],
    ['new', 'Code that was not read may send it elsewhere.', null],
    ['gone', 'Calls @P2::pool::is_open and ignores its result.', null],
  ]);
  expect(packages).toEqual([{ name: '@P2', version: version(id('b')) }]);
});

const source = (body: string) => `module probe::till;
use sui::coin::Coin;
use sui::sui::SUI;
public struct Till has key { id: UID, treasury: address, open: bool }
public struct Admin has key, store { id: UID }
fun init(ctx: &mut TxContext) {
    transfer::share_object(Till { id: object::new(ctx), treasury: ctx.sender(), open: true });
    transfer::transfer(Admin { id: object::new(ctx) }, ctx.sender())
}
${body}`;
const guarded = 'public fun set_treasury(till: &mut Till, _: &Admin, to: address) { till.treasury = to }';
const unguarded = guarded.replace('_: &Admin, ', '');
const pays = (to: string, check = 'assert!(till.open, 0);') =>
  `public fun pay(till: &Till, coin: Coin<SUI>, ctx: &TxContext) { ${check} let _ = ctx; transfer::public_transfer(coin, ${to}) }`;

test('in compiled code, a recipient, a writer and a check that change are wider, and code that only moves is not', async () => {
  const bodies = {
    first: `${guarded} ${pays('till.treasury')}`,
    moved: `fun unused(): u64 { 7 } ${pays('till.treasury')} ${guarded}`,
    to_constant: `${guarded} ${pays('@0xbad')}`,
    written_by_anyone: `${unguarded} ${pays('till.treasury')}`,
    without_check: `${guarded} ${pays('till.treasury', '')}`,
  };
  const certify = async (body: string) => {
    await using scratch = await scratchPackages({
      probe: { 'Move.toml': moveToml('probe'), 'sources/till.move': source(body) },
    });
    const folders = await publishedFolders([join(scratch.dir, 'probe')]);
    const program = await linkProgram(await folders.read(folders.deriveId('probe')), []);
    return new Certifier(program).certify({ module: 'till', function: 'pay' });
  };
  const made: Record<string, Certificate> = {};
  for (const [name, body] of Object.entries(bodies)) made[name] = await certify(body);
  const compare = (name: string) => compareCertificates(made.first!, made[name]!);
  const listKinds = (name: string) =>
    new Set(
      compare(name)
        .changes.filter(({ widens }) => widens)
        .map((one) => (one.after ?? one.before)!.kind),
    );
  expect(compare('moved')).toMatchObject({ changes: [], widens: false });
  expect(listKinds('to_constant')).toContain('goesTo');
  expect(listKinds('written_by_anyone')).toEqual(new Set(['steers']));
  expect(listKinds('without_check')).toEqual(new Set(['gate']));
});
