import { afterAll, beforeAll, expect, test } from 'vitest';
import { recordProof } from '../../../db/queries/catalog/proofs.ts';
import type { ProofKind } from '../../../db/schema/index.ts';
import { startTestGateway, type TestGateway } from '../../../test/support/gateway.ts';
import { address, type ListingSeed, type SeededListing } from '../../../test/support/read-model.ts';

const publisher = address(0xa1);
const domain = 'reef.example';
const profile = {
  name: 'Reef Labs',
  domain,
  icon: 'https://reef.example/icon.png',
  links: [
    { label: 'Chat', url: 'https://chat.example/reef' },
    { label: 'Site', url: 'https://reef.example/' },
  ],
};

let gateway: TestGateway;
let listing: SeededListing;
beforeAll(async () => {
  gateway = await startTestGateway(async (seed) => {
    const list = (more: ListingSeed) => seed.listing({ publisher, ...more });
    await list({ manifest: { profile: { name: 'Old name' } } });
    listing = await list({ manifest: { profile } });
    await list({ manifest: { profile: { name: 'Of a stranger' } }, row: { publisherCheck: 'unverified' } });
    await list({ manifest: { profile: { name: 'x'.repeat(65) } }, adjusted: true });
  });
});
afterAll(() => gateway.close());

const packageId = () => listing.serviceType.split('::')[0]!;

const record = (kind: ProofKind, name: string | null) =>
  recordProof(gateway.db.pool, 'testnet', {
    publisher,
    kind,
    claim: { domain, suins: '', mvr: packageId() }[kind],
    attempts: 1,
    name,
    error: null,
    nextAfterSeconds: 60,
  });

async function readAll() {
  const path = encodeURIComponent(listing.serviceType);
  const { adaptor } = await (await fetch(`${gateway.url}/api/adaptors/${path}`)).json();
  // A filtered list is read for each request. The whole catalog follows a moment later.
  const list = await (await fetch(`${gateway.url}/api/adaptors?publisher=${publisher}`)).json();
  const query = `{
    adaptor(serviceType: "${listing.serviceType}") { publisherName packageName publisherDomain { domain lastSeenMs }
      manifest { profile { name domain icon links { label url } } } }
    publisher(address: "${publisher}") { name profile { name links { label url } } domain { domain lastSeenMs } } }`;
  const answer = await fetch(`${gateway.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query }),
  });
  const { data, errors } = await answer.json();
  expect(errors).toBeUndefined();
  const pages = await Promise.all(
    [`/a/testnet/${listing.serviceType}`, `/p/${publisher}`].map(async (page) =>
      (await fetch(`${gateway.url}${page}`, { headers: { accept: 'text/html' } })).text(),
    ),
  );
  const listed = list.adaptors.find(({ serviceType }: SeededListing) => serviceType === listing.serviceType);
  return { entry: adaptor, listed, data, pages };
}

test('a profile is shown on every surface, and its domain on none while it is not proven', async () => {
  const { entry, listed, data, pages } = await readAll();
  for (const shown of [entry, listed]) {
    expect(shown).toMatchObject({ publisherDomain: null, manifest: { profile } });
  }
  expect(data.adaptor).toEqual({
    publisherName: null,
    packageName: null,
    publisherDomain: null,
    manifest: { profile },
  });
  expect(data.publisher).toEqual({
    name: null,
    profile: { name: profile.name, links: profile.links },
    domain: null,
  });
  for (const page of pages) expect(page).toContain('Reef Labs');
  const [page, publisherPage] = pages;
  expect(page).not.toContain('A file of this domain');
  expect(publisherPage).not.toContain('A file of this domain');
  expect(publisherPage).toContain('href="https://chat.example/reef" rel="noopener nofollow ugc noreferrer"');
});

test('a proven domain is shown on every surface with the time of the last check, and goes with a failed one', async () => {
  await record('domain', domain);
  const { entry, listed, data, pages } = await readAll();
  const proven = { domain, lastSeenMs: expect.any(Number) };
  expect(Date.now() - entry.publisherDomain.lastSeenMs).toBeLessThan(60_000);
  for (const shown of [entry, listed, data.adaptor]) expect(shown.publisherDomain).toEqual(proven);
  expect(data.publisher.domain).toEqual(proven);
  for (const page of pages)
    expect(page).toMatch(/reef\.example<\/span>.*A file of this domain names the publisher/);
  await record('domain', null);
  const after = await readAll();
  for (const shown of [after.entry, after.listed, after.data.adaptor])
    expect(shown.publisherDomain).toBeNull();
  expect(after.data.publisher.domain).toBeNull();
});

test.each(['Reef Labs', 'reef labs'])('a search for the publisher %s finds its entry', async (q) => {
  const { adaptors } = await (await fetch(`${gateway.url}/api/adaptors?q=${encodeURIComponent(q)}`)).json();
  expect(adaptors.map(({ serviceType }: SeededListing) => serviceType)).toEqual([listing.serviceType]);
});

test('the SuiNS name of the publisher is shown on every surface, and finds its entries', async () => {
  await record('suins', 'reef-labs.sui');
  const { entry, listed, data, pages } = await readAll();
  for (const shown of [entry, listed, data.adaptor]) expect(shown.publisherName).toBe('reef-labs.sui');
  expect(data.publisher.name).toBe('reef-labs.sui');
  for (const page of pages) expect(page).toContain('reef-labs.sui');
  const found = await (await fetch(`${gateway.url}/api/adaptors?q=reef-labs.sui`)).json();
  expect(found.adaptors.map(({ serviceType }: SeededListing) => serviceType)).toContain(listing.serviceType);
});

test('the MVR name of the package is shown with its listing alone, and finds it', async () => {
  await record('mvr', '@reef/vault');
  const { entry, listed, data, pages } = await readAll();
  for (const shown of [entry, listed, data.adaptor]) expect(shown.packageName).toBe('@reef/vault');
  const [page, publisherPage] = pages;
  expect(page).toMatch(/MVR name.*@reef\/vault/s);
  expect(publisherPage).not.toContain('@reef/vault');
  const found = await (
    await fetch(`${gateway.url}/api/adaptors?q=${encodeURIComponent('@reef/vault')}`)
  ).json();
  expect(found.adaptors.map(({ serviceType }: SeededListing) => serviceType)).toEqual([listing.serviceType]);
  await record('mvr', null);
  expect((await readAll()).entry.packageName).toBeNull();
});

test('a search for the id of a publisher or a package finds its entries, in any spelling', async () => {
  const search = async (q: string) =>
    (await (await fetch(`${gateway.url}/api/adaptors?q=${q}`)).json()).adaptors as SeededListing[];
  const all = await (await fetch(`${gateway.url}/api/adaptors?publisher=${publisher}`)).json();
  expect(all.adaptors.length).toBeGreaterThan(1);
  for (const id of [publisher, publisher.toUpperCase().replace('0X', '0x'), '0xa1']) {
    expect(await search(id)).toEqual(all.adaptors);
  }
  expect((await search(packageId())).map(({ serviceType }) => serviceType)).toEqual([listing.serviceType]);
  expect(await search(address(0xdead))).toEqual([]);
});

test('a profile beyond its bounds is left out, with a warning', async () => {
  const { adaptors } = await (await fetch(`${gateway.url}/api/adaptors?publisher=${publisher}`)).json();
  const warned = adaptors.filter(({ manifestWarnings }: { manifestWarnings?: object[] }) => manifestWarnings);
  expect(warned).toHaveLength(1);
  expect(warned[0].manifest).not.toHaveProperty('profile');
  expect(warned[0].manifestWarnings).toEqual([
    expect.objectContaining({ code: 'field_dropped', path: 'profile' }),
  ]);
});
