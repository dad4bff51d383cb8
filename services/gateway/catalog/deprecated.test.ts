import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestGateway, type TestGateway } from '../../../test/support/gateway.ts';
import { address, type SeededListing } from '../../../test/support/read-model.ts';

const reason = 'Version 2 <b>takes</b> less';

let gateway: TestGateway;
let old: SeededListing;
let successor: SeededListing;
let lost: SeededListing;
beforeAll(async () => {
  gateway = await startTestGateway(async (seed) => {
    successor = await seed.listing({ manifest: { name: 'Jar two' } });
    old = await seed.listing({
      manifest: {
        name: 'Jar one',
        deprecated: reason,
        successor: successor.serviceType.replace(/^0x0+/, '0x'),
      },
      usage: { actions: 90, uniqueVaults: 9 },
    });
    lost = await seed.listing({
      manifest: { name: 'Jar zero', deprecated: reason, successor: `${address(0x999)}::jar::Jar` },
    });
    await seed.listing({ manifest: { name: 'Jar three', successor: old.serviceType } });
  });
});
afterAll(() => gateway.close());

const list = async (query: string) => {
  const { adaptors } = await (await fetch(`${gateway.url}/api/adaptors?${query}`)).json();
  return adaptors.map(({ manifest }: { manifest: { name: string } }) => manifest.name);
};

const readPage = async (path: string) =>
  (await fetch(gateway.url + path, { headers: { accept: 'text/html' } })).text();

test('deprecated listings are behind all others in the ranking and in a search', async () => {
  const ranked = await list('');
  expect(ranked.slice(0, 2).sort()).toEqual(['Jar three', 'Jar two']);
  expect(ranked.slice(2)).toEqual(['Jar one', 'Jar zero']);
  expect((await list('q=jar')).slice(0, 2).sort()).toEqual(['Jar three', 'Jar two']);
  expect((await list('q=jar+one'))[0]).toBe('Jar one');
  expect((await list('sort=usage'))[0]).toBe('Jar one');
});

test('pages of the ranking continue where the deprecated listings begin', async () => {
  const names: string[] = [];
  let cursor = '';
  do {
    const answer = await fetch(`${gateway.url}/api/adaptors?limit=1&sort=rank${cursor}`);
    const { adaptors, nextCursor } = await answer.json();
    names.push(adaptors[0].manifest.name);
    cursor = nextCursor === undefined ? '' : `&cursor=${nextCursor}`;
  } while (cursor !== '');
  expect(names).toEqual(await list(''));
});

test('the graph has the successor that the catalog shows, of a deprecated listing alone', async () => {
  const query = `{ adaptors(orderBy: NAME) { edges { node { manifest { name deprecated successor } successor { manifest { name } } } } } }`;
  const answer = await fetch(`${gateway.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query }),
  });
  const { data } = await answer.json();
  const nodes = data.adaptors.edges.map(
    ({ node }: { node: { successor: unknown; manifest: object } }) => node,
  );
  expect(nodes).toMatchObject([
    { manifest: { name: 'Jar one', deprecated: reason }, successor: { manifest: { name: 'Jar two' } } },
    { manifest: { name: 'Jar three', deprecated: null, successor: old.serviceType }, successor: null },
    { manifest: { name: 'Jar two', deprecated: null, successor: null }, successor: null },
    { manifest: { name: 'Jar zero', deprecated: reason }, successor: null },
  ]);
});

test('the page of a deprecated listing says so, links to its successor, and offers no button', async () => {
  const page = await readPage(`/a/testnet/${old.serviceType}`);
  expect(page).toContain('Deprecated by its publisher');
  expect(page).toContain('Version 2 &lt;b>takes&lt;/b> less');
  expect(page).toMatch(new RegExp(`<a href="/a/testnet/${successor.serviceType}"><bdi>Jar two</bdi></a>`));
  expect(page).not.toContain('class="button" href="/wallet/grant');
  const grant = await readPage(`/wallet/grant?network=testnet&service=${old.serviceType}`);
  expect(grant).toContain('Deprecated by its publisher');
  const orphan = await readPage(`/a/testnet/${lost.serviceType}`);
  expect(orphan).toContain('Deprecated by its publisher');
  expect(orphan).not.toContain('names a successor');
  const cards = await readPage('/');
  expect(cards.match(/<\/svg>Deprecated<\/span>/g)).toHaveLength(2);
});

test('analysts see the reason and the successor', async () => {
  const { rows } = await gateway.db.pool.query(
    'select deprecated, successor from analytics.adaptors where deprecated is not null order by name',
  );
  expect(rows).toEqual([
    { deprecated: reason, successor: expect.stringContaining('::adaptor::Witness') },
    { deprecated: reason, successor: `${address(0x999)}::jar::Jar` },
  ]);
});

test('a stranger who lists the adaptor of another publisher names no successor of it', async () => {
  const stranger = address(0xbad);
  const { serviceType } = await gateway.seed.listing({ manifest: { name: 'Jar four' } });
  const manifest = { name: 'Jar four', deprecated: reason, successor: successor.serviceType };
  await gateway.seed.listing({
    serviceType,
    publisher: stranger,
    row: { publisherCheck: 'unverified' },
    manifest,
  });
  const query = `{ adaptor(chain: TESTNET, serviceType: "${serviceType}", publisher: "${stranger}") {
    manifest { deprecated successor } successor { serviceType } } }`;
  const answer = await fetch(`${gateway.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query }),
  });
  expect(await answer.json()).toMatchObject({
    data: {
      adaptor: { manifest: { deprecated: reason, successor: successor.serviceType }, successor: null },
    },
  });
  for (const path of [
    `/a/testnet/${serviceType}?publisher=${stranger}`,
    `/wallet/grant?network=testnet&service=${serviceType}&publisher=${stranger}`,
  ]) {
    const page = await readPage(path);
    expect(page).toContain('Deprecated by its publisher');
    expect(page).not.toContain('names a successor');
  }
});
