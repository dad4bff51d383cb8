import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { quarantine, release } from '../../../db/queries/catalog/quarantines.ts';
import { createMemoryKv } from '../../../lib/kv/memory.ts';
import { buildRequest } from '../../../test/support/build-request.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { startTestGateway, type TestGateway } from '../../../test/support/gateway.ts';
import { adminSecret, asAdmin, issueTestKey } from '../../../test/support/keys.ts';
import { address, type SeededListing } from '../../../test/support/read-model.ts';
import { quarantinesBody } from './quarantines.ts';

let gateway: TestGateway;
beforeAll(async () => {
  const access = { kv: createMemoryKv(), adminSecret, anonymousPerMinute: 10_000, trustProxy: 0 };
  gateway = await startTestGateway(undefined, { access });
});
afterAll(() => gateway.close());

/** A category of its own for each test, so that each sees its own listings alone. */
let category: string;
let nth = 0;
beforeEach(() => {
  category = `Category ${++nth}`;
});

const list = (more: { publisher?: string; serviceType?: string } = {}) =>
  gateway.seed.listing({ ...more, manifest: { name: `Drainer ${category}`, category } });

async function ask(path: string, init: RequestInit = {}) {
  const answer = await fetch(gateway.url + path, init);
  return { status: answer.status, body: await answer.json() };
}

const post = (path: string, body: unknown, headers: Record<string, string> = asAdmin) =>
  ask(path, buildRequest(body, headers));

const decision = (subject: string, more: object = {}) => ({
  subject,
  reason: 'It drains grants',
  operator: 'Ada',
  ...more,
});
const hide = (subject: string, more?: object) => post('/api/admin/quarantines', decision(subject, more));
const free = (subject: string, more?: object) =>
  post('/api/admin/quarantines/release', decision(subject, { reason: 'It was fixed', ...more }));
const readRecord = async (query = '') =>
  quarantinesBody.parse((await ask(`/api/admin/quarantines?filter=all${query}`, { headers: asAdmin })).body);

/** Service types of the test's category in each list of the service, and the counts beside them. */
async function readLists() {
  const query = `category=${encodeURIComponent(category)}`;
  const document = `query ($category: String!, $name: String!) {
    byCategory: adaptors(chain: TESTNET, filter: { category: $category }) { totalCount edges { node { serviceType } } }
    all: adaptors(chain: TESTNET, filter: { category: $category, includeUnverified: true }) { edges { node { serviceType } } }
    found: adaptors(chain: TESTNET, filter: { category: $category, q: $name }) { edges { node { serviceType } } }
    alike: adaptors(chain: TESTNET, filter: { category: $category, alike: $name }) { edges { node { serviceType } } }
  }`;
  const variables = { category, name: `Drainer ${category}` };
  const [page, search, unverified, graph] = await Promise.all([
    ask(`/api/adaptors?${query}`),
    ask(`/api/adaptors?${query}&q=drainer`),
    ask(`/api/adaptors?${query}&include=unverified`),
    post('/graphql', { query: document, variables }, {}),
  ]);
  const toTypes = (body: { adaptors: { serviceType: string }[] }) =>
    body.adaptors.map(({ serviceType }) => serviceType).toSorted();
  const { byCategory, all, found, alike } = graph.body.data;
  const toNodes = ({ edges }: { edges: { node: { serviceType: string } }[] }) =>
    edges.map(({ node }) => node.serviceType).toSorted();
  return {
    totals: [page.body.total, byCategory.totalCount],
    types: [toTypes(page.body), toTypes(search.body), toTypes(unverified.body)],
    nodes: [toNodes(byCategory), toNodes(all), toNodes(found), toNodes(alike)],
  };
}

/** Expects that every list has exactly these entries. */
async function expectShown(...listings: SeededListing[]): Promise<void> {
  const types = listings.map(({ serviceType }) => serviceType).toSorted();
  await eventually(async () =>
    expect(await readLists()).toEqual({
      totals: [types.length, types.length],
      types: Array(3).fill(types),
      nodes: Array(4).fill(types),
    }),
  );
}

const readListing = async ({ serviceType, publisher }: SeededListing) =>
  (await ask(`/api/adaptors/${serviceType}?publisher=${publisher}`)).body;

describe('what an operator quarantines', () => {
  test('leaves every list and count, and a release brings it back', async () => {
    const [bad, good] = [await list(), await list()];
    await expectShown(bad, good);
    expect(await hide(bad.serviceType)).toMatchObject({
      status: 200,
      body: { subject: bad.serviceType, reason: 'It drains grants', operator: 'Ada', released: null },
    });
    await expectShown(good);
    expect((await free(bad.serviceType)).status).toBe(200);
    await expectShown(bad, good);
  });

  test('is all that a publisher lists, then and later, and nothing of others', async () => {
    const publisher = address(0xbad0 + nth);
    const [first, second, other] = [await list({ publisher }), await list({ publisher }), await list()];
    await hide(publisher);
    await expectShown(other);
    const later = await list({ publisher });
    await expectShown(other);
    await free(publisher);
    await expectShown(first, second, later, other);
  });

  test('stays hidden until both its own quarantine and that of its publisher have ended', async () => {
    const listing = await list();
    await hide(listing.serviceType);
    await hide(listing.publisher, { reason: 'All of it' });
    await free(listing.serviceType);
    await expectShown();
    expect(await readListing(listing)).toMatchObject({ quarantined: { reason: 'All of it' } });
    await free(listing.publisher);
    await expectShown(listing);
  });

  test('hides a service type of all publishers, and a publisher makes room for the next verified one', async () => {
    const first = await list();
    const second = await list({ serviceType: first.serviceType });
    await hide(first.publisher);
    await eventually(async () => {
      const { body } = await ask(`/api/adaptors?ids=${first.serviceType}`);
      expect(body.adaptors).toMatchObject([{ publisher: second.publisher }]);
    });
    await hide(first.serviceType);
    await expectShown();
  });

  test('is removed from copies of the catalog that follow its revisions', async () => {
    const { serviceType, publisher } = await list();
    const { nextRevision } = (await ask('/api/adaptors?sinceRevision=0')).body;
    await hide(serviceType);
    const changes = await ask(`/api/adaptors?sinceRevision=${nextRevision}`);
    expect(changes.body).toMatchObject({ changed: [], removed: [{ serviceType, publisher }] });
    await free(serviceType);
    const back = await ask(`/api/adaptors?sinceRevision=${changes.body.nextRevision}`);
    expect(back.body).toMatchObject({ changed: [{ serviceType }], removed: [] });
  });

  test('keeps its own address, which says so and why', async () => {
    const listing = await list();
    const { serviceType, publisher } = listing;
    const { body } = await hide(serviceType);
    expect(await readListing(listing)).toMatchObject({
      status: 'quarantined',
      reason: 'An operator of this marketplace holds it in quarantine: It drains grants.',
      quarantined: { reason: 'It drains grants', sinceMs: body.sinceMs },
      registered: { packageId: expect.any(String) },
      adaptor: null,
    });
    const query = `query ($serviceType: String!, $publisher: String!) {
      listing(chain: TESTNET, serviceType: $serviceType, publisher: $publisher) { id status quarantined { reason sinceMs } }
      adaptor(chain: TESTNET, serviceType: $serviceType, publisher: $publisher) { serviceType }
    }`;
    const { data } = (await post('/graphql', { query, variables: { serviceType, publisher } }, {})).body;
    const quarantined = { reason: 'It drains grants', sinceMs: body.sinceMs };
    expect(data).toMatchObject({ adaptor: null, listing: { status: 'QUARANTINED', quarantined } });
    const node = 'query ($id: ID!) { node(id: $id) { ... on Listing { status } } }';
    const byId = await post('/graphql', { query: node, variables: { id: data.listing.id } }, {});
    expect(byId.body.data).toEqual({ node: { status: 'QUARANTINED' } });
    await free(serviceType);
    expect(await readListing(listing)).toMatchObject({ status: 'shown', quarantined: null });
  });

  test("is among the operator's hidden listings, each once", async () => {
    const publisher = address(0xcad0 + nth);
    const [first, second] = [await list({ publisher }), await list({ publisher })];
    await hide(publisher);
    await hide(first.serviceType);
    const { body } = await ask('/api/admin/listings?filter=hidden&limit=200', { headers: asAdmin });
    const own = body.listings.filter((one: SeededListing) => one.publisher === publisher);
    expect(own).toMatchObject(
      [first, second]
        .map(({ serviceType }) => ({ serviceType, status: 'quarantined' }))
        .toSorted((a, b) => (a.serviceType < b.serviceType ? -1 : 1)),
    );
  });
});

describe('the record', () => {
  test('keeps who began and who ended each quarantine, the newest first, page by page', async () => {
    const [first, second] = [await list(), await list()];
    await hide(first.serviceType, { reason: 'One', operator: 'Ada' });
    await hide(second.serviceType, { reason: 'Two', operator: 'Ben' });
    await free(first.serviceType, { reason: 'A mistake', operator: 'Cleo' });
    await hide(first.serviceType, { reason: 'Three', operator: 'Dan' });
    const own = [
      { subject: first.serviceType, reason: 'Three', operator: 'Dan', released: null },
      { subject: second.serviceType, reason: 'Two', operator: 'Ben', released: null },
      {
        subject: first.serviceType,
        reason: 'One',
        operator: 'Ada',
        released: { reason: 'A mistake', operator: 'Cleo', atMs: expect.any(Number) },
      },
    ];
    const page = await readRecord('&limit=2');
    expect(page.quarantines).toMatchObject(own.slice(0, 2));
    const next = await readRecord(`&limit=1&cursor=${page.nextCursor}`);
    expect(next.quarantines).toMatchObject(own.slice(2));
    const active = await ask('/api/admin/quarantines?limit=2', { headers: asAdmin });
    expect(active.body.quarantines).toMatchObject(own.slice(0, 2));
  });

  test('is not changed by a second quarantine, a second release, or an unknown subject', async () => {
    const { serviceType } = await list();
    await hide(serviceType);
    const again = await hide(serviceType, { reason: 'Another reason', operator: 'Ben' });
    expect(again).toMatchObject({ status: 409, body: { code: 'already_quarantined' } });
    expect(again.body.detail).toContain('It drains grants');
    await free(serviceType);
    const record = await readRecord('&limit=1');
    expect(await free(serviceType)).toMatchObject({ status: 404, body: { code: 'quarantine_not_found' } });
    for (const unknown of [`${address(0x77)}::a::A`, address(0x77)]) {
      expect(await hide(unknown)).toMatchObject({ status: 404, body: { code: 'listing_not_found' } });
      expect(await free(unknown)).toMatchObject({ status: 404, body: { code: 'quarantine_not_found' } });
    }
    expect(await readRecord('&limit=1')).toEqual(record);
  });

  test('keeps a quarantine that the operator did not see: a release by the id of another one ends nothing', async () => {
    const { serviceType } = await list();
    const shown = (await hide(serviceType, { reason: 'A mistake?' })).body;
    await free(serviceType);
    const { body: newest } = await hide(serviceType, { reason: 'It steals' });
    const stale = await free(serviceType, { id: shown.id });
    expect(stale).toMatchObject({ status: 409, body: { code: 'quarantine_changed' } });
    expect(stale.body.detail).toContain('It steals');
    expect((await readRecord('&limit=1')).quarantines).toEqual([newest]);
    expect(await free(serviceType, { id: newest.id })).toMatchObject({
      status: 200,
      body: { id: newest.id },
    });
    expect(await free(serviceType, { id: newest.id })).toMatchObject({ status: 404 });
  });

  test('has one quarantine and one release however many operators act at the same time', async () => {
    const { network, serviceType: subject } = await list();
    const many = Array.from({ length: 12 }, (_, at) => ({
      network,
      subject,
      reason: `Reason ${at}`,
      operator: 'Ada',
    }));
    const { pool } = gateway.db;
    const begun = await Promise.all(many.map((decision) => quarantine(pool, decision)));
    expect(begun.filter(({ kind }) => kind === 'quarantined')).toHaveLength(1);
    const ended = await Promise.all(many.map((decision) => release(pool, decision)));
    expect(ended.filter(({ kind }) => kind === 'released')).toHaveLength(1);
    const { quarantines } = await readRecord('&limit=100');
    expect(quarantines.filter((one) => one.subject === subject)).toHaveLength(1);
  });
});

describe('a request is refused', () => {
  test('of everyone but the operator', async () => {
    const { serviceType } = await list();
    const { key } = await issueTestKey(gateway.url);
    for (const headers of [{}, { 'x-api-key': key }, { authorization: 'Bearer not-the-secret' }]) {
      for (const path of ['/api/admin/quarantines', '/api/admin/quarantines/release']) {
        expect((await post(path, decision(serviceType), headers as Record<string, string>)).status).toBe(401);
      }
      expect(
        (await ask('/api/admin/quarantines', { headers: headers as Record<string, string> })).status,
      ).toBe(401);
    }
    expect((await readLists()).types[0]).toEqual([serviceType]);
  });

  test.each<[string, object]>([
    ['without a reason', { reason: undefined }],
    ['with an empty reason', { reason: '  ' }],
    ['with a reason that is too long', { reason: 'x'.repeat(501) }],
    ['with control characters in the reason', { reason: 'a\u0000b' }],
    ['without a name of the operator', { operator: undefined }],
    ['with a subject that is neither a type nor an address', { subject: '0xzz' }],
    ['with an unknown field', { until: 7 }],
  ])('%s', async (_, more) => {
    const { serviceType } = await list();
    expect(await hide(serviceType, more)).toMatchObject({ status: 400, body: { code: 'invalid_body' } });
    expect((await readLists()).types[0]).toEqual([serviceType]);
  });

  test('with a megabyte of reason', async () => {
    const { serviceType } = await list();
    const answer = await hide(serviceType, { reason: 'x'.repeat(1_000_000) });
    expect(answer).toMatchObject({ status: 413 });
  });
});
