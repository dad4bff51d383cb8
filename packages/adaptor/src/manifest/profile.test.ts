import fc from 'fast-check';
import { expect, test } from 'vitest';
import { domainProofLimits, findProofFault, publisherProfile } from './profile.ts';

const publisher = `0x${'0a'.repeat(32)}`;
const bytes = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));

test.each(['example.com', 'a.b.example.co', 'xn--bcher-kva.example', 'x1.io'])('%s is a domain', (domain) => {
  expect(publisherProfile.safeParse({ domain }).success).toBe(true);
});

test.each([
  'example',
  'Example.com',
  'example.com.',
  'example.com:8080',
  'example.com/path',
  'user@example.com',
  '127.0.0.1',
  '0x7f.0x1',
  '[::1]',
  '-a.example',
  'bücher.example',
  'a..example',
  `${'a'.repeat(64)}.example`,
  `${'a.'.repeat(130)}example`,
  '',
])('%s is not a domain', (domain) => {
  expect(publisherProfile.safeParse({ domain }).success).toBe(false);
});

test.each(['https://good.example@evil.example/', 'https://:secret@evil.example/'])(
  '%s is not a url of a picture or a link, because it seems to lead to another site',
  (url) => {
    expect(publisherProfile.safeParse({ icon: url }).success).toBe(false);
    expect(publisherProfile.safeParse({ links: [{ label: 'Chat', url }] }).success).toBe(false);
  },
);

test('every domain makes the url of its own host, without a port or a path', () => {
  const label = fc.stringMatching(/^[a-z0-9-]{1,8}$/);
  fc.assert(
    fc.property(
      fc.oneof(
        fc.array(label).map((labels) => labels.join('.')),
        fc.domain(),
        fc.string(),
      ),
      (domain) => {
        if (!publisherProfile.safeParse({ domain }).success) return;
        const { hostname, port, pathname, username } = new URL(`https://${domain}/x`);
        expect([hostname, port, pathname, username]).toEqual([domain, '', '/x', '']);
      },
    ),
  );
});

test('links and icons are https alone, and each field has a bound', () => {
  const fits = (profile: object) => publisherProfile.safeParse(profile).success;
  const link = { label: 'Site', url: 'https://example.com/' };
  expect(fits({ name: 'Reef Labs', icon: 'https://example.com/i.png', links: [link] })).toBe(true);
  for (const url of [
    'http://example.com/',
    'javascript:alert(1)',
    'data:text/html,x',
    `https://e.co/${'a'.repeat(2048)}`,
  ]) {
    expect([fits({ icon: url }), fits({ links: [{ label: 'Site', url }] })]).toEqual([false, false]);
  }
  expect(fits({ name: 'a'.repeat(65) })).toBe(false);
  expect(fits({ links: Array(9).fill(link) })).toBe(false);
  expect(fits({ links: [{ ...link, label: 'a'.repeat(33) }] })).toBe(false);
});

test('a file proves a domain for the publishers that it names, in any spelling, and for no other', () => {
  expect(findProofFault(bytes({ publishers: ['0x1', publisher] }), publisher)).toBeUndefined();
  expect(
    findProofFault(bytes({ publishers: [publisher.toUpperCase().replace('X', 'x')] }), publisher),
  ).toBeUndefined();
  expect(findProofFault(bytes({ publishers: [`0x${'0a'.repeat(31)}`] }), publisher)).toContain(
    'does not name',
  );
  expect(findProofFault(bytes({ publishers: [] }), publisher)).toContain('does not name');
});

test('bytes that are not such a file prove nothing', () => {
  const tooMany = Array(domainProofLimits.publishersMax + 1).fill(publisher);
  for (const file of [
    [publisher],
    { publishers: publisher },
    { publishers: tooMany },
    { publishers: ['0xg'] },
    null,
  ]) {
    expect(findProofFault(bytes(file), publisher)).toContain('not JSON of the form');
  }
  fc.assert(
    fc.property(
      fc.oneof(
        fc.uint8Array(),
        fc.json().map((text) => new TextEncoder().encode(text)),
      ),
      (file) => {
        expect(findProofFault(file, publisher)).toBeTypeOf('string');
      },
    ),
  );
});
