import fc from 'fast-check';
import { type Tape, tape } from '../support/tape.ts';
import { createRequestDoor, type Door, listSecrets } from './door.ts';
import { encodeBody, type FuzzRequest, send } from './exchange.ts';
import { sender } from './headers.ts';
import type { Host } from './host.ts';
import { judgeAny, judgeDescribed } from './judge.ts';

interface View {
  name: string;
  columns: { name: string; type: string }[];
}

/** Statements from the grammar of `select`, with the views of the host. Absent without a key of the host. */
export async function openSqlDoor(host: Host): Promise<Door<FuzzRequest> | undefined> {
  if (!host.credentials) return undefined;
  const key = ['x-api-key', host.credentials.apiKey] as const;
  const { body } = await send(host.baseUrl, { method: 'GET', target: '/api/sql/schema', headers: [key] });
  const { views } = JSON.parse(body) as { views: View[] };
  const writer = new StatementWriter(views);
  const secrets = listSecrets(host);
  const operation = host.api.match('POST', '/api/sql')!;
  const inputs = fc
    .record({
      sql: tape.map((decisions) => writer.write(decisions).slice(0, 10_000)),
      format: fc.constantFrom(undefined, 'json', 'csv'),
      from: sender,
    })
    .map(({ sql, format, from }) => ({
      method: 'POST',
      target: '/api/sql',
      headers: [key, from, ['content-type', 'application/json'] as const],
      body: encodeBody(JSON.stringify({ sql, format })),
    }));
  return createRequestDoor(host, { name: 'sql', batchSize: 150, inputs }, (request, response) => {
    judgeAny(request, response, { route: '/api/sql', secrets });
    judgeDescribed(host.api, operation, request, response);
  });
}

const constants = [
  '1',
  '0',
  '-1',
  'null',
  "''",
  "'a'",
  'true',
  '1.5',
  '9223372036854775807',
  '9223372036854775808',
  '1e308',
  '1e400',
  "'2026-01-01'",
  "'infinity'::timestamptz",
  "'1 day'::interval",
  "'NaN'::float8",
  `'{"a":[1]}'::jsonb`,
  "'{}'::text[]",
  "'294276-12-31'::timestamp",
  "e'\\x00'",
  "u&'\\0000'",
  "'\\u0000'::jsonb",
  "'9999-12-31'::date",
  "'-infinity'::date",
];
const operators = [
  '+',
  '-',
  '*',
  '/',
  '%',
  '^',
  '=',
  '<>',
  '<',
  '>=',
  '||',
  '~',
  '~*',
  '~~',
  '->',
  '->>',
  '#>',
  '@>',
  '?',
  '&&',
  'is distinct from',
  'and',
  'or',
  'like',
  'in',
  '!',
  '@@',
  'operator(pg_catalog.+)',
];
const functions = [
  'count',
  'sum',
  'avg',
  'max',
  'lower',
  'left',
  'substring',
  'split_part',
  'date_trunc',
  'date_bin',
  'to_char',
  'to_timestamp',
  'to_date',
  'round',
  'power',
  'exp',
  'ln',
  'log',
  'mod',
  'div',
  'width_bucket',
  'array_length',
  'array_position',
  'unnest',
  'jsonb_array_elements',
  'jsonb_each',
  'jsonb_object_keys',
  'extract',
  'age',
  'make_date',
  'row_number',
  'lag',
  'ntile',
  'percentile_cont',
  'mode',
  'coalesce',
  'nullif',
  'greatest',
  'num_nulls',
  'position',
  'reverse',
  'timezone',
  'pg_sleep',
  'version',
  'current_setting',
  'repeat',
  'generate_series',
  'string_agg',
  'lo_import',
  'query_to_xml',
];
const types = [
  'text',
  'int4',
  'int8',
  'numeric',
  'float8',
  'bool',
  'date',
  'timestamptz',
  'interval',
  'jsonb',
  'text[]',
  'int2',
  'varchar(3)',
  'numeric(5,2)',
  'numeric(1000,999)',
  'regclass',
  'bytea',
  'timestamp(9)',
];
const strays = [
  'select',
  'from',
  ')',
  '(',
  ',',
  "'",
  '"',
  '--',
  '/*',
  '$1',
  '$$',
  ';',
  '\0',
  '\\',
  'for update',
  'into t',
  '::',
  '*',
  'é',
  '＇',
  ':',
];

/** Writes statements by the decisions of a tape. Some are valid, and some are not. */
class StatementWriter {
  readonly #views: readonly View[];

  constructor(views: readonly View[]) {
    this.#views = views;
  }

  write(decisions: Tape): string {
    const statement = this.#writeQuery(decisions, 0);
    if (!decisions.once(6)) return statement;
    const at = decisions.next(statement.length);
    return `${statement.slice(0, at)} ${decisions.pick(strays)} ${statement.slice(at)}`;
  }

  #writeQuery(decisions: Tape, depth: number): string {
    const view = decisions.pick(this.#views);
    const columns = view.columns.map(({ name }) => `t${depth}.${name}`);
    const expression = () => this.#writeExpression(decisions, columns, depth);
    const parts = [
      `select ${decisions.once(8) ? 'distinct ' : ''}${[expression(), ...decisions.repeat(3, expression)].join(', ')}`,
    ];
    parts.push(`from ${this.#writeSource(decisions, view, depth)} t${depth}`);
    if (decisions.once(6)) {
      const other = decisions.pick(this.#views);
      const join = decisions.pick(['join', 'left join', 'full join', 'cross join lateral', 'natural join']);
      parts.push(
        `${join} ${other.name} j${depth}${/^(cross|natural)/.test(join) ? '' : ` on ${expression()}`}`,
      );
    }
    if (decisions.once(3)) parts.push(`where ${expression()}`);
    if (decisions.once(5))
      parts.push(
        `group by ${decisions.pick(['1', 'rollup(1, 2)', 'cube(1)', 'grouping sets((), (1))', expression()])}`,
      );
    if (decisions.once(8)) parts.push(`having ${expression()}`);
    if (decisions.once(6))
      parts.push(`order by ${decisions.pick(['1', '2 desc nulls last', expression(), '99'])}`);
    if (decisions.once(10))
      parts.push(`union all ${depth < 3 ? this.#writeQuery(decisions, depth + 1) : 'select 1'}`);
    if (decisions.once(2))
      parts.push(`limit ${decisions.pick(['5', '0', '-1', 'null', '1e9', 'all', '9223372036854775808'])}`);
    if (decisions.once(9)) parts.push(`offset ${decisions.pick(['0', '1', '-1', '99999999999'])}`);
    const statement = parts.join(' ');
    return decisions.once(9) ? `with w as (${statement}) select * from w, w v limit 50` : statement;
  }

  #writeSource(decisions: Tape, view: View, depth: number): string {
    if (depth < 3 && decisions.once(8)) return `(${this.#writeQuery(decisions, depth + 1)})`;
    if (decisions.once(20))
      return decisions.pick([
        'pg_class',
        'public.listings',
        'information_schema.tables',
        'analytics_host.key_usage',
        'generate_series(1, 9)',
        'unnest(array[1,2])',
        '(values (1))',
      ]);
    return decisions.once(4) ? `analytics.${view.name}` : view.name;
  }

  #writeExpression(decisions: Tape, columns: readonly string[], depth: number, level = 0): string {
    const inner = () => this.#writeExpression(decisions, columns, depth, level + 1);
    const simple = () => (decisions.once(3) ? decisions.pick(constants) : decisions.pick(columns));
    if (level > 4) return simple();
    switch (decisions.next(14)) {
      case 0:
      case 1:
      case 2:
      case 3:
        return simple();
      case 4:
      case 5:
        return `(${inner()} ${decisions.pick(operators)} ${inner()})`;
      case 6:
      case 7:
        return `${decisions.pick(functions)}(${[inner(), ...decisions.repeat(2, inner)].join(', ')})`;
      case 8:
        return `(${inner()})::${decisions.pick(types)}`;
      case 9:
        return `case when ${inner()} then ${inner()} else ${inner()} end`;
      case 10:
        return depth < 3 ? `(${this.#writeQuery(decisions, depth + 1)} limit 1)` : 'exists (select 1)';
      case 11:
        return `count(*) over (partition by ${inner()} order by ${inner()} ${decisions.pick(['', 'rows between 1 preceding and current row', "range between '1 day' preceding and current row"])})`;
      case 12:
        return `(${inner()} ${decisions.pick(['is null', 'is true', 'between 1 and 2', 'in (1, null)', "at time zone 'x'", "at time zone 'Europe/Paris'", '[1]', 'collate "C"'])})`;
      default:
        return `array[${decisions.repeat(3, inner).join(', ')}]`;
    }
  }
}
