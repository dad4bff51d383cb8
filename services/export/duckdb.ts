import { appendDatasets, dayDatasets } from '../../db/queries/exports.ts';
import type { Column } from './columns.ts';
import type { ExportState } from './state.ts';

/**
 * Returns statements of DuckDB that create the schema `analytics` over the files, with the views that PostgreSQL has.
 * They read the files in the current folder, or in the one that the variable `export` names.
 */
export function buildViews(state: ExportState, columns: ReadonlyMap<string, readonly Column[]>): string {
  const keys = [...Object.keys(state.cursors), ...Object.keys(state.days)];
  const hasFiles = (name: string) => keys.some((key) => key.startsWith(`${name}/`));
  const views = [...columns].map(([name, viewColumns]) => {
    if (appendDatasets.some((one) => one.name === name))
      return buildView(name, viewColumns, hasFiles(name), []);
    if (dayDatasets.some((one) => one.name === name))
      return buildView(name, viewColumns, hasFiles(name), dayColumns);
    return `create or replace view analytics.${name} as select * from read_parquet(${locate(`${name}/${name}.parquet`)});`;
  });
  // Without a network, the views that the derived ones read do not exist.
  const hasNetworks = Object.keys(state.chains).length > 0;
  return `${[header, ...views, ...(hasNetworks ? derived : [])].join('\n\n')}\n`;
}

const locate = (path: string) => `coalesce(getvariable('export'), '') || '${path}'`;

const header = `-- Views over the files of this export. Run it in the folder: duckdb -init duckdb.sql
-- Elsewhere, begin with: set variable export = 's3://bucket/prefix/';
set timezone = 'UTC';
create schema if not exists analytics;`;

const dayColumns = ['day'];

/** Builds the view over the files of a dataset. Its partition columns come from the paths of the files. */
function buildView(
  name: string,
  columns: readonly Column[],
  hasFiles: boolean,
  partitions: string[],
): string {
  const listed = ['network', ...partitions, ...columns.map((column) => column.name)].join(', ');
  const files = `read_parquet(${locate(`${name}/*/*/*.parquet`)}, hive_partitioning = true, hive_types = {'network': varchar, 'day': date})`;
  if (hasFiles) return `create or replace view ${nameView(name)} as select ${listed} from ${files};`;
  const nullColumns = columns.map((column) => `null::${column.duckdbType} as ${column.name}`);
  const nullPartitions = ['null::varchar as network', ...partitions.map((one) => `null::date as ${one}`)];
  return `create or replace view ${nameView(name)} as select ${[...nullPartitions, ...nullColumns].join(', ')} where false;`;
}

/** Returns the name of the view over the files of a dataset. A derived view adds columns to one, and takes its name. */
const nameView = (name: string): string =>
  name === 'service_coin_days' ? 'analytics.service_coin_amounts' : `analytics.${name}`;

const derived = [
  `create or replace view analytics.service_coin_days as
select d.*, c.symbol, c.decimals
from analytics.service_coin_amounts d
left join analytics.coins c on c.network = d.network and c.coin_type = d.coin;`,
  `create or replace view analytics.registry_events as
select network, event_id, name, checkpoint, tx_index, event_index, occurred_at, tx_digest, sender, data, decode_error
from analytics.events where source = 'registry';`,
];
