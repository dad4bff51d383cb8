import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ProblemError } from '../../../lib/errors/index.ts';
import { checkStatement } from './check.ts';

async function refusal(sql: string): Promise<ProblemError | undefined> {
  try {
    await checkStatement(sql);
    return undefined;
  } catch (error) {
    if (error instanceof ProblemError) return error;
    throw error;
  }
}

describe('what analysts write passes', () => {
  test.each([
    'select 1',
    'select 1;',
    '-- a comment\nselect 1 /* another */ ;',
    'select * from analytics.adaptors',
    'select a.* from adaptors a',
    'select distinct on (category) category, name from adaptors order by category, actions desc nulls last',
    "select date_trunc('week', registered_at) as week, count(*) filter (where listed) from adaptors group by 1 order by 1",
    "select extract(day from occurred_at), occurred_at at time zone 'Europe/Berlin' from attestations",
    'select network, sum(amount) over (partition by coin order by created_at rows between 3 preceding and current row) from jobs',
    'with a as (select * from adaptors), b as (select service_type from a) select count(*) from b',
    'select x.coin, x.taken from service_actions s, unnest(s.coins, s.taken) as x(coin, taken)',
    'select coin from service_actions, unnest(coins) as coin',
    "select e.data ->> 'serviceType', e.data #>> '{a,b}' from registry_events e where e.data @> '{\"score\": 5}'::jsonb",
    "select count(*) from wallets where (network, wallet_id) > ('testnet', '0x1')",
    "select * from wallets where owner = any(array['0x1', '0x2']::text[]) or network in ('testnet', 'mainnet')",
    'select exists (select from adaptors), (select max(score) from attestations)',
    'select * from adaptors left join rules using (network) cross join sources',
    'select 1 union all select 2 except select 3',
    'select network, count(*) from wallets group by grouping sets ((network), ())',
    'select percentile_cont(0.5) within group (order by actions) from adaptors',
    "select case when score > 3 then 'good' else 'bad' end, coalesce(comment_uri, ''), nullif(score, 1) from attestations",
    "select tx_digest || ':' || 1::text, lower(attester) like '0x%' escape '!' from attestations, registry_events",
    'select skills[1], cardinality(skills), amount::numeric(20, 2) from agents, jobs',
    "select * from (values (1, 'a'), (2, 'b')) as v(n, t) where n between 1 and 2 and t is not null",
    "select substring(name from 1 for 3), trim(both ' ' from name), position('a' in name) from adaptors",
    "select current_date - interval '7 days', now(), to_char(now(), 'YYYY-MM')",
    'select 1 limit 10 offset 5',
    'select t.count, t.rank from (select count(*), rank() over () from adaptors) t',
    "select occurred_at::date, ('2026-01-01 00:00 Europe/Berlin'::text)::timestamptz from attestations",
    'with d as (select max(occurred_at) as occurred_at from attestations) select occurred_at::date from d',
    "with d as (select date_trunc('day', occurred_at) as day from attestations) select day::date, (day + interval '1 day')::date from d",
    "select (data ->> 'at')::timestamptz, data -> 'a' from registry_events",
    'select c.coin, c.taken, c.ordinality from service_actions s, unnest(s.coins, s.taken) with ordinality as c(coin, taken)',
    'select c.c, unnest.unnest from unnest(array[1]) as c, unnest(array[2])',
    'select e.key, e.value, x.value from jsonb_each(null::jsonb) as e, jsonb_array_elements(null::jsonb) as x',
    'select x.* from unnest(array[1]) as x',
    'select (skills)[1], (string.b)[1] from agents, (select skills as b from agents) string',
  ])('%s', async (sql) => expect(await refusal(sql)).toBeUndefined());
});

describe('what is not on the allow list is refused, at its position', () => {
  test.each<[sql: string, culprit: string]>([
    ['select pg_sleep(1e9)', 'pg_sleep'],
    ['select pg_advisory_lock(1)', 'pg_advisory_lock'],
    ['select pg_try_advisory_xact_lock(1)', 'pg_try'],
    ["select pg_notify('a', 'b')", 'pg_notify'],
    ['select pg_terminate_backend(1)', 'pg_terminate'],
    ['select pg_cancel_backend(1)', 'pg_cancel'],
    ["select set_config('statement_timeout', '0', false)", 'set_config'],
    ["select current_setting('data_directory')", 'current_setting'],
    ["select query_to_xml('select 1', true, true, '')", 'query_to_xml'],
    ["select database_to_xml(true, true, '')", 'database_to_xml'],
    ["select repeat('x', 1000000000)", 'repeat'],
    ["select lpad('x', 1000000000)", 'lpad'],
    ["select format('%1000000000s', 'x')", 'format'],
    ["select replace(repeat, 'a', 'b') from adaptors", 'replace'],
    ["select regexp_replace(name, '.', 'xxxxxxxx', 'g') from adaptors", 'regexp_replace'],
    ['select generate_series(1, 1000000000)', 'generate_series'],
    ['select * from generate_series(1, 1000000000)', 'generate_series'],
    ['select array_agg(manifest) from adaptors', 'array_agg'],
    ["select string_agg(name, '') from adaptors", 'string_agg'],
    ['select jsonb_agg(manifest) from adaptors', 'jsonb_agg'],
    ["select pg_read_file('/etc/passwd')", 'pg_read_file'],
    ["select pg_ls_dir('.')", 'pg_ls_dir'],
    ['select lo_create(0)', 'lo_create'],
    ["select lo_import('/etc/passwd')", 'lo_import'],
    ["select * from dblink('', 'select 1') as t(a int)", 'dblink'],
    ['select txid_current()', 'txid_current'],
    ["select nextval('a')", 'nextval'],
    ['select version()', 'version'],
    ['select inet_server_addr()', 'inet_server_addr'],
    ['select pg_catalog.pg_sleep(1)', 'pg_catalog'],
    ['select public.similarity(name, name) from adaptors', 'public'],
    ['select analytics.count(1)', 'analytics'],
    ['select "PG_SLEEP"(1)', '"PG_SLEEP"'],
    ['select count(*) filter (where pg_sleep(1) is null) from adaptors', 'pg_sleep'],
    ['select 1 order by pg_sleep(1)', 'pg_sleep'],
    ['select 1 limit (select 1 from pg_class)', 'pg_class'],
    ['select sum(1) over (order by pg_sleep(1))', 'pg_sleep'],
    ['select 1 from adaptors a join rules r on pg_sleep(1) is null', 'pg_sleep'],
    ['select * from pg_class', 'pg_class'],
    ['select * from pg_catalog.pg_authid', 'pg_catalog'],
    ['select * from pg_stat_activity', 'pg_stat_activity'],
    ['select * from information_schema.tables', 'information_schema'],
    ['select * from public.events', 'public'],
    ['select * from public.agent_runs', 'public'],
    ['select * from analytics_host.key_usage', 'analytics_host'],
    ['select * from key_usage', 'key_usage'],
    ['table pg_roles', 'pg_roles'],
    ['with pg_class as (select 1) select 1 from pg_class', 'pg_class as'],
    ['select * from postgres.analytics.adaptors', 'postgres'],
    ["select 'pg_authid'::regclass", '::regclass'],
    ["select cast('x' as regproc)", 'cast'],
    ["select regrole '10'", 'regrole'],
    ["select '1'::oid", '::oid'],
    ["select '<a/>'::xml", '::xml'],
    ["select 'x'::char(10485760)", '::char'],
    ["select '1'::public.money", '::public'],
    ['select * into t from adaptors', 'select'],
    ['select * from adaptors for update', 'select'],
    ['select * from adaptors for key share', 'select'],
    ['copy adaptors to stdout', 'copy'],
    ["copy (select 1) to program 'id'", 'copy'],
    ['set role postgres', 'set'],
    ['reset role', 'reset'],
    ['set statement_timeout = 0', 'set'],
    ['show all', 'show'],
    ['do $$ begin end $$', 'do'],
    ['call x()', 'call'],
    ['insert into adaptors values (1)', 'insert'],
    ['update adaptors set name = 1', 'update'],
    ['delete from adaptors', 'delete'],
    ['create table t (a int)', 'create'],
    ['drop schema analytics', 'drop'],
    ['lock table adaptors', 'lock'],
    ['listen a', 'listen'],
    ['notify a', 'notify'],
    ['begin', 'begin'],
    ['commit', 'commit'],
    ['declare c cursor for select 1', 'declare'],
    ['fetch 1 from c', 'fetch'],
    ['prepare p as select 1', 'prepare'],
    ['execute p', 'execute'],
    ['explain analyze select 1', 'explain'],
    ['vacuum', 'vacuum'],
    ['discard all', 'discard'],
    ['checkpoint', 'checkpoint'],
    ['select 1; select 2', ' select 2'],
    ['select 1; drop schema analytics', ' drop'],
    ['with w as (delete from adaptors returning *) select * from w', 'delete'],
    ['with w as (insert into adaptors default values returning 1) select 1', 'insert'],
    ['with recursive r as (select 1 union all select 1 from r) select * from r', 'with'],
    ['select current_user', 'current_user'],
    ['select session_user', 'session_user'],
    ['select current_catalog', 'current_catalog'],
    ['select current_schema', 'current_schema'],
    ['select $1', '$1'],
    ['select xmlelement(name a)', 'xmlelement'],
    ['select name similar to name from adaptors', 'similar'],
    ['select name collate "C" from adaptors', 'collate'],
    ['select * from adaptors tablesample system (1)', 'adaptors'],
    ['select array(select name from adaptors)', 'array'],
    ['select array[name, name] from adaptors', 'array'],
    ['select row(name, name) from adaptors', 'row'],
    ['select a from adaptors a', 'a from'],
    ['select adaptors from adaptors', 'adaptors from'],
    ['select count(a.*) from adaptors a', 'a.*'],
    ['select a.array_agg from adaptors a', 'a.array_agg'],
    ['select analytics.adaptors.row_to_json from adaptors', 'analytics.adaptors'],
    ['select a.max from adaptors a', 'a.max'],
    ['select 1 from adaptors a where a.to_jsonb is null', 'a.to_jsonb'],
    ['select a."json_agg" from adaptors a', 'a."json_agg"'],
    ['select s from (select name, name from adaptors) s', 's from'],
    ['select 1 operator(public.+) 1', 'operator'],
    ['select 1 <<>> 1', '<<>>'],
    [
      'select name || name || name || name || name || name || name || name || name || name from adaptors',
      '||',
    ],
    ["select now() at time zone ('ABC' || name) from adaptors", 'at time zone'],
    ["select date_trunc('day', now(), name) from adaptors", 'date_trunc'],
    ["select ('2026-01-01 ABC' || name)::timestamptz from adaptors", '::timestamptz'],
    ["select cast(to_char(actions, '999') as date) from adaptors", 'cast'],
    ["select x::timestamp from (select 'ABC' || name as x from adaptors) t", '::timestamp'],
    ['select x::timestamp from (select left(name, 3) from adaptors) t(x)', '::timestamp'],
    ['select "left"::date from (select left(name, 3) from adaptors) t', '::date'],
    [
      'select name::date from (select case when listed then left(name, 3) else name end from adaptors) t',
      '::date',
    ],
    ["select x::date from split_part('a', 'b', 1) x", '::date'],
    ['select json_array(1, 2)', 'json_array'],
    ["select json_object('a': 1)", 'json_object'],
    ["select * from json_table('[]'::jsonb, '$' columns (a int path '$'))", 'json_table'],
    ['select merge_action()', 'merge_action'],
    ['select (a).name from adaptors a', 'a).'],
    ["select ('server_version'::text).current_setting", "('server_version'"],
    ['select (actions::float8).pg_sleep from adaptors', '(actions'],
    ['select (a.name).pg_get_viewdef from adaptors a', '(a.name'],
    ["select (jsonb_each('{}'::jsonb)).row_to_json", '(jsonb_each'],
    ['select (skills[1]).current_setting from agents', '(skills[1]'],
    ['select x.pg_sleep from unnest(array[9.9]::float8[]) x', 'x.pg_sleep'],
    ["select 1 from unnest(array['a']) as x where x.current_setting is null", 'x.current_setting'],
    ["select unnest.current_setting from unnest(array['a'])", 'unnest.'],
    ["select x.current_setting from rows from (unnest(array['a'])) as x", 'x.current_setting'],
    ["select x.current_setting from coalesce('a', 'b') as x", 'x.current_setting'],
    ["select coalesce.current_setting from coalesce('a', 'b')", 'coalesce'],
    ['select pg_sleep.pg_sleep from unnest(array[9.9]::float8[]) as pg_sleep(a)', 'pg_sleep.pg_sleep'],
    ["select version.version from jsonb_array_elements_text('[]'::jsonb) as version", 'version.version'],
    [
      'select x.pg_sleep from unnest(array[1]) as x(pg_sleep) union select (select x.pg_sleep from unnest(array[9]) as x)',
      'x.pg_sleep',
    ],
    ['select grouping(name), pg_typeof(1) from adaptors group by name', 'pg_typeof'],
  ])('%s', async (sql, culprit) => {
    const problem = await refusal(sql);
    expect(problem).toMatchObject({ code: 'sql_refused', status: 422 });
    const [row] = problem!.errors!;
    expect(row!.path).toBe('body.sql');
    // A node is where its text begins, or where its operator is.
    const at = row!.position! - 1;
    expect(sql.slice(Math.max(0, at - 30), at + 20)).toContain(culprit);
  });

  test('a refused statement is described without the names of the parser', async () => {
    for (const sql of ['delete from adaptors', 'create table t (a int)', 'vacuum']) {
      expect((await refusal(sql))?.message).toContain('A statement other than `select` is not allowed.');
    }
  });

  test('positions count characters, whatever bytes they have', async () => {
    const problem = await refusal("select 'ü€𝄞', pg_sleep(1)");
    expect(problem?.errors).toEqual([
      { path: 'body.sql', message: 'The function `pg_sleep` is not allowed.', position: 15 },
    ]);
  });

  test('a name that is nearly right is answered with the right one', async () => {
    expect((await refusal('select * from adaptor'))?.detail).toContain('Did you mean `analytics.adaptors`?');
    expect((await refusal('select cout(1)'))?.detail).toContain('Did you mean `count`?');
  });
});

describe('what grows when PostgreSQL puts subqueries into their uses is refused before it plans', () => {
  const nest = (levels: number, expression: string, inner: string) => {
    let sql = inner;
    for (let level = 0; level < levels; level += 1) sql = `select ${expression} as a from (${sql}) t`;
    return sql;
  };
  const chain = (levels: number) =>
    `with q0 as (select actions as a from adaptors)${Array.from(
      { length: levels },
      (_, n) => `, q${n + 1} as (select a + a as a from q${n})`,
    ).join('')} select a from q${levels}`;
  const laterals = (levels: number) =>
    `select 1 from adaptors t0${Array.from(
      { length: levels },
      (_, n) => `, lateral (select ${n ? `t${n}.a + t${n}.a` : 'actions'} as a) t${n + 1}`,
    ).join('')} where t${levels}.a > 0`;

  test.each([
    ['subqueries', nest(25, 'a + a', 'select actions as a from adaptors')],
    ['subqueries with an order', nest(25, 'a + a', 'select actions as a from adaptors order by 1')],
    ['scalar subqueries', nest(15, '(select a + a + a)', 'select actions as a from adaptors')],
    ['wide subqueries', nest(6, Array(12).fill('a').join('+'), 'select actions as a from adaptors')],
    ['common table expressions', chain(25)],
    ['lateral subqueries', laterals(25)],
    [
      'a union',
      `select 1 from (select actions as a from adaptors${' union all select 1'.repeat(100)}) u where ${Array(120).fill('a').join('+')} > 0`,
    ],
  ])('%s', async (_, sql) => {
    expect(await refusal(sql)).toMatchObject({
      code: 'sql_refused',
      detail: expect.stringContaining('more than 10000 terms'),
    });
  });

  test('arithmetic, which PostgreSQL does not interrupt within a row', async () => {
    const sums = (count: number, of: string) => `select ${Array(count).fill(of).join(' + ')} from adaptors`;
    const refused = {
      code: 'sql_refused',
      detail: expect.stringContaining('more than 200 multiplications'),
    };
    for (const term of ['1 * 2', 'mod(1, 2)', '2 ^ 3', 'power(2, 3)', '7 % 2']) {
      expect(await refusal(sums(100, term)), term).toBeUndefined();
    }
    expect(await refusal(nest(8, 'a * a', 'select actions as a from adaptors'))).toMatchObject(refused);
    expect(await refusal(nest(6, 'mod(a, a)', 'select actions as a from adaptors'))).toBeUndefined();
    expect(await refusal(nest(8, 'mod(a, a)', 'select actions as a from adaptors'))).toMatchObject(refused);
  });

  test('texts that double', async () => {
    const sql = nest(4, 'a || a', 'select name as a from adaptors');
    expect((await refusal(sql))?.detail).toContain('more than 8 times `||`');
    expect(await refusal(nest(3, 'a || a', 'select name as a from adaptors'))).toBeUndefined();
  });
});

test('at most sixteen aggregates sort by themselves, wherever in the statement they stand', async () => {
  const counts = (count: number, of: string) => Array(count).fill(`count(${of})`).join(', ');
  expect(await refusal(`select ${counts(16, 'distinct name')} from adaptors`)).toBeUndefined();
  const refused = { code: 'sql_refused', detail: expect.stringContaining('More than 16 aggregates') };
  expect(await refusal(`select ${counts(17, 'distinct name')} from adaptors`)).toMatchObject(refused);
  const half = `select ${counts(9, 'distinct name')} from adaptors`;
  expect(await refusal(`${half} union all ${half}`)).toMatchObject(refused);
  expect(await refusal(`select ${counts(40, 'name')} from adaptors`)).toBeUndefined();
});

test('sorts, hashes and buffers are counted, of each grouping set', async () => {
  const few = await checkStatement('select name from adaptors order by name');
  expect(few).toBeLessThan(5);
  const many = Array.from({ length: 16 }, (_, n) => `count(distinct left(name, ${n}))`).join(', ');
  expect(await checkStatement(`select ${many} from adaptors`)).toBeGreaterThan(16);
  expect(
    await checkStatement(`select ${many} from adaptors group by rollup(name, category, network)`),
  ).toBeGreaterThan(64);
  const windows = Array.from({ length: 30 }, (_, n) => `max(name) over (order by left(name, ${n}))`);
  expect(await checkStatement(`select ${windows.join(', ')} from adaptors`)).toBeGreaterThan(60);
});

describe('what does not parse is 400', () => {
  test.each([
    ['select from from x', 13],
    ['selec 1', 1],
    ["select 'a", 8],
    ['select é from from x', 15],
    ['', undefined],
    [' ;; -- nothing', undefined],
  ])('%s', async (sql, position) => {
    const problem = await refusal(sql);
    expect(problem).toMatchObject({ code: 'sql_invalid', status: 400 });
    expect(problem!.errors![0]!.position).toBe(position);
  });
});

describe('a statement of any depth is answered, and so is the next one', () => {
  const deep: [string, (n: number) => string][] = [
    ['parentheses', (n) => `select ${'('.repeat(n)}1${')'.repeat(n)}`],
    ['operators', (n) => `select 1${'+1'.repeat(n)}`],
    ['not', (n) => `select ${'not '.repeat(n)}true`],
    ['signs', (n) => `select ${'- '.repeat(n)}1`],
    ['subqueries', (n) => `select * from ${'(select * from '.repeat(n)}adaptors${') a'.repeat(n)}`],
    ['unions', (n) => `select 1${' union select 1'.repeat(n)}`],
    ['cases', (n) => `select ${'case when '.repeat(n)}true${' then true end'.repeat(n)}`],
    ['arrays', (n) => `select ${'array['.repeat(n)}1${']'.repeat(n)}`],
    ['joins', (n) => `select 1 from adaptors${', adaptors'.repeat(n)}`],
  ];
  test.each(deep)('%s', async (_, make) => {
    for (const levels of [10, 100, 160, 330, 490, 990, 5_000]) {
      const problem = await refusal(make(levels).slice(0, 10_000));
      expect([undefined, 'sql_refused', 'sql_invalid']).toContain(problem?.code);
    }
    expect(await refusal('select 1')).toBeUndefined();
  });
});

test('columns that name each other several times are looked at once each', async () => {
  const columns = Array.from({ length: 60 }, (_, n) => `coalesce(a${n + 1}, a${n + 1}) as a${n}`);
  const select = (last: string) => `select a0::date, ${columns.join(', ')}, ${last} as a60 from adaptors`;
  expect(await refusal(select('registered_at'))).toBeUndefined();
  expect(await refusal(select('left(name, 3)'))).toMatchObject({ code: 'sql_refused' });
});

describe('of random statements', () => {
  const column = fc.constantFrom('name', 'a.name', 'actions', "'text'", '1', 'null', 'registered_at');
  /** Expressions that pass; `hole` stands for one of them. */
  const expressions = (hole: fc.Arbitrary<string>): fc.Arbitrary<string> => {
    const { expression } = fc.letrec<{ expression: string }>((tie) => ({
      expression: fc.oneof(
        { maxDepth: 4, withCrossShrink: true },
        hole,
        fc.tuple(tie('expression'), tie('expression')).map(([a, b]) => `(${a} = ${b})`),
        tie('expression').map((a) => `coalesce(${a}, null)`),
        tie('expression').map((a) => `max(${a}) over (partition by ${a})`),
        tie('expression').map((a) => `case when (${a}) is null then 1 else 2 end`),
        tie('expression').map((a) => `(select count(*) filter (where (${a}) is null) from rules)`),
        tie('expression').map((a) => `(${a}) in (select 1 from wallets order by ${a} limit 1)`),
        tie('expression').map((a) => `(${a})::text`),
        tie('expression').map((a) => `exists (with w as (select ${a} as x) select x from w)`),
        tie('expression').map((a) => `(select x from (values (${a})) as v(x))`),
      ),
    }));
    return expression;
  };
  const statement = (expression: string) =>
    `select ${expression} as x from adaptors a where (${expression}) is not null`;

  test('all that are made of what is allowed pass', async () => {
    await fc.assert(
      fc.asyncProperty(expressions(column), async (expression) => {
        expect((await refusal(statement(expression)))?.detail).toBeUndefined();
      }),
      { numRuns: 300 },
    );
  });

  const hostile = fc.constantFrom(
    'pg_sleep(1)',
    "set_config('a', 'b', true)",
    "current_setting('a')",
    'pg_catalog.pg_notify(name, name)',
    '(select 1 from pg_authid)',
    '(select 1 from public.listings)',
    '(select 1 from analytics_host.key_usage)',
    "'events'::regclass",
    'array(select 1)',
    'current_user',
    '(a).name',
    "('a'::text).current_setting",
    '(select x.pg_sleep from unnest(array[1]) as x)',
    '$1',
    'array_agg(name)',
    '(select a)',
    '(select 1 from adaptors for share)',
    '(1 operator(public.=) 1)',
    'xmlforest(name)',
  );

  test('none with something else in it passes, wherever that stands', async () => {
    await fc.assert(
      fc.asyncProperty(expressions(fc.constant('@')), hostile, fc.nat(), async (expression, part, nth) => {
        const holes = expression.split('@').length - 1;
        let at = -1;
        const filled = expression.replaceAll('@', () => (++at === nth % holes ? part : 'name'));
        expect(await refusal(`select ${filled} as x from adaptors a`)).toMatchObject({ code: 'sql_refused' });
      }),
      { numRuns: 500 },
    );
  });
});

test('every query of docs/analytics.md about `analytics` passes', async () => {
  const document = readFileSync(new URL('../../../docs/analytics.md', import.meta.url), 'utf8');
  const queries = [...document.matchAll(/^```sql\n((?:select|with).+?)```$/gms)].map(([, sql]) => sql!);
  const own = queries.filter((sql) => !sql.includes('analytics_host.'));
  expect(own.length).toBeGreaterThan(10);
  for (const sql of own) expect(await refusal(sql), sql).toBeUndefined();
});
