import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { confirmAdaptor } from '../../../db/queries/agent/operator.ts';
import { runsBody } from '../../../lib/agent/shapes.ts';
import { describeSettings } from '../../../lib/config/describe.ts';
import { createMemoryKv } from '../../../lib/kv/memory.ts';
import { startTestGateway, type TestGateway } from '../../../test/support/gateway.ts';
import { addRun } from '../../../test/support/host-rows.ts';
import { adminSecret, asAdmin, issueTestKey } from '../../../test/support/keys.ts';
import { address, type SeededListing } from '../../../test/support/read-model.ts';
import { confirmationsBody, dispatcherBody, hostListingsBody, settingsBody } from './host.ts';

const settings = describeSettings({
  MARKETPLACE_ADMIN_SECRET: adminSecret,
  DATABASE_URL: 'postgres://me:pass-word@db/x',
  AGENT_PAYWALL_URL: 'https://me:pass-word@pay.example/a-key',
  TRUST_PROXY: '1',
});

let gateway: TestGateway;
beforeAll(async () => {
  const access = { kv: createMemoryKv(), adminSecret, anonymousPerMinute: 10_000, trustProxy: 0 };
  gateway = await startTestGateway(undefined, { access, settings });
});
afterAll(() => gateway.close());

async function get(path: string, headers: Record<string, string> = asAdmin) {
  const answer = await fetch(`${gateway.url}/api/admin/${path}`, { headers });
  return { status: answer.status, cache: answer.headers.get('cache-control'), body: await answer.json() };
}

/** All pages of a list, of two items each. */
async function fetchPages<Page extends { nextCursor?: string | undefined }>(
  path: string,
  schema: { parse(body: unknown): Page },
): Promise<Page[]> {
  const pages: Page[] = [];
  const separator = path.includes('?') ? '&' : '?';
  for (let cursor = ''; ; ) {
    const page = schema.parse((await get(`${path}${separator}limit=2${cursor}`)).body);
    pages.push(page);
    if (page.nextCursor === undefined) return pages;
    cursor = `&cursor=${encodeURIComponent(page.nextCursor)}`;
  }
}

describe.each(['runs', 'listings', 'confirmations', 'dispatcher', 'settings'])('/api/admin/%s', (path) => {
  test('is for the operator alone, and is not cached', async () => {
    const { key } = await issueTestKey(gateway.url);
    expect((await get(path, {})).status).toBe(401);
    expect((await get(path, { 'x-api-key': key })).status).toBe(401);
    expect((await get(path, { authorization: 'Bearer not-the-secret-of-it' })).status).toBe(401);
    expect(await get(path)).toMatchObject({ status: 200, cache: 'no-store' });
  });
});

test('a host without a store says which setting turns the endpoints of the operator on', async () => {
  const without = await startTestGateway();
  const answer = await fetch(`${without.url}/api/admin/runs`, { headers: asAdmin });
  const { code, detail } = await answer.json();
  expect([answer.status, code]).toEqual([503, 'kv_not_configured']);
  expect(detail).toContain('REDIS_URL');
  await without.close();
});

describe('runs', () => {
  const ids: string[] = [];
  let unknown: string;
  beforeAll(async () => {
    const { pool } = gateway.db;
    for (const wallet of [0xb1, 0xb2, 0xb3, 0xb4]) ids.push(await addRun(pool, { wallet }));
    unknown = await addRun(pool, { state: 'unknown', wallet: 0xb5 });
    ids.push(unknown);
  });

  test('of all wallets are listed page by page, the newest first, each once', async () => {
    const pages = await fetchPages('runs', runsBody);
    expect(pages.flatMap(({ runs }) => runs.map(({ id }) => id))).toEqual(ids.toReversed());
    expect(pages.map(({ count }) => count)).toEqual([2, 2, 1]);
  });

  test('that wait for the operator are found, also among those that are open', async () => {
    for (const filter of ['unknown', 'open']) {
      const { runs } = runsBody.parse((await get(`runs?filter=${filter}`)).body);
      expect(runs.map(({ id, state, digest }) => [id, state, digest])).toEqual([
        [unknown, 'unknown', 'D1gest'],
      ]);
    }
  });

  test.each([
    ['filter=done', 'invalid_query'],
    ['limit=101', 'invalid_query'],
    ['cursor=abc', 'bad_cursor'],
  ])('with a wrong query are refused: %s', async (query, code) => {
    expect(await get(`runs?${query}`)).toMatchObject({ status: 400, body: { code } });
  });
});

describe('listings', () => {
  let unlisted: SeededListing;
  beforeAll(async () => {
    const { seed, db } = gateway;
    await seed.listing();
    await seed.listing({ row: { publisherCheck: 'unverified' } });
    await seed.listing({ row: { witnessCheck: 'invalid', checkError: 'no such struct' } });
    unlisted = await seed.listing({ row: { listed: false } });
    const gone = await seed.listing({ fetched: false });
    await db.pool.query(
      `insert into manifest_fetches (network, hash, uri, status, last_error, attempts, next_attempt_at)
        select network, manifest_hash, manifest_uri, 'unreachable', 'HTTP 404', 3, now() from listings
        where service_type = $1`,
      [gone.serviceType],
    );
  });
  const fetchStatuses = async (query: string) => {
    const { listings } = hostListingsBody.parse((await get(`listings?${query}`)).body);
    return listings.map(({ status }) => status).toSorted();
  };

  test('that the catalog does not show are listed with the reasons', async () => {
    expect(await fetchStatuses('')).toEqual([
      'manifest_unreachable',
      'publisher_unverified',
      'witness_invalid',
    ]);
    const { listings } = hostListingsBody.parse((await get('listings')).body);
    const invalid = listings.find(({ status }) => status === 'witness_invalid');
    expect(invalid?.reason).toContain('no such struct');
  });

  test('whose manifest fails say how, how often and when it is tried again', async () => {
    const { listings } = hostListingsBody.parse((await get('listings?filter=manifest')).body);
    expect(listings).toMatchObject([{ status: 'manifest_unreachable', fetchAttempts: 3 }]);
    expect(listings[0]!.reason).toContain('HTTP 404');
    expect(listings[0]!.nextFetchMs).toBeGreaterThan(0);
  });

  test('that are unlisted are found', async () => {
    const { listings } = hostListingsBody.parse((await get('listings?filter=unlisted')).body);
    expect(listings.map(({ serviceType }) => serviceType)).toEqual([unlisted.serviceType]);
  });

  test('come page by page, each once', async () => {
    const pages = await fetchPages('listings?filter=all', hostListingsBody);
    const types = pages.flatMap(({ listings }) => listings.map(({ serviceType }) => serviceType));
    expect([types.length, new Set(types).size]).toEqual([5, 5]);
  });

  test('of a network that is not served are refused', async () => {
    expect(await get('listings?network=mainnet')).toMatchObject({
      status: 400,
      body: { code: 'network_not_configured' },
    });
  });
});

test('a confirmed adaptor says what changed since, and whether it is shown at all', async () => {
  const { db, seed } = gateway;
  const confirm = async ({ network, serviceType, publisher }: SeededListing, manifestHash?: string) => {
    const { rows } = await db.pool.query<{ package_id: string; manifest_hash: string }>(
      'select package_id, manifest_hash from listings where service_type = $1',
      [serviceType],
    );
    const [packageId, hash] = [rows[0]!.package_id, manifestHash ?? rows[0]!.manifest_hash];
    const adaptor = { network, serviceType, publisher, version: 1, packageId, manifestHash: hash };
    await confirmAdaptor(db.pool, { ...adaptor, confirmedAt: new Date() });
    return serviceType;
  };
  const read = { name: 'As it was read', feeBps: 10 };
  await db.pool.query('insert into manifests (hash, body) values ($1, $2)', ['e'.repeat(64), read]);
  const same = await confirm(await seed.listing());
  const changed = await confirm(await seed.listing({ manifest: { feeBps: 30 } }), 'e'.repeat(64));
  const gone = await confirm(await seed.listing({ row: { listed: false } }));
  const unlisted = {
    network: 'testnet',
    serviceType: `${address(1)}::a::A`,
    publisher: address(2),
    version: 1,
  };
  await confirmAdaptor(db.pool, {
    ...unlisted,
    packageId: address(1),
    manifestHash: 'f'.repeat(64),
    confirmedAt: new Date(),
  });

  const pages = await fetchPages('confirmations', confirmationsBody);
  const found = pages.flatMap(({ confirmations }) => confirmations);
  expect(pages.map(({ count }) => count)).toEqual([2, 2]);
  const findConfirmation = (of: string) => found.find(({ confirmed }) => confirmed.serviceType === of);
  expect(findConfirmation(same)).toMatchObject({ state: 'confirmed', changes: [] });
  expect(findConfirmation(gone)).toMatchObject({ state: 'not_shown', shown: null });
  expect(findConfirmation(unlisted.serviceType)).toMatchObject({ state: 'not_shown' });
  const update = findConfirmation(changed)!;
  expect(update.state).toBe('changed');
  expect(update.changes.map(({ path }) => path)).toContain('manifestHash');
  expect(update.changes).toContainEqual({ path: 'manifest.feeBps', before: 10, after: 30 });
});

test('the dispatcher says what waits and what fails', async () => {
  await gateway.seed.source();
  const { pool } = gateway.db;
  await pool.query(
    `insert into webhook_subscriptions (subscription, confirmed_at, failing_since, taken_at, leased_until)
      values ('wh_a', now(), now(), now(), now() + interval '1 hour'), ('wh_b', now(), null, null, null)`,
  );
  await pool.query(
    `insert into webhook_retries (subscription, stream, event, due_at)
      values ('wh_a', 'testnet', 'Test', now() - interval '5 minutes'),
        ('wh_a', 'testnet', 'Test', now() + interval '5 minutes')`,
  );
  const state = dispatcherBody.parse((await get('dispatcher')).body);
  expect(state).toMatchObject({
    subscriptions: { known: 2, leased: 1, held: 0, failing: 1, missing: 0 },
    retries: { waiting: 2, overdue: 1 },
  });
  expect(Object.keys(state.heads)).toEqual(['testnet']);
  expect(state.retries.oldestDueMs).toBeLessThan(Date.now());
});

test('settings show what is in force, and no secret', async () => {
  const { body } = await get('settings');
  const text = JSON.stringify(body);
  expect([text.includes(adminSecret), text.includes('pass-word'), text.includes('a-key')]).toEqual([
    false,
    false,
    false,
  ]);
  const shown = new Map(settingsBody.parse(body).settings.map(({ name, ...rest }) => [name, rest]));
  expect(shown.get('TRUST_PROXY')).toMatchObject({ isSet: true, value: '1' });
  expect(shown.get('MAX_LAG_SECONDS')).toMatchObject({ isSet: false, value: '60' });
  expect(shown.get('MARKETPLACE_ADMIN_SECRET')).toMatchObject({ isSet: true, value: '[masked]' });
  expect(shown.get('AGENT_PAYWALL_URL')).toMatchObject({ value: 'https://pay.example/…' });
  expect(shown.get('CRON_SECRET')).toMatchObject({ isSet: false, value: '' });
});
