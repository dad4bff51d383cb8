import { expect, test } from 'vitest';
import { manifestHash } from '../manifest/hash.ts';
import { manifestSchema } from '../manifest/manifest.ts';
import { draftListing, type ListingFacts } from './listing.ts';
import { collectProvidedValues } from './required-values.ts';
import { selectOps } from './select-ops.ts';
import { address, callers, op, packageId, param, past, poolType, sui, usd } from './testing/ops.ts';

const pool = { id: address('900'), type: `${poolType}<${sui}, ${usd}>` };
const swap = op({ entry: 'swap_a_to_b' });
const tip = op({
  entry: 'tip',
  intentMode: 'A',
  coinsIn: [sui],
  coinsOut: [],
  typeParams: [],
  params: [param('wallet'), param('amount')],
});
const begin = op({
  entry: 'begin',
  executable: false,
  reason: { code: 'returns_value', detail: 'It returns a value that must be used.' },
});
const witness = { module: 'dex', name: 'Dex', serviceType: `${packageId}::dex::Dex`, warnings: [] };

function facts(more: Partial<ListingFacts> = {}): ListingFacts {
  const ops = [swap, tip, begin];
  const calls = past(swap, { objects: { 1: [pool] }, types: [[sui], [usd]] });
  return {
    values: collectProvidedValues(more.ops ?? ops, {}),
    packageId,
    network: 'testnet',
    name: 'Dex',
    summary: 'Swaps.',
    witness,
    ops,
    foreign: [],
    objects: [],
    past: new Map([[swap.fqn, calls]]),
    ...more,
  };
}

test('a manifest names what can be called, with the coins that past calls moved', () => {
  const { manifest, manifestHash: hash } = draftListing(facts({ integrator: 'acme' }));
  expect(manifestSchema.parse(manifest)).toMatchObject({
    name: 'Dex',
    summary: 'Swaps.',
    category: 'Swap',
    serviceType: witness.serviceType,
    packageId,
    supportedCoins: [sui, usd],
    integrator: 'acme',
    networks: ['testnet'],
    ops: [
      { kind: 'swap', module: 'dex', entry: 'swap_a_to_b', label: 'Swap a to b', intentMode: 'D' },
      { kind: 'pay', entry: 'tip', intentMode: 'A', call: { typeArgs: [] } },
    ],
  });
  expect(hash).toBe(manifestHash(manifest));
});

test('a manifest says what its publisher says beside it, and has no field for what was not said', () => {
  const details = { docsUrl: 'https://dex.example/docs', auditUrl: undefined, feeBps: 0, glyph: 'D' };
  const { manifest } = draftListing(facts({ details }));
  expect(manifest).toMatchObject({ docsUrl: 'https://dex.example/docs', feeBps: 0, glyph: 'D' });
  expect(manifest).not.toHaveProperty('auditUrl');
  expect(manifest).not.toHaveProperty('repoUrl');
});

test('the warnings list what was left out, what is missing, and what strangers’ calls decided', () => {
  const told = ({ warnings }: ReturnType<typeof draftListing>) =>
    warnings.map(({ code, op }) => ({ code, op }));
  expect(told(draftListing(facts()))).toEqual([
    { code: 'not_executable', op: 'dex::begin' },
    { code: 'object_from_past_calls', op: undefined },
  ]);
  const late = draftListing(
    facts({ ops: [swap], past: new Map([[swap.fqn, { unknown: 'The node took too long.' }]]) }),
  );
  expect(told(late)).toEqual([{ code: 'no_call', op: 'dex::swap_a_to_b' }]);
  expect(late.warnings[0]?.detail).toContain('The node took too long.');
  expect(late.manifest.ops).toEqual([]);
  expect([late.manifest.category, late.manifest.supportedCoins]).toEqual(['Swap', undefined]);
  expect(told(draftListing(facts({ ops: [] })))).toEqual([{ code: 'no_ops', op: undefined }]);
});

test('what is wrong with the witness comes first, and an op that no action can call has no call', () => {
  const warning = { code: 'witness_returned', detail: 'Anyone can get a value.' } as const;
  const hidden = op({
    entry: 'pay',
    visibility: 'private',
    isEntry: true,
    executable: false,
    reason: { code: 'needs_public', detail: 'It is private: make it public fun.' },
  });
  const { manifest, warnings } = draftListing(
    facts({ witness: { ...witness, warnings: [warning] }, ops: [hidden] }),
  );
  expect(warnings).toEqual([
    warning,
    {
      code: 'needs_public',
      op: 'dex::pay',
      detail: expect.stringMatching(/Not in the manifest: .*public fun/),
    },
  ]);
  expect(manifest.ops).toEqual([]);
});

test('a warning lists values without a meaningful name until the publisher names them', () => {
  const vote = op({ entry: 'vote', params: [param('wallet'), param('pure'), param('pure')], typeParams: [] });
  const drafted = (names: Record<string, string[]>) =>
    draftListing(facts({ ops: [vote], values: collectProvidedValues([vote], names) }));
  const { warnings } = drafted({});
  expect(warnings).toEqual([
    {
      code: 'unnamed_values',
      op: 'dex::vote',
      detail: expect.stringContaining('value1 (u32), value2 (u32)'),
    },
  ]);
  const named = drafted({ 'dex::vote': ['topic', 'choice'] });
  expect(named.warnings).toEqual([]);
  expect(named.manifest.ops[0]?.call?.args).toMatchObject([{}, { name: 'topic' }, { name: 'choice' }]);
});

test('a value that past calls agree on is said to be inferred, and from whose calls', () => {
  const lever = op({ entry: 'lever', params: [param('wallet'), param('pure')], typeParams: [] });
  const calls = past(lever, { values: { 1: ['3'] }, agreed: { 1: '3' } });
  const { manifest, warnings } = draftListing(
    facts({ ops: [lever], past: new Map([[lever.fqn, calls]]), values: collectProvidedValues([lever], {}) }),
  );
  expect(manifest.ops[0]?.call?.args[1]).toEqual({ role: 'pure', type: 'u32', name: 'value', value: '3' });
  expect(warnings).toEqual([
    {
      code: 'value_from_past_calls',
      op: 'dex::lever',
      from: callers,
      detail:
        `value is fixed to "3", inferred from past calls: all 3 used it, of 2 senders: ${address('e1')} (transaction ` +
        `digest e1), ${address('e2')} (transaction digest e2). Check it. To ask callers for it, name it in values.`,
    },
  ]);
});

test('a warning names each other package that past calls chose for an op, for its publisher to confirm', () => {
  const lend = op({
    entry: 'lend',
    executable: false,
    reason: { code: 'returns_value', detail: 'It returns a value that must be used.' },
    params: [param('wallet'), param('amount')],
    typeParams: [],
  });
  const step = { isOwn: false, typeArgs: [], args: [{ result: { call: 0, index: 0 } }] };
  const calls = [
    {
      packageId: null,
      module: 'dex',
      entry: 'lend',
      isOwn: true,
      typeArgs: [],
      args: [{ argument: 0 }, { argument: 1 }],
    },
    { ...step, packageId: address('fe0000'), module: 'market', entry: 'supply' },
    { ...step, packageId: address('2'), module: 'coin', entry: 'destroy_zero' },
  ];
  const { manifest, warnings } = draftListing(
    facts({
      ops: [lend],
      past: new Map([[lend.fqn, { ...past(lend), sequence: { calls, samples: 3 } }]]),
      values: collectProvidedValues([lend], {}),
    }),
  );
  expect(manifest.ops[0]?.calls).toHaveLength(3);
  expect(warnings).toEqual([
    {
      code: 'package_from_past_calls',
      op: 'dex::lend',
      detail: expect.stringContaining(address('fe0000')),
    },
  ]);
});

test('a manifest never holds more ops than a manifest may', () => {
  const ops = Array.from({ length: 300 }, (_, at) =>
    op({ entry: `tip_${at}`, params: tip.params, typeParams: [] }),
  );
  const { manifest, warnings } = draftListing(facts({ ops }));
  expect(manifestSchema.parse(manifest).ops).toHaveLength(256);
  expect(warnings.at(-1)).toMatchObject({ code: 'too_many_ops' });
});

test('a listing is about the functions of its witness that do something with a wallet', () => {
  const reads = op({ entry: 'held', params: [param('wallet', { reference: 'immutable' })] });
  const elsewhere = op({ module: 'spot', entry: 'swap' });
  const helper = op({ module: 'helper', entry: 'swap' });
  const ops = [
    swap,
    reads,
    elsewhere,
    helper,
    op({ entry: 'open', touchesWallet: false }),
    op({ entry: 'x', visibility: 'private' }),
  ];
  const other = { module: 'spot', name: 'Spot', serviceType: `${packageId}::spot::Spot`, warnings: [] };
  const select = (of: typeof witness) =>
    selectOps({ ops, witnesses: [witness, other], hotPotatoes: [], modules: [] }, of);
  expect(select(witness)).toEqual({ listed: [swap, helper], foreign: [] });
  expect(select(other)).toEqual({ listed: [elsewhere, helper], foreign: [] });
});

test('a function that acts with the witness of another service is not listed, with a warning that says which', () => {
  const odd = { module: 'odd', name: 'Odd', serviceType: `${packageId}::odd::Odd`, warnings: [] };
  const relay = op({ entry: 'relay', services: [odd.serviceType] });
  const both = op({ entry: 'both', services: [odd.serviceType, witness.serviceType] });
  const helper = op({ module: 'helper', entry: 'put', services: [odd.serviceType] });
  const back = op({ module: 'odd', entry: 'back', services: [witness.serviceType] });
  const neither = op({ module: 'odd', entry: 'close', services: [] });
  const ops = [swap, relay, both, helper, back, neither];
  const select = (of: typeof witness) =>
    selectOps({ ops, witnesses: [witness, odd], hotPotatoes: [], modules: [] }, of);
  const { listed, foreign } = select(witness);
  expect({ listed, foreign }).toEqual({ listed: [swap, both, back], foreign: [relay, helper] });
  expect(select(odd)).toEqual({ listed: [relay, helper, neither], foreign: [back] });
  const { manifest, warnings } = draftListing(facts({ ops: [swap], foreign: [relay] }));
  expect(manifest.ops.map(({ entry }) => entry)).toEqual(['swap_a_to_b']);
  expect(warnings).toContainEqual({
    code: 'other_service',
    op: 'dex::relay',
    detail: `Not in the manifest: It acts in the wallet with the witness of ${odd.serviceType}, not of ${witness.serviceType}.`,
  });
});
