import { beforeAll, expect, test } from 'vitest';
import { useTestGateway } from '../../../test/support/gateway.ts';
import { readGraph } from '../../../test/support/graph-queries.ts';
import { address } from '../../../test/support/read-model.ts';

const buildServiceType = (n: number) => `${address(n)}::adaptor::Witness`;
const shown = buildServiceType(0xb1);
const [first, second, stranger] = [address(0xc1), address(0xc2), address(0xc3)];

/** Listings that the catalog does not show, each for one reason. */
const hidden: [
  status: string,
  words: RegExp,
  row: Record<string, unknown>,
  fetch?: Record<string, unknown>,
][] = [
  ['unlisted', /has unlisted it/, { listed: false }],
  [
    'manifest_mismatch',
    /does not have the registered hash: other bytes/,
    {},
    { status: 'mismatch', last_error: 'other bytes' },
  ],
  ['manifest_invalid', /not valid: name: missing/, {}, { status: 'invalid', last_error: 'name: missing' }],
  [
    'manifest_invalid',
    /does not belong to this listing: names another type/,
    { manifest_error: 'names another type' },
  ],
  [
    'manifest_unreachable',
    /cannot be fetched: timeout\. The indexer tries again/,
    {},
    { status: 'unreachable', last_error: 'timeout' },
  ],
  ['manifest_pending', /not fetched the manifest yet/, {}, { status: 'pending' }],
  [
    'witness_invalid',
    /no usable witness of this name: has fields/,
    { witness_check: 'invalid', check_error: 'has fields' },
  ],
  ['witness_pending', /not checked the witness yet/, { witness_check: 'pending' }],
  ['publisher_pending', /not checked the publisher yet/, { publisher_check: 'pending' }],
  ['publisher_unverified', /neither published the package/, { publisher_check: 'unverified' }],
  ['publisher_unverified', /no longer has the proof/, { publisher_check: 'unknown' }],
];
const odd = 'not a/type?';

const gateway = useTestGateway(async (seed) => {
  await seed.source({ checkpoint: 900 });
  await seed.listing({ serviceType: shown, publisher: stranger, row: { publisherCheck: 'unverified' } });
  const listing = await seed.listing({ serviceType: shown, publisher: first, manifest: { name: 'Shown' } });
  await seed.attestation(shown, address(5), 2);
  await seed.listing({ serviceType: shown, publisher: second, manifest: { name: 'Later' } });
  for (let n = 2; n <= 4; n++) await seed.update(listing, n);
  await seed.actor(shown, address(6));
  await seed.attestation(shown, address(6), 5);
  await seed.attestation(shown, address(5), 4);
  await seed.listing({ serviceType: odd, row: { nameError: 'expected the form', nextCheckAt: null } });
  for (const at of hidden.keys()) await seed.listing({ serviceType: buildServiceType(0xd00 + at) });
});
beforeAll(async () => {
  const set = (table: string, values: Record<string, unknown>, where: string) => {
    const names = Object.keys(values);
    if (names.length === 0) return;
    const assignments = names.map((name, at) => `${name} = $${at + 1}`).join(', ');
    return gateway.db.pool.query(`update ${table} set ${assignments} where ${where}`, Object.values(values));
  };
  for (const [at, [, , row, fetched]] of hidden.entries()) {
    const where = `service_type = '${buildServiceType(0xd00 + at)}'`;
    await set('listings', row, where);
    if (!fetched) continue;
    const hashes = `(select manifest_hash from listings where ${where})`;
    await gateway.db.pool.query(`delete from manifests where hash in ${hashes}`);
    await set('manifest_fetches', fetched, `hash in ${hashes}`);
  }
  // The same state as if no version of these listings had ever been verified.
  await gateway.db.pool.query('delete from catalog_entries where service_type <> $1', [shown]);
  await gateway.seed.refresh();
});

const get = (serviceType: string, rest = '') =>
  fetch(`${gateway.url}/api/adaptors/${encodeURIComponent(serviceType)}${rest}`);
const read = async (serviceType: string, rest = '') => {
  const answer = await get(serviceType, rest);
  expect([rest, answer.status]).toEqual([rest, 200]);
  return await answer.json();
};

test('a listing that the catalog shows is its entry, in every spelling of its name', async () => {
  const catalog = await (await fetch(`${gateway.url}/api/adaptors`)).json();
  const whole = await read(shown);
  expect(whole).toMatchObject({
    publisher: first,
    status: 'shown',
    reason: null,
    registered: { version: 1 },
  });
  expect(whole.adaptor).toEqual(
    catalog.adaptors.find((entry: { serviceType: string }) => entry.serviceType === shown),
  );
  expect(
    await read(
      shown.replace(/^0x0+/, '0x').toUpperCase().replace(/::.*/, '::adaptor::Witness').replace('0X', '0x'),
    ),
  ).toEqual(whole);
  const answer = await get(shown);
  expect(answer.headers.get('x-indexed-checkpoint')).toBe('900');
  const held = await fetch(answer.url, { headers: { 'if-none-match': answer.headers.get('etag')! } });
  expect(held.status).toBe(304);
});

test('another publisher is reached by its address, with the reason why it is not shown', async () => {
  expect(await read(shown, `?publisher=${second}`)).toMatchObject({
    status: 'other_publisher_shown',
    reason: expect.stringContaining(first),
    adaptor: { publisher: second, manifest: { name: 'Later' } },
  });
  expect(await read(shown, `?publisher=${stranger}`)).toMatchObject({
    status: 'publisher_unverified',
    adaptor: { publisherVerified: false },
  });
});

test.each(hidden.map(([status, words], at) => [status, words, at] as const))(
  'a listing that is not shown answers why: %s %s',
  async (status, words, at) => {
    const body = await read(buildServiceType(0xd00 + at));
    expect(body).toMatchObject({ status, reason: expect.stringMatching(words), registered: { version: 1 } });
    expect(body.adaptor === null).toBe(!status.startsWith('publisher'));
  },
);

test('a name that cannot be canonical is reached percent-encoded', async () => {
  expect(await read(odd)).toMatchObject({ serviceType: odd, status: 'name_invalid', adaptor: null });
  expect(await read(odd, '/versions')).toMatchObject({ count: 1 });
});

test.each(['', '/certificate', '/usage', '/versions', '/events', '/reviews'])(
  'what was never registered has no %s: 404',
  async (rest) => {
    for (const [serviceType, query] of [
      [buildServiceType(0xfff), ''],
      [shown, `?publisher=${address(1)}`],
      ['eventz', ''],
    ] as const) {
      const answer = await get(serviceType, rest + query);
      expect(answer.status).toBe(404);
      expect((await answer.json()).code).toBe('listing_not_found');
    }
  },
);

test.each(['events', 'keys', 'webhooks', 'schema', 'openapi.json', 'introspect', 'draft', 'infer'])(
  '/api/adaptors/%s is not a service type',
  async (path) => {
    const answer = await fetch(`${gateway.url}/api/adaptors/${path}`);
    expect((await answer.json()).code).not.toBe('listing_not_found');
  },
);

test.each([
  ['versions', 4],
  ['events', 7],
  ['reviews', 2],
])('%s come in pages, the newest first', async (name, total) => {
  const all = await read(shown, `/${name}`);
  expect(all).toMatchObject({ serviceType: shown, publisher: first, count: total });
  expect(all.nextCursor).toBeUndefined();
  const checkpoints = all[name].map(({ checkpoint }: { checkpoint: number }) => checkpoint);
  expect(checkpoints).toEqual(checkpoints.toSorted((a: number, b: number) => b - a));
  const seen = [];
  for (let cursor: string | undefined, more = true; more; more = cursor !== undefined) {
    const page = await read(shown, `/${name}?limit=1${cursor ? `&cursor=${cursor}` : ''}`);
    expect(page.count).toBe(1);
    seen.push(...page[name]);
    cursor = page.nextCursor;
  }
  expect(seen).toEqual(all[name]);
  expect((await get(shown, `/${name}?cursor=abc`)).status).toBe(400);
});

/** Repeats work during which a day (UTC) has ended, because its rows and its answers would be of different days. */
async function withinDay<T>(work: (daysAgo: (n: number) => string) => Promise<T>): Promise<T> {
  for (;;) {
    const startMs = Date.now();
    const daysAgo = (n: number) => new Date(startMs - n * 86_400_000).toISOString().slice(0, 10);
    const result = await work(daysAgo);
    if (new Date().toISOString().startsWith(daysAgo(0))) return result;
  }
}

test('use is answered by day, with the coins that were moved', async () => {
  const { pool } = gateway.db;
  // A sum of a million amounts of the most base units each.
  const taken = (2n ** 64n * 1_000_000n).toString();
  await pool.query(
    `insert into coins (network, coin_type, state, symbol, decimals)
      values ('testnet', '0x2::c::C25', 'found', 'C', 6), ('testnet', '0x2::c::C01', 'absent', null, null),
        ('mainnet', '0x2::c::C01', 'found', 'other', 1)`,
  );
  const { today, before, days } = await withinDay(async (daysAgo) => {
    const [today, before, long] = [daysAgo(0), daysAgo(6), daysAgo(7)];
    await pool.query('delete from service_days where service_type = $1', [shown]);
    await pool.query(
      `insert into service_days (network, service_type, day, actions, wallets)
        select 'testnet', $1, day, 3, 2 from unnest($2::date[]) day`,
      [shown, [today, before, long]],
    );
    await pool.query('delete from service_coin_days where service_type = $1', [shown]);
    await pool.query(
      `insert into service_coin_days (network, service_type, day, coin, actions, taken, brought)
        select 'testnet', $1, $2, '0x2::c::C' || lpad(n::text, 2, '0'), 1 + n / 25, $3, n from generate_series(1, 25) n`,
      [shown, today, taken],
    );
    const { days } = await read(shown, '/usage?days=7');
    return { today, before, days };
  });
  expect(days).toMatchObject([
    { day: before, actions: 3, wallets: 2, coins: [] },
    { day: today, actions: 3, wallets: 2 },
  ]);
  const { coins } = days[1];
  expect(coins).toHaveLength(20);
  expect(coins.slice(0, 2)).toEqual([
    { coin: '0x2::c::C25', symbol: 'C', decimals: 6, actions: 2, taken, brought: '25' },
    { coin: '0x2::c::C01', symbol: null, decimals: null, actions: 1, taken, brought: '1' },
  ]);
  expect((await read(shown, '/usage')).days).toHaveLength(3);
  for (const days of ['0', '367', '-1', '1.5', '']) {
    expect((await get(shown, `/usage?days=${days}`)).status).toBe(400);
  }
});

test('ratings by day are those of the last days, with their average', async () => {
  const { today, before, days } = await withinDay(async (daysAgo) => {
    const [today, before, long] = [daysAgo(0), daysAgo(6), daysAgo(7)];
    await gateway.db.pool.query('delete from service_rating_days where service_type = $1', [shown]);
    await gateway.db.pool.query(
      `insert into service_rating_days (network, service_type, day, ratings, score_sum)
        values ('testnet', $1, $2, 3, 8), ('testnet', $1, $3, 1, 5), ('testnet', $1, $4, 1, 1)`,
      [shown, today, before, long],
    );
    const { days } = await read(shown, '/ratings?days=7');
    const { adaptor } = await readGraph(
      gateway.url,
      `{ adaptor(serviceType: "${shown}") { ratingsByDay(days: 7) { day count avg } } }`,
    );
    expect(adaptor.ratingsByDay).toEqual(days);
    return { today, before, days };
  });
  expect(days).toEqual([
    { day: before, count: 1, avg: 5 },
    { day: today, count: 3, avg: 2.67 },
  ]);
  expect((await read(shown, '/ratings')).days).toHaveLength(3);
  expect((await read(shown, `/ratings?publisher=${stranger}`)).days).toEqual([]);
  expect((await get(shown, '/ratings?days=367')).status).toBe(400);
});

test("reviews are each attester's latest, with whether they used the service", async () => {
  const { reviews } = await read(shown, '/reviews');
  expect(reviews).toMatchObject([
    { attester: address(5), score: 4, verified: false },
    { attester: address(6), score: 5, verified: true },
  ]);
});

test('the list answers several service types at once', async () => {
  const list = async (query: string) => {
    const answer = await fetch(`${gateway.url}/api/adaptors?${query}`);
    return { status: answer.status, body: await answer.json() };
  };
  const unverified = buildServiceType(0xd00 + hidden.length - 1);
  const both = encodeURIComponent([unverified, shown.replace(/^0x0+/, '0x')].join(','));
  const only = await list(`ids=${both}`);
  expect(only.body).toMatchObject({
    count: 1,
    total: 1,
    adaptors: [{ serviceType: shown, publisher: first }],
  });
  const { body } = await list(`ids=${both}&include=unverified`);
  const types = body.adaptors.map((entry: { serviceType: string }) => entry.serviceType);
  expect([...new Set(types)].toSorted()).toEqual([shown, unverified].toSorted());
  const names = (count: number) =>
    Array.from({ length: count }, (_, n) => `${address(n)}::adaptor_of_a_name::WitnessOfName`)
      .map(encodeURIComponent)
      .join(',');
  expect((await list(`ids=${names(100)}`)).status).toBe(200);
  const refused = [`ids=${names(101)}`, 'ids=', `ids=${encodeURIComponent(odd)}`];
  for (const query of refused) {
    const { status, body } = await list(query);
    expect([status, body.code]).toEqual([400, 'invalid_query']);
  }
});
