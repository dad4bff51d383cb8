import { beforeAll, describe, expect, test } from 'vitest';
import { useTestDatabase } from '../../test/support/database.ts';
import { migrateDatabase } from '../migrate.ts';

const db = useTestDatabase();

async function asAnalyst(sql: string) {
  const client = await db.pool.connect();
  try {
    await client.query('begin');
    await client.query('set local role analyst');
    return await client.query(sql);
  } finally {
    await client.query('rollback');
    client.release();
  }
}

test('every view and every column says what it means', async () => {
  const { rows } = await db.pool.query<{ name: string }>(
    `select c.relname || coalesce('.' || a.attname, '') as name
      from pg_class c join pg_namespace n on n.oid = c.relnamespace
      cross join lateral (select attname, attnum from pg_attribute where attrelid = c.oid and attnum > 0
        union all select null, 0) a
      where n.nspname like 'analytics%' and case when a.attnum = 0 then obj_description(c.oid, 'pg_class')
        else col_description(c.oid, a.attnum) end is null`,
  );
  expect(rows).toEqual([]);
});

test('the role analyst reads each view', async () => {
  const { rows } = await db.pool.query<{ view: string }>(
    `select schemaname || '.' || viewname as view from pg_views where schemaname like 'analytics%'`,
  );
  const views = rows.map(({ view }) => view).sort();
  expect(views).toEqual([
    'analytics.adaptors',
    'analytics.agent_earnings',
    'analytics.agents',
    'analytics.allowlists',
    'analytics.attestations',
    'analytics.canary_days',
    'analytics.canary_ops',
    'analytics.caps',
    'analytics.certified_packages',
    'analytics.coins',
    'analytics.days',
    'analytics.delegate_allowances',
    'analytics.delegates',
    'analytics.function_certificates',
    'analytics.grant_uses',
    'analytics.jobs',
    'analytics.listing_days',
    'analytics.listing_versions',
    'analytics.package_sources',
    'analytics.package_statements',
    'analytics.policies',
    'analytics.policy_rules',
    'analytics.publishers',
    'analytics.registry_events',
    'analytics.review_scores',
    'analytics.reviews',
    'analytics.rules',
    'analytics.service_actions',
    'analytics.service_coin_days',
    'analytics.service_days',
    'analytics.service_first_uses',
    'analytics.service_grant_changes',
    'analytics.service_grants',
    'analytics.service_rating_days',
    'analytics.services',
    'analytics.sources',
    'analytics.update_changes',
    'analytics.wallet_retention',
    'analytics.wallets',
    'analytics_host.agent_runs',
    'analytics_host.key_usage',
    'analytics_host.webhook_deliveries',
    'analytics_host.webhook_health',
  ]);
  for (const view of views) expect((await asAnalyst(`select * from ${view}`)).rows).toEqual([]);
});

test('the role analyst reads no table behind them, and writes nothing', async () => {
  const { rows } = await db.pool.query<{ tablename: string }>(
    `select tablename from pg_tables where schemaname = 'public'`,
  );
  expect(rows.length).toBeGreaterThan(5);
  for (const { tablename } of rows) {
    await expect(asAnalyst(`select * from public.${tablename}`)).rejects.toThrow(/permission denied/);
  }
  await expect(asAnalyst('delete from analytics.sources')).rejects.toThrow(/permission denied/);
  await expect(asAnalyst('create table public.t ()')).rejects.toThrow(/permission denied/);
});

test('a second migration leaves the views as they are', async () => {
  const oid = async () =>
    (await db.pool.query(`select 'analytics.adaptors'::regclass::oid as oid`)).rows[0].oid;
  const before = await oid();
  await migrateDatabase(db);
  expect(await oid()).toBe(before);
});

describe('an answer about registry events reads what it is about, and not the table', () => {
  const count = 30_000;
  beforeAll(async () => {
    // Two wallets' events for each of the registry's, in the same pages, as two sources write them.
    await db.pool.query(
      `insert into events (network, checkpoint, tx_index, event_index, source, tx_digest, sender, timestamp, type, name,
          data, contents)
        select 'testnet', n / 4, n % 4, 0, case n % 3 when 0 then 'registry' else 'wallet' end, md5(n::text),
          case when n < 600 then 'busy once' else '0x' || md5((n * 7919 % 1000)::text) end, to_timestamp(1750000000 + n / 4), '0x1::registry::Attested', 'Attested',
          jsonb_build_object('serviceType', '0x1::a::B' || n, 'padding', repeat('x', 200)), '\\x'
        from generate_series(1, $1) n`,
      [count],
    );
    await db.pool.query('vacuum analyze events');
  });

  interface Plan {
    'Node Type': string;
    'Relation Name'?: string;
    Plans?: Plan[];
    'Actual Rows': number;
    'Shared Hit Blocks': number;
    'Shared Read Blocks': number;
  }
  const listNodes = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(listNodes)];

  const id = `(select md5('15000') || ':0')`;
  test.each([
    [
      'the latest 20 of a network',
      `where network = 'testnet' order by checkpoint desc, tx_index desc, event_index desc limit 20`,
      20,
      40,
    ],
    ['the latest 20 by time', 'order by occurred_at desc limit 20', 20, 40],
    ['one sender', `where sender = '0x' || md5('15') order by occurred_at desc limit 20`, 10, 40],
    [
      'one that sent two hundred, long ago',
      `where sender = 'busy once' order by occurred_at desc limit 20`,
      20,
      40,
    ],
    [
      'one minute',
      `where occurred_at >= to_timestamp(1750003000) and occurred_at < to_timestamp(1750003060)`,
      80,
      60,
    ],
    ['one event id', `where event_id = ${id}`, 1, 6],
    [
      'several event ids',
      `where event_id in (md5('15000') || ':0', md5('3') || ':0', md5('3') || ':1')`,
      2,
      15,
    ],
  ])('%s', async (_, rest, expected, blocksMax) => {
    const explained = await asAnalyst(
      `explain (analyze, buffers, format json) select * from analytics.registry_events ${rest}`,
    );
    const { Plan: plan } = explained.rows[0]['QUERY PLAN'][0] as { Plan: Plan };
    const scans = listNodes(plan).filter((node) => node['Node Type'] === 'Seq Scan');
    expect(scans).toEqual([]);
    expect(plan['Actual Rows']).toBe(expected);
    expect(plan['Shared Hit Blocks'] + plan['Shared Read Blocks']).toBeLessThanOrEqual(blocksMax);
  });
});
