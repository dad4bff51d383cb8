import { loadModule } from 'libpg-query';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Layout, readLayout } from '../../support/citus/layout.ts';
import { planText } from '../../support/citus/plan.ts';

let layout: Layout;
beforeAll(async () => {
  await loadModule();
  layout = readLayout(
    `select create_reference_table('attesters');
    select create_distributed_table('wallets', 'wallet_id', colocate_with => 'none');
    select create_distributed_table('delegates', 'wallet_id', colocate_with => 'wallets');
    select create_distributed_table('policies', 'wallet_id', colocate_with => 'wallets');
    select create_distributed_table('service_usage', 'service_type', colocate_with => 'none');
    select create_distributed_table('service_days', 'service_type', colocate_with => 'service_usage')`,
    'create view analytics.wallets as select wallet_id, owner from public.wallets where network is not null',
  );
});

const expectKind = (text: string, kind: string, reason?: string | RegExp): void => {
  const plan = planText(text, layout);
  expect({ text, kind: plan.kind, reasons: plan.reasons }).toMatchObject({ text, kind });
  if (reason) expect(plan.reasons.join('; ')).toMatch(reason);
};

describe('one value of the distribution column', () => {
  test.each([
    ['select * from wallets where network = $1 and wallet_id = $2'],
    ["select * from wallets where wallet_id = '0x1'::text for update"],
    [
      'select * from wallets w join delegates d using (network, wallet_id) where w.wallet_id = $1 limit (select $2::int)',
    ],
    [
      'select * from wallets w left join delegates d on d.wallet_id = w.wallet_id and d.delegate = $2 where w.wallet_id = $1',
    ],
    ['select * from wallets w left join delegates d on d.wallet_id = $1 where w.wallet_id = $1'],
    [
      'with recursive r as (select wallet_id from wallets where wallet_id = $1 union select wallet_id from r) select * from r',
    ],
    [
      'select * from wallets w where w.wallet_id = $1 and exists (select from delegates d where d.wallet_id = w.wallet_id)',
    ],
    [
      'select * from wallets w cross join lateral (select * from delegates d where d.wallet_id = w.wallet_id limit 3) d where w.wallet_id = $1',
    ],
    ['update wallets set paused = true, owner = $3 where network = $1 and wallet_id = $2 returning owner'],
    ['delete from delegates d using wallets w where d.wallet_id = $1 and w.wallet_id = $1'],
    ['select * from wallets join attesters a using (network) where wallet_id = $1'],
    [
      'insert into policies (network, wallet_id, version) values ($1, $2, 3) on conflict (network, wallet_id) do update set version = excluded.version',
    ],
  ])('is routed: %s', (text) => expectKind(text, 'routed'));

  test.each([
    ['select * from wallets where wallet_id = $1 or owner = $2', 'pushed down'],
    ['select * from wallets where wallet_id = any ($1::text[])', 'pushed down'],
    [
      'select * from wallets w where w.owner in (select delegate from delegates d where d.wallet_id = $1)',
      'pulled',
    ],
    [
      'select * from wallets w left join delegates d on d.wallet_id = w.wallet_id and w.wallet_id = $1',
      'pushed down',
    ],
    [
      'select * from (select (select $1::text) as id) key join wallets w on w.wallet_id = key.id',
      'pushed down',
    ],
  ])('is not taken from a condition that does not restrict all tables: %s', (text, kind) =>
    expectKind(text, kind),
  );

  test('does not route what acts on its server', () =>
    expectKind(
      "select pg_notify('x', owner) from wallets where wallet_id = $1",
      'refused',
      /act on a worker/,
    ));
});

describe('joins of many shards', () => {
  test.each([
    [
      'select w.owner, count(*) from wallets w join delegates d using (wallet_id) group by 1 order by 2 limit 3',
    ],
    ['select * from wallets w left join delegates d on d.wallet_id = w.wallet_id'],
    ['select * from unnest($1::text[]) as key (id) join wallets w on w.wallet_id = key.id'],
    ['select * from wallets join attesters a using (network)'],
    [
      'select * from (select wallet_id, count(*) from delegates group by wallet_id) d join wallets w using (wallet_id)',
    ],
    ['select * from wallets w where exists (select from delegates d where d.wallet_id = w.wallet_id)'],
    [
      'select * from unnest($1::text[]) key cross join lateral (select * from wallets w where w.wallet_id = key) w',
    ],
    [
      'select * from wallets w cross join lateral (select * from delegates d where d.wallet_id = w.wallet_id limit 1) d',
    ],
    ['select distinct on (wallet_id) * from delegates order by wallet_id'],
    ['select *, row_number() over (partition by wallet_id) from delegates'],
    ['select * from analytics.wallets w join delegates d using (wallet_id)'],
  ])('are pushed down on the distribution column: %s', (text) => expectKind(text, 'pushed down'));

  test.each([
    ['select * from wallets w join coins c on c.network = w.network', /`coins` of the coordinator/],
    ['select * from coins c left join wallets w on w.network = c.network', /outer join/],
    ['select * from attesters a left join wallets w on w.network = a.network', /outer join/],
    [
      'select * from wallets w join (select owner from wallets limit 9) o using (owner)',
      /`o` is a subplan for its Limit/,
    ],
    ['select * from wallets w join (select delegate from delegates) d on d.delegate = w.owner', /not joined/],
    [
      'select * from wallets w join (select service_type as x from service_usage) u on u.x = w.owner',
      /not joined/,
    ],
    ['with w as (select * from wallets) select * from w', /common table expression `w`/],
    ['select owner from wallets union all select delegate from delegates', /set operation/],
    ['select *, row_number() over (order by owner) from wallets', /window/],
    ['select network, array_agg(owner) from wallets group by network', /aggregate/],
    ['select * from coins where symbol in (select owner from wallets)', /subquery of an expression/],
    [
      'insert into hidden_texts (network, uri) select network, owner from wallets',
      /into a table of the coordinator/,
    ],
    [
      'update coins c set symbol = w.owner from wallets w where w.network = c.network',
      /changed table of the coordinator/,
    ],
  ])('are pulled on other columns and beside local tables: %s', (text, reason) =>
    expectKind(text, 'pulled', reason),
  );

  test.each([
    ['select * from wallets w join delegates d on d.delegate = w.owner', /requires repartitioning/],
    [
      'select * from wallets w join service_usage u on u.service_type = w.wallet_id',
      /requires repartitioning/,
    ],
    [
      'select * from unnest($1::text[]) key cross join lateral (select * from wallets w where w.wallet_id = key limit 1) w',
      /^Limit clause .*\(key\)/,
    ],
    [
      'select * from unnest($1::text[]) key cross join lateral (select count(*) from wallets w where w.wallet_id = key) w',
      /^Aggregates without group by/,
    ],
    [
      'select * from unnest($1::text[]) key left join lateral (select * from wallets w where w.wallet_id = key) w on true',
      /lateral outer join/,
    ],
    [
      'select * from wallets w where exists (select from delegates d where d.delegate = w.owner)',
      /complex joins/,
    ],
    [
      'select * from wallets w where exists (select from coins c where c.network = w.network)',
      /direct joins/,
    ],
    [
      'select * from coins c where exists (select from wallets w where w.network = c.network)',
      /correlated subqueries/,
    ],
    ['select * from wallets for update', /FOR UPDATE/],
    ['select owner, count(*) from wallets group by rollup (owner)', /GROUPING SETS/],
    ['select * from wallets limit (select $1::int)', /subquery in LIMIT/],
    [
      'with recursive r as (select owner from wallets union select owner from r) select * from r',
      /recursive CTEs/,
    ],
    ['select ctid from wallets', /not analysed: `ctid`/],
    ['select * from wallets natural join delegates', /not analysed: a natural join/],
    ['select * from wallets tablesample system (1)', /not analysed: RangeTableSample/],
    ['merge into wallets w using coins c on true when matched then delete', /not analysed: MergeStmt/],
  ])('are refused where Citus has no plan: %s', (text, reason) => expectKind(text, 'refused', reason));
});

describe('changes', () => {
  test.each([
    [
      'insert into wallets (network, wallet_id, owner) select network, wallet_id, delegate from delegates',
      'pushed down',
    ],
    [
      'insert into wallets (network, wallet_id, owner) select network, delegate, wallet_id from delegates',
      'pulled',
    ],
    [
      'insert into wallets (network, wallet_id) select $1, id from unnest($2::text[]) id on conflict do nothing',
      'pulled',
    ],
    ['insert into policies (network, wallet_id) values ($1, $2), ($1, $3)', 'pushed down'],
    [
      'update wallets set paused = c.paused from unnest($1::text[], $2::bool[]) as c (id, paused) where wallet_id = c.id',
      'pushed down',
    ],
    ['update wallets set owner = c.symbol from coins c where c.network = wallets.network', 'pulled'],
    ['with w as (delete from wallets returning wallet_id) select * from w', 'pulled'],
    ['copy wallets (network, wallet_id) from stdin', 'pushed down'],
    ['truncate wallets', 'pushed down'],
  ])('that Citus plans: %s', (text, kind) => expectKind(text, kind));

  const insert = 'insert into policies as p (network, wallet_id, version) values ($1, $2, 1)';
  test.each([
    [`${insert} on conflict (network, version) do nothing`, /no unique or exclusion constraint/],
    [
      `${insert} on conflict (network, wallet_id) do update set initialized_at = now()`,
      /marked IMMUTABLE: `now`/,
    ],
    [`${insert} on conflict (network, wallet_id) do update set wallet_id = 'x'`, /partition value/],
    [
      `${insert} on conflict (network, wallet_id) do update set version = 1 where now() > p.initialized_at`,
      /WHERE clause/,
    ],
    [`${insert} returning now()`, /RETURNING/],
    ['insert into hidden_texts (uri) values ((select owner from wallets limit 1))', /not analysed: INSERT/],
    ['insert into policies (network, version) values ($1, 1)', /without a partition column/],
    [
      'insert into policies (network, wallet_id) values ($1, (select owner from wallets limit 1))',
      /subqueries are not supported/,
    ],
    ['update wallets set wallet_id = owner', /partition value/],
    ['update wallets set created_at = clock_timestamp() where wallet_id = $1', /VOLATILE: `clock_timestamp`/],
    ["update wallets set owner = to_char(created_at, 'x')", /STABLE functions/],
    ['update wallets set created_at = coalesce(created_at, now())', /CASE or COALESCE/],
    ['update wallets set owner = some_function($1)', /not analysed: the function `some_function`/],
    [
      'update coins c set symbol = (select owner from wallets w where w.network = c.network)',
      /correlated subqueries/,
    ],
    ['update attesters a set name = w.owner from wallets w where w.network = a.network', /reference table/],
    [
      'with d as (delete from wallets returning *) select * from d join wallets w using (wallet_id)',
      /after one of its common table/,
    ],
  ])('that Citus refuses, or that would mean something else: %s', (text, reason) =>
    expectKind(text, 'refused', reason),
  );
});

test('a statement without a distributed table runs on the coordinator', () => {
  expectKind('select * from coins c join attesters a using (network) for update', 'coordinator');
});
