import { publisherProfile } from '@adaptor-marketplace/adaptor/manifest';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  findDetailFaults,
  type ManifestDetails,
  noDetails,
  toDetails,
  toManifestDetails,
} from './details.ts';

const word = fc.stringMatching(/^[A-Za-z][A-Za-z ]{0,20}[A-Za-z]$/);
const url = fc.webUrl({ validSchemes: ['https'] });

const details: fc.Arbitrary<ManifestDetails> = fc.record(
  {
    docsUrl: url,
    feeBps: fc.integer({ min: 0, max: 10_000 }),
    deprecated: word,
    source: fc.record(
      {
        repository: fc.constantFrom('https://github.com/reef/pool', 'https://git.reef.example/a/b/c'),
        commit: fc.constant('0123456789abcdef0123456789abcdef01234567'),
        path: fc.constantFrom('pool', 'packages/pool'),
      },
      { requiredKeys: ['repository', 'commit'] },
    ),
    profile: fc.record(
      {
        name: word,
        domain: fc.constantFrom('reef.example', 'xn--bcher-kva.example'),
        icon: url,
        links: fc.array(fc.record({ label: word, url }), { minLength: 1, maxLength: 8 }),
      },
      { requiredKeys: ['name'] },
    ),
  },
  { requiredKeys: [] },
);

test('an update keeps the profile and all other fields that the form shows', () => {
  fc.assert(
    fc.property(details, (manifest) => {
      const entered = toDetails(manifest);
      expect(findDetailFaults(entered)).toEqual({});
      expect(toManifestDetails(entered)).toEqual(manifest);
    }),
  );
});

test('a form without fields of a profile lists no profile, and so does one of the graph without values', () => {
  expect(toManifestDetails(noDetails)).toEqual({});
  const profile = { name: null, domain: null, icon: null, links: [] };
  expect(toManifestDetails(toDetails({ profile, source: null, docsUrl: null }))).toEqual({});
});

test.each([
  ['profileName', 'x'.repeat(65)],
  ['profileDomain', 'Reef.example'],
  ['profileDomain', 'reef.example/x'],
  ['profileIcon', 'http://reef.example/i.png'],
  ['profileIcon', 'https://reef.example@evil.example/i.png'],
  ['profileIcon', 'javascript:alert(1)'],
  ['profileLinks', 'https://chat.example/'],
  ['profileLinks', 'Chat javascript:alert(1)'],
  ['profileLinks', 'Chat http://chat.example/'],
  ['profileLinks', 'Chat https://chat.example/\n'.repeat(9)],
  ['successor', `0x${'a'.repeat(64)}::jar::Jar`],
  ['sourceRepository', 'http://github.com/reef/pool'],
  ['sourceRepository', 'https://github.com:8443/reef/pool'],
  ['sourceCommit', 'main'],
  ['sourcePath', '../pool'],
] as const)('%s %s has its fault in words before a draft is requested', (name, text) => {
  expect(findDetailFaults({ ...noDetails, [name]: text })[name]).toMatch(/\w/);
});

test('source without its commit, or without its repository, has its fault at the field that is empty', () => {
  const faults = (entered: object) => Object.keys(findDetailFaults({ ...noDetails, ...entered }));
  expect(faults({ sourceRepository: 'https://github.com/reef/pool' })).toEqual(['sourceCommit']);
  expect(faults({ sourceCommit: 'a'.repeat(40) })).toEqual(['sourceRepository']);
  expect(faults({ sourcePath: 'pool' })).toEqual(['sourceRepository', 'sourceCommit']);
});

test('the fault of a link names its line and what is wrong with it', () => {
  const fault = (...lines: string[]) =>
    findDetailFaults({ ...noDetails, profileLinks: lines.join('\n') }).profileLinks;
  const good = 'Site https://reef.example/';
  expect(fault(good, 'Chat http://chat.example/')).toBe(
    'Link 2: The catalog links to https:// addresses only.',
  );
  expect(fault(good, '', 'https://chat.example/')).toMatch(/^Link 2: Put its label in front/);
  expect(fault(good, 'Chat https://reef.example@evil.example/')).toMatch(/^Link 2: Remove the user name/);
  expect(fault(`${'x'.repeat(33)} https://reef.example/`)).toMatch(/^Link 1: .*this one has 33/);
  expect(fault(...Array.from({ length: 9 }, () => good))).toBe('At most 8 links; these are 9.');
});

test('what the form accepts as a profile is what a manifest can have', () => {
  const texts = fc.record({
    profileName: fc.string(),
    profileDomain: fc.oneof(fc.domain(), fc.string()),
    profileIcon: fc.oneof(url, fc.string()),
    profileLinks: fc.string({ unit: fc.constantFrom('\n', ' ', 'a', 'https://e.co/', '\t') }),
  });
  fc.assert(
    fc.property(texts, (entered) => {
      const details = { ...noDetails, ...entered };
      if (Object.keys(findDetailFaults(details)).length > 0) return;
      expect(publisherProfile.optional().safeParse(toManifestDetails(details).profile).success).toBe(true);
    }),
  );
});
