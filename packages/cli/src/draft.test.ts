import { manifestHash } from '@adaptor-marketplace/adaptor/manifest';
import { expect, test } from 'vitest';
import { type Draft, formatDraftLines, requestDraft, requireRequested } from './draft.ts';

const id = (end: string) => `0x${end.padStart(64, '0')}`;
const manifest = {
  name: 'Relay',
  category: 'Swap',
  summary: 'Swaps by a router.',
  serviceType: `${id('a1')}::relay::Relay`,
  packageId: id('a1'),
  networks: ['testnet'],
  ops: [
    {
      kind: 'swap',
      module: 'relay',
      entry: 'swap',
      label: 'Swap at once',
      calls: [
        {
          module: 'relay',
          entry: 'swap',
          typeArgs: ['coinIn', `${id('b2')}::usd::USD`],
          args: [{ role: 'wallet' }],
        },
        {
          packageId: id('c3'),
          module: 'router',
          entry: 'settle',
          typeArgs: [],
          args: [{ role: 'result', call: 0 }],
        },
      ],
    },
  ],
} satisfies Draft['manifest'];
const toDraft = (changed: object): Draft => {
  const whole = { ...manifest, ...changed };
  return {
    manifest: whole,
    manifestHash: manifestHash(whole),
    manifestUri: 'walrus://1',
    serviceType: manifest.serviceType,
    warnings: [],
  };
};

test('everything that a manifest promises is shown before the signature', () => {
  const fee = { feeBps: 25, feeRecipient: id('d4'), integrator: 'acme', docsUrl: 'https://relay.example/' };
  const text = formatDraftLines(toDraft({ ...fee, supportedCoins: ['*'] })).join('\n');
  for (const shown of [
    `relay::swap<coinIn, ${id('b2')}::usd::USD>(wallet), then ${id('c3')}::router::settle(result 0 of call 0)`,
    'Swap at once',
    'feeBps         0.25 % of the amount',
    `feeRecipient   ${id('d4')}`,
    'integrator     acme',
    'docsUrl        https://relay.example/',
    'supportedCoins  *',
    `package        ${id('a1')}`,
  ])
    expect(text).toContain(shown);
});

const asked = { packageId: id('a1'), network: 'testnet', name: manifest.name, summary: manifest.summary };

test.each([
  ['a fee', { feeBps: 25 }, 'feeBps'],
  ['a recipient of the fee', { feeRecipient: id('d4') }, 'feeRecipient'],
  ['a link', { appUrl: 'https://other.example' }, 'appUrl'],
  ['a profile', { profile: { name: 'Reef Labs' } }, 'profile'],
  ['a deprecation', { deprecated: 'Use another one.' }, 'deprecated'],
  ['another name', { name: 'Relais' }, 'name'],
  ['another package', { packageId: id('c3') }, 'packageId'],
  ['another network', { networks: ['mainnet'] }, 'networks'],
])('a draft with %s that was not requested is refused', (_, changed, field) => {
  expect(() => requireRequested(toDraft(changed), asked)).toThrow(`(${field})`);
});

test.each([
  ['category', { category: 'Lend' }],
  ['integrator', { integrator: 'acme' }],
  ['serviceType', { witness: 'relay::Other' }],
])('a draft with another %s than the requested one is refused', (field, options) => {
  expect(() => requireRequested(toDraft({}), { ...asked, ...options })).toThrow(`(${field})`);
});

test.each(['Relay', 'relay::Relay', manifest.serviceType, '0xa1::relay::Relay'])(
  'a draft for the witness %s is that of its service type',
  (witness) => {
    const options = { ...asked, witness, category: 'Swap' };
    expect(() => requireRequested(toDraft({ integrator: 'of the key' }), options)).not.toThrow();
  },
);

test('a draft with the requested profile, deprecation and successor is the requested one', () => {
  const [publisher, deprecated, successor] = [
    { domain: 'reef.example', name: 'Reef Labs' },
    'Version 2 takes a lower fee.',
    `${id('c3')}::relay::Relay`,
  ];
  const profile = { name: 'Reef Labs', domain: 'reef.example' };
  const draft = toDraft({ profile, deprecated, successor });
  expect(() => requireRequested(draft, { ...asked, publisher, deprecated, successor })).not.toThrow();
});

test('a draft with another commit of the source than the requested one is refused', () => {
  const source = { repository: 'https://github.com/reef/contracts', commit: 'a'.repeat(40) };
  expect(() => requireRequested(toDraft({ source }), { ...asked, source })).not.toThrow();
  const other = { ...source, commit: 'b'.repeat(40) };
  expect(() => requireRequested(toDraft({ source: other }), { ...asked, source })).toThrow('(source)');
  expect(() => requireRequested(toDraft({ source }), asked)).toThrow('(source)');
});

test('the settings that --profile names are not the profile of the publisher', () => {
  const options = { ...asked, profile: 'work' };
  expect(() => requireRequested(toDraft({}), options)).not.toThrow();
});

test('a successor without the reason of the deprecation is refused, since it would have no effect', async () => {
  const market = {} as Parameters<typeof requestDraft>[0];
  const options = { ...asked, successor: manifest.serviceType };
  await expect(requestDraft(market, options, asked)).rejects.toThrow('--deprecated');
});

test('links, sign and fee of a project are requested as it has them', async () => {
  const fee = { feeBps: 25, feeRecipient: id('f') };
  const links = { docsUrl: 'https://relay.example/docs', appUrl: 'https://relay.example' };
  const told = {
    ...fee,
    ...links,
    repoUrl: 'https://relay.example/code',
    auditUrl: links.docsUrl,
    glyph: 'R',
  };
  let body: unknown;
  const draftListing = async (request: { body: unknown }) => {
    body = request.body;
  };
  const market = { api: { draftListing } } as unknown as Parameters<typeof requestDraft>[0];
  await requestDraft(market, { ...asked, ...told }, asked);
  expect(body).toMatchObject(told);
});
