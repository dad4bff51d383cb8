import { manifestHash } from '@adaptor-marketplace/adaptor/manifest';
import type { Draft } from '@adaptor-marketplace/sdk';
import { expect, test } from 'vitest';
import { render } from '../../components/html.ts';
import { draftReview, findDifferences, manifestReview } from './review.ts';

const id = (end: string) => `0x${end.padStart(64, '0')}`;
const sui = `${id('2')}::sui::SUI`;
const manifest: Draft['manifest'] = {
  name: 'Relay',
  category: 'Swap',
  summary: 'Swaps by a router.',
  serviceType: `${id('a1')}::relay::Relay`,
  packageId: id('a1'),
  feeBps: 25,
  ops: [
    {
      kind: 'swap',
      module: 'relay',
      entry: 'swap',
      intentMode: 'B',
      calls: [
        {
          module: 'relay',
          entry: 'swap',
          typeArgs: ['coinIn', sui],
          args: [
            { role: 'wallet' },
            { role: 'object', objectId: id('b2') },
            { role: 'pure', type: 'u64', name: 'limit', value: '9' },
            { role: 'pure', type: 'address', name: 'recipient' },
          ],
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
};
const draft = {
  manifest,
  manifestHash: manifestHash(manifest),
  serviceType: manifest.serviceType,
  warnings: [],
};

/** Removes the tags of a page, and collapses its white space. */
const toText = (page: string) =>
  page
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll('&quot;', '"')
    .replaceAll(/\s+/g, ' ');

test('a draft is signed only if it is the one that its publisher saw', () => {
  expect(findDifferences(draft, draft)).toEqual([]);
  const other = { ...manifest, feeBps: 900, feeRecipient: id('d4') };
  expect(findDifferences(draft, { ...draft, manifest: other, manifestHash: manifestHash(other) })).toEqual([
    'feeBps of the manifest',
    'feeRecipient of the manifest',
  ]);
  expect(findDifferences(draft, { ...draft, manifestHash: 'ab' })).toEqual([
    'the hash, which is not the manifest’s',
  ]);
  const warnings = [{ code: 'name_alike', detail: 'Another one.' }];
  expect(findDifferences(draft, { ...draft, warnings })).toEqual(['a new warning (name_alike)']);
  expect(findDifferences({ ...draft, warnings }, draft)).toEqual([]);
});

test('the form stores the manifest and chooses the call, so that warnings of these are not differences', () => {
  const codes = ['manifest_not_stored', 'already_listed', 'transaction_not_built'];
  const warnings = codes.map((code) => ({ code, detail: 'It is settled.' }));
  expect(findDifferences(draft, { ...draft, warnings })).toEqual([]);
});

test('a publisher sees packages, types, objects and values of each call in full before the signature', () => {
  const text = toText(render(manifestReview(draft)));
  for (const shown of [
    `relay::swap of your package`,
    `router::settle of another package, ${id('c3')}`,
    `the coin that is paid; ${sui}`,
    `object ${id('b2')}`,
    'limit (u64) = "9"',
    'recipient (address) from the caller',
    'result 1 of call 1',
    'payment intent B',
    '"feeBps": 25',
  ])
    expect(text).toContain(shown);
});

test('a warning of a draft names the op that it is about', () => {
  const warnings = [{ code: 'no_call', op: 'jar::tip_to', detail: 'Not in the manifest.' } as const];
  expect(toText(render(draftReview({ ...draft, warnings } as unknown as Draft)))).toContain(
    'jar::tip_to: Not in the manifest. (no_call)',
  );
});
