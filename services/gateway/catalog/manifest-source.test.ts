import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestGateway, type TestGateway } from '../../../test/support/gateway.ts';
import type { ListingSeed, SeededListing } from '../../../test/support/read-model.ts';

const commit = '0123456789abcdef0123456789abcdef01234567';
const known = { repository: 'https://github.com/reef/contracts', commit, path: 'packages/pool' };
const unknown = { repository: 'https://git.reef.example/contracts', commit };
const hostile = { repository: 'https://github.com@evil.example/reef/contracts', commit, path: '../x' };

let gateway: TestGateway;
let listings: SeededListing[];
beforeAll(async () => {
  gateway = await startTestGateway(async (seed) => {
    const list = (source: object, more: ListingSeed = {}) => seed.listing({ manifest: { source }, ...more });
    listings = [await list(known), await list(unknown), await list(hostile, { adjusted: true })];
  });
});
afterAll(() => gateway.close());

async function read({ serviceType }: SeededListing) {
  const { adaptor } = await (
    await fetch(`${gateway.url}/api/adaptors/${encodeURIComponent(serviceType)}`)
  ).json();
  const query = `{ adaptor(serviceType: "${serviceType}") { manifest { source { repository commit path } } } }`;
  const answer = await fetch(`${gateway.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query }),
  });
  const { data } = await answer.json();
  const path = `${gateway.url}/a/testnet/${serviceType}`;
  const page = await (await fetch(path, { headers: { accept: 'text/html' } })).text();
  return { rest: adaptor, graph: data.adaptor.manifest.source, page };
}

test('the commit that a manifest names is in REST and in the graph, and a link to it on the page', async () => {
  const { rest, graph, page } = await read(listings[0]!);
  expect(rest.manifest.source).toEqual(known);
  expect(graph).toEqual(known);
  expect(page).toContain(
    `href="https://github.com/reef/contracts/tree/${commit}/packages/pool" rel="noopener nofollow ugc noreferrer"`,
  );
});

test('a commit on a host whose pages are not known is text without a link', async () => {
  const { rest, graph, page } = await read(listings[1]!);
  expect(rest.manifest.source).toEqual(unknown);
  expect(graph).toEqual({ ...unknown, path: null });
  expect(page).toContain(unknown.repository);
  expect(page).not.toContain(`href="${unknown.repository}`);
});

test('source that could lead elsewhere is left out, with a warning', async () => {
  const { rest, graph, page } = await read(listings[2]!);
  expect(rest.manifest).not.toHaveProperty('source');
  expect(rest.manifestWarnings).toEqual([expect.objectContaining({ code: 'field_dropped', path: 'source' })]);
  expect(graph).toBeNull();
  expect(page).not.toContain('evil.example');
});
