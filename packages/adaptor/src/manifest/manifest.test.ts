import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { manifestWarningsMax } from './adjust.ts';
import { checkManifestAgainstListing } from './fit.ts';
import { manifestHash } from './hash.ts';
import {
  callSpecJsonSchema,
  listedManifestSchema,
  manifestJsonSchema,
  parseManifest,
  toShownManifest,
} from './manifest.ts';
import { isExecutable, type ListedOp } from './op.ts';
import { ruleManifestJsonSchema } from './rule-manifest.ts';
import { isShownForm } from './shown-form.ts';

const packageId = `0x${'a'.repeat(64)}`;
const serviceType = `${packageId}::adaptor::Swapper`;
const manifest = {
  name: 'Swapper',
  category: 'Swap',
  summary: 'Swaps one coin for another.',
  serviceType,
  packageId,
  ops: [
    {
      kind: 'swap',
      module: 'adaptor',
      entry: 'swap',
      label: 'Swap',
      intentMode: 'D',
      call: {
        typeArgs: ['coinIn', 'coinOut', '0x2::coin::Coin<0x2::sui::SUI>'],
        args: [
          { role: 'wallet' },
          { role: 'object', objectId: '0xb', mutable: true },
          { role: 'amount' },
          { role: 'minOut' },
          { role: 'pure', type: 'vector<u8>', value: [1, 2], name: 'route' },
          { role: 'clock' },
        ],
      },
    },
  ],
  supportedCoins: ['*'],
  feeBps: 10,
  feeRecipient: '0xc',
  integrator: 'acme',
  networks: ['testnet'],
  docsUrl: 'https://docs.example/',
  glyph: '⇄',
  somethingNew: { kept: true },
};
const encodeJson = (value: unknown) => Buffer.from(JSON.stringify(value, null, 2));

/** The same value with the keys of every object in another order. */
function reordered(value: unknown, order: (keys: string[]) => string[]): unknown {
  if (Array.isArray(value)) return value.map((item) => reordered(item, order));
  if (value === null || typeof value !== 'object') return value;
  const entries = new Map(Object.entries(value));
  return Object.fromEntries(
    order([...entries.keys()]).map((key) => [key, reordered(entries.get(key), order)]),
  );
}

test('the hash is sha256 over sorted keys without spaces, in lower-case hex', () => {
  const canonical = '{"a":[1,{"x":null,"y":"é"}],"b":true}';
  const expected = createHash('sha256').update(canonical).digest('hex');
  expect(manifestHash({ b: true, a: [1.0, { y: 'é', x: null }] })).toBe(expected);
});

test('numbers and escapes are written as RFC 8785 writes them (its section 3.2.2)', () => {
  const value: unknown = JSON.parse(String.raw`{
    "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
    "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
    "literals": [null, true, false]
  }`);
  const canonical = String.raw`{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}`;
  expect(manifestHash(value)).toBe(createHash('sha256').update(canonical).digest('hex'));
});

test('the hash does not depend on key order or white space', () => {
  fc.assert(
    fc.property(fc.jsonValue({ stringUnit: 'grapheme' }), (value) => {
      const hash = manifestHash(value);
      expect(manifestHash(reordered(value, (keys) => keys.toReversed()))).toBe(hash);
      expect(manifestHash(JSON.parse(JSON.stringify(value, null, 3)))).toBe(hash);
    }),
  );
});

test('two different values have two hashes', () => {
  const value = fc.jsonValue({ stringUnit: 'grapheme' });
  fc.assert(
    fc.property(value, value, (a, b) => {
      const same =
        JSON.stringify(reordered(a, (k) => k.toSorted())) ===
        JSON.stringify(reordered(b, (k) => k.toSorted()));
      expect(manifestHash(a) === manifestHash(b)).toBe(same);
    }),
  );
});

test('a manifest of the right shape and hash is verified, with keys it does not know kept', () => {
  const hash = manifestHash(manifest);
  expect(parseManifest(encodeJson(manifest), hash)).toEqual({ status: 'verified', body: manifest, hash });
  expect(parseManifest(encodeJson(manifest), hash.toUpperCase()).status).toBe('verified');
});

test.each([['Gambling'], ['x'], ['x'.repeat(40)], ['🎲'.repeat(40)], ['Prediction markets & more']])(
  'a category is any text of 1 to 40 characters: %s',
  (category) => {
    const body = { ...manifest, category };
    const hash = manifestHash(body);
    expect(parseManifest(encodeJson(body), hash)).toEqual({ status: 'verified', body, hash });
  },
);

test.each([
  ['no op at all', []],
  ['an op without kind', [{ module: 'a', entry: 'b' }]],
  ['an op whose call does not fit', [{ kind: 'pay', module: 'a', entry: 'b', call: 'later' }]],
  ['empty ops', Array(256).fill({})],
])('%s hides nothing: the manifest is verified as it is', (_, ops) => {
  const body = { ...manifest, ops };
  const hash = manifestHash(body);
  expect(parseManifest(encodeJson(body), hash)).toEqual({ status: 'verified', body, hash });
});

test('what was hashed is what is kept: a verified body has the same hash', () => {
  const parsed = parseManifest(encodeJson(manifest), manifestHash(manifest));
  expect(parsed.status === 'verified' && manifestHash(parsed.body)).toBe(manifestHash(manifest));
});

test('bytes other than those the registry committed to are a mismatch', () => {
  const hash = manifestHash(manifest);
  const parsed = parseManifest(encodeJson({ ...manifest, feeBps: 11 }), hash);
  expect(parsed).toMatchObject({ status: 'mismatch', reason: expect.stringContaining(hash) });
});

test.each([
  ['a missing name', { name: undefined }, 'name'],
  ['a category that is not a text', { category: 7 }, 'category'],
  ['ops that are not a list', { ops: {} }, 'ops'],
  ['an op that is not an object', { ops: ['swap'] }, 'ops.0'],
  ['a service type of another form', { serviceType: '0x2::a' }, 'serviceType'],
  ['a package that is not an address', { packageId: 'acme' }, 'packageId'],
  ['a fee above 100 %', { feeBps: 10_001 }, 'feeBps'],
  ['a broken fee', { feeBps: 0.5 }, 'feeBps'],
  ['too many ops', { ops: Array(257).fill({ kind: 'pay', module: 'a', entry: 'b' }) }, 'ops'],
])('%s is invalid, and the reason names the place', (_, change, path) => {
  const value: unknown = JSON.parse(JSON.stringify({ ...manifest, ...change }));
  const parsed = parseManifest(encodeJson(value), manifestHash(value));
  expect(parsed).toMatchObject({ status: 'invalid', reason: expect.stringContaining(`${path}:`) });
});

test.each<[string, Record<string, unknown>, string, string, unknown]>([
  ['a coin that is not a type', { supportedCoins: ['SUI'] }, 'items_dropped', 'supportedCoins', undefined],
  [
    'a coin that is not a type, beside one that is',
    { supportedCoins: ['SUI', '0x2::sui::SUI'] },
    'items_dropped',
    'supportedCoins',
    ['0x2::sui::SUI'],
  ],
  ['a coin type alone', { supportedCoins: '*' }, 'field_dropped', 'supportedCoins', undefined],
  ['an empty integrator', { integrator: '' }, 'field_dropped', 'integrator', undefined],
  ['a name for an address', { feeRecipient: 'treasury.sui' }, 'field_dropped', 'feeRecipient', undefined],
  ['no fee', { feeBps: null }, 'field_dropped', 'feeBps', undefined],
  ['a name of 200 characters', { name: 'x'.repeat(200) }, 'field_shortened', 'name', `${'x'.repeat(127)}…`],
  ['a long emoji name', { name: '🎲'.repeat(129) }, 'field_shortened', 'name', `${'🎲'.repeat(127)}…`],
  [
    'a category of 41 characters',
    { category: 'x'.repeat(41) },
    'field_shortened',
    'category',
    `${'x'.repeat(39)}…`,
  ],
  ['a long summary', { summary: 'x'.repeat(9_000) }, 'field_shortened', 'summary', `${'x'.repeat(2_047)}…`],
  ['an empty name', { name: '' }, 'field_replaced', 'name', 'Swapper'],
  ['an empty category', { category: '' }, 'field_replaced', 'category', 'Other'],
  ['an empty summary', { summary: '' }, 'field_replaced', 'summary', 'Swapper'],
  ['an empty link', { docsUrl: '' }, 'field_dropped', 'docsUrl', undefined],
  ['a script for a link', { docsUrl: 'javascript:alert(1)' }, 'field_dropped', 'docsUrl', undefined],
  ['a number for a glyph', { glyph: 7 }, 'field_dropped', 'glyph', undefined],
  ['a flag for the reason of a deprecation', { deprecated: true }, 'field_dropped', 'deprecated', undefined],
  [
    'a long reason of a deprecation',
    { deprecated: 'x'.repeat(513) },
    'field_shortened',
    'deprecated',
    `${'x'.repeat(511)}…`,
  ],
  [
    'a branch for the commit of the source',
    { source: { repository: 'https://github.com/reef/contracts', commit: 'main' } },
    'field_dropped',
    'source',
    undefined,
  ],
  ['a name for a successor', { successor: 'Swapper 2' }, 'field_dropped', 'successor', undefined],
  ['a network nobody serves', { networks: ['devnet'] }, 'items_dropped', 'networks', undefined],
  [
    'a network named twice',
    { networks: ['testnet', 'testnet', 'mainnet'] },
    'items_dropped',
    'networks',
    ['testnet', 'mainnet'],
  ],
])(
  '%s hides nothing: it is shown otherwise, with a warning, and the body stays',
  (_, change, code, key, shown) => {
    const body = { ...manifest, ...change };
    const parsed = parseManifest(encodeJson(body), manifestHash(body));
    const warnings = [{ code, path: key, detail: expect.any(String) }];
    const others = Object.fromEntries(Object.entries(manifest).filter(([name]) => name !== key));
    expect(parsed).toEqual({
      status: 'verified',
      body,
      hash: manifestHash(body),
      adjusted: { warnings, shown: { ...others, ...(shown !== undefined && { [key]: shown }) } },
    });
    const { shown: whole } = toShownManifest(body);
    expect(listedManifestSchema.safeParse(whole).success).toBe(true);
    expect(isShownForm(body, whole!)).toBe(true);
  },
);

test('an op of an unknown kind counts as custom, and one with an odd label keeps its call', () => {
  const [op] = manifest.ops;
  const ops = [op, { ...op, kind: 'supply' }, { ...op, label: '' }, { ...op, label: 'x'.repeat(129) }];
  const body = { ...manifest, ops };
  const { shown, adjusted } = toShownManifest(body);
  const { label: _, ...unlabelled } = op!;
  expect(shown?.ops).toEqual([
    op,
    { ...op, kind: 'custom' },
    unlabelled,
    { ...op, label: `${'x'.repeat(127)}…` },
  ]);
  expect(adjusted?.warnings.map(({ code, path }) => [code, path])).toEqual([
    ['unknown_kind', 'ops.1.kind'],
    ['field_dropped', 'ops.2.label'],
    ['field_shortened', 'ops.3.label'],
  ]);
  expect(isShownForm(body, shown!)).toBe(true);
  expect(shown?.ops).toSatisfy((ops: ListedOp[]) => ops.every(isExecutable));
});

test.each([
  ['another op', { ops: [] }],
  ['another kind of a known one', { ops: [{ ...manifest.ops[0], kind: 'custom' }] }],
  ['another call', { ops: [{ ...manifest.ops[0], call: { typeArgs: [], args: [] } }] }],
  ['no fee', { feeBps: undefined }],
  ['another recipient', { feeRecipient: '0xd' }],
  ['another name', { name: 'Other' }],
  ['something else in place of an op', { ops: [null] }],
  ['a coin more', { supportedCoins: ['*', '0x2::sui::SUI'] }],
  ['a key more', { more: 1 }],
])('%s is not a form in which a catalog shows the manifest', (_, change) => {
  const shown = JSON.parse(JSON.stringify({ ...manifest, ...change }));
  expect(isShownForm(manifest, shown)).toBe(false);
});

test.each(['name', 'category', 'summary', 'deprecated'])(
  'an empty %s is not shown as a text that a catalog does not put in its place',
  (key) => {
    const body = { ...manifest, [key]: '' };
    expect(isShownForm(body, toShownManifest(body).shown!)).toBe(true);
    expect(isShownForm(body, { ...body, [key]: 'Another' })).toBe(false);
    expect(isShownForm(body, { ...body, [key]: '…' })).toBe(false);
  },
);

test.each([
  ['name', 128],
  ['category', 40],
  ['summary', 2048],
  ['deprecated', 512],
])('a long %s is shown cut to its bound, and to no other length', (key, max) => {
  const body = { ...manifest, [key]: 'x'.repeat(max + 1) };
  const cut = (length: number) => ({ ...body, [key]: `${'x'.repeat(length - 1)}…` });
  expect(isShownForm(body, cut(max))).toBe(true);
  for (const length of [1, 2, max - 1, max + 1]) expect(isShownForm(body, cut(length))).toBe(false);
  const short = { ...manifest, [key]: 'x'.repeat(max) };
  expect(isShownForm(short, { ...short, [key]: `${'x'.repeat(max - 1)}…` })).toBe(false);
});

test('an empty label is not shown as another', () => {
  const [op] = manifest.ops;
  const body = { ...manifest, ops: [{ ...op, label: '' }] };
  expect(isShownForm(body, { ...body, ops: [{ ...op, label: 'Another' }] })).toBe(false);
});

test('an op that is not an object is shown as it is', () => {
  const body = { ...manifest, ops: [null] };
  expect(isShownForm(body, body)).toBe(true);
  expect(isShownForm(body, { ...manifest, ops: [{}] })).toBe(false);
});

test("a rule's manifest keeps unknown keys as they are, also those that an adaptor's has", () => {
  const rule = {
    name: 'Daily limit',
    ruleType: `${manifest.packageId}::limit::Daily`,
    packageId: manifest.packageId,
  };
  const unknown = {
    networks: ['devnet'],
    supportedCoins: ['none'],
    category: '',
    deprecated: 'x'.repeat(600),
  };
  const { shown, adjusted } = toShownManifest({ ...rule, ...unknown });
  expect(adjusted).toBeUndefined();
  expect(shown).toEqual({ ...rule, ...unknown });
});

test('warnings are bounded, name each top-level field, and repeat nothing of the manifest', () => {
  const m4rk3r = 'm4rk3r'.repeat(500);
  const odd = { name: m4rk3r, summary: m4rk3r, docsUrl: m4rk3r, integrator: m4rk3r, networks: [m4rk3r] };
  const ops = Array(256).fill({ kind: m4rk3r, label: '' });
  const { adjusted, error } = toShownManifest({ ...manifest, ...odd, ops });
  expect(error).toBeUndefined();
  expect(adjusted?.warnings).toHaveLength(manifestWarningsMax);
  const paths = adjusted!.warnings.map(({ path }) => path);
  expect(paths).toEqual(expect.arrayContaining([...Object.keys(odd), 'ops.0.kind']));
  expect(JSON.stringify(adjusted!.warnings)).not.toContain('m4rk3r');
});

test('a list of any length is adjusted in little time', () => {
  const value = {
    ...manifest,
    supportedCoins: Array(60_000)
      .fill('x')
      .map((x, at) => `${x}${at}`),
  };
  const begunMs = performance.now();
  expect(toShownManifest(value).shown).not.toHaveProperty('supportedCoins');
  expect(performance.now() - begunMs).toBeLessThan(1_000);
});

test('a document with thousands of faults gets a short reason', () => {
  const value = { ...manifest, supportedCoins: Array(256).fill(''), ops: Array(256).fill(0) };
  const parsed = parseManifest(encodeJson(value), manifestHash(value));
  expect(parsed.status === 'invalid' && parsed.reason.length).toBeLessThan(500);
});

test('arbitrary bytes never throw and are never verified', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.uint8Array(),
        fc.json().map((text) => Buffer.from(text)),
      ),
      (bytes) => {
        expect(parseManifest(bytes, '0'.repeat(64)).status).not.toBe('verified');
      },
    ),
  );
});

test('a manifest that was copied from another listing does not describe this one', () => {
  const listing = { serviceType, packageId };
  expect(checkManifestAgainstListing(manifest, listing)).toBeUndefined();
  const loose = {
    serviceType: serviceType
      .toUpperCase()
      .replace('0XAA', 'aA')
      .replace('ADAPTOR::SWAPPER', 'adaptor::Swapper'),
    packageId: packageId.slice(2),
  };
  expect(checkManifestAgainstListing({ ...manifest, ...loose }, listing)).toBeUndefined();
  const other = `0x${'b'.repeat(64)}`;
  expect(
    checkManifestAgainstListing(manifest, { serviceType: `${other}::adaptor::Swapper`, packageId }),
  ).toMatch(/service type/);
  expect(checkManifestAgainstListing(manifest, { serviceType, packageId: other })).toMatch(/names package/);
});

const ruleManifest = {
  name: 'Bearer cap',
  ruleType: `${packageId}::cap_auth::CapAuth`,
  packageId,
  kind: 'auth',
  docsUrl: 'https://docs.example/',
  somethingNew: { kept: true },
};

test('a manifest with a rule type and no service type is judged as a rule’s, with keys it does not know kept', () => {
  const hash = manifestHash(ruleManifest);
  expect(parseManifest(encodeJson(ruleManifest), hash)).toEqual({
    status: 'verified',
    body: ruleManifest,
    hash,
  });
  const long = { ...ruleManifest, category: 'x'.repeat(600), deprecated: 'x'.repeat(600) };
  expect(parseManifest(encodeJson(long), manifestHash(long))).toMatchObject({
    status: 'verified',
    body: long,
  });
  const both = { ...manifest, ruleType: 7 };
  expect(parseManifest(encodeJson(both), manifestHash(both))).toMatchObject({
    status: 'verified',
    body: both,
  });
  const neither = { name: 'Bearer cap', packageId };
  expect(parseManifest(encodeJson(neither), manifestHash(neither))).toMatchObject({
    status: 'invalid',
    reason: expect.stringContaining('serviceType:'),
  });
});

test.each([
  ['a missing name', { name: undefined }, 'name'],
  ['a rule type of another form', { ruleType: '0x2::a' }, 'ruleType'],
  ['a package that is not an address', { packageId: 'acme' }, 'packageId'],
])('in a rule’s manifest %s is invalid, and the reason names the place', (_, change, path) => {
  const value: unknown = JSON.parse(JSON.stringify({ ...ruleManifest, ...change }));
  const parsed = parseManifest(encodeJson(value), manifestHash(value));
  expect(parsed).toMatchObject({ status: 'invalid', reason: expect.stringContaining(`${path}:`) });
});

test('an odd field of a rule’s manifest does not keep the rule without a name', () => {
  const odd = { name: 'x'.repeat(129), kind: 'both', docsUrl: 'javascript:alert(1)', summary: '' };
  const { shown, adjusted, error } = toShownManifest({ ...ruleManifest, ...odd });
  expect(error).toBeUndefined();
  const { kind: _kind, docsUrl: _docsUrl, ...others } = ruleManifest;
  expect(shown).toEqual({ ...others, name: `${'x'.repeat(127)}…` });
  expect(adjusted?.warnings.map(({ path }) => path).sort()).toEqual(['docsUrl', 'kind', 'name', 'summary']);
});

test('a rule’s manifest describes its own rule alone, and never an adaptor, nor an adaptor’s a rule', () => {
  const { ruleType } = ruleManifest;
  const other = `0x${'b'.repeat(64)}`;
  expect(checkManifestAgainstListing(ruleManifest, { ruleType, packageId })).toBeUndefined();
  expect(checkManifestAgainstListing(ruleManifest, { ruleType: `${packageId}::a::A`, packageId })).toMatch(
    /for rule type/,
  );
  expect(checkManifestAgainstListing(ruleManifest, { ruleType, packageId: other })).toMatch(/names package/);
  expect(checkManifestAgainstListing(ruleManifest, { serviceType: ruleType, packageId })).toBe(
    "The manifest is a rule's, the listing an adaptor's.",
  );
  expect(checkManifestAgainstListing(manifest, { ruleType: serviceType, packageId })).toBe(
    "The manifest is an adaptor's, the listing a rule's.",
  );
});

test('the schemas that publishers are shown are JSON Schema 2020-12 with the required keys', () => {
  expect(manifestJsonSchema).toMatchObject({
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    required: ['name', 'category', 'summary', 'serviceType', 'packageId', 'ops'],
  });
  expect(ruleManifestJsonSchema).toMatchObject({
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    required: ['name', 'ruleType', 'packageId'],
  });
  expect(callSpecJsonSchema).toMatchObject({ required: ['typeArgs', 'args'], title: 'Call spec' });
});
