import { getTableConfig, is, PgTable } from '../orm/drizzle.ts';
import * as schema from './index.ts';

interface Entity {
  name: string;
  columns: { name: string; type: string; required: boolean }[];
  /** Columns of the primary key. */
  key: readonly string[];
}

/** Tables with the service's own data. All others follow from the chain. */
const ofHost =
  /^(agent_|hidden_(pictures|texts)$|installation_secret$|key_usage$|operator_actions$|quarantines$|service_events$|webhook_)/;

/** Tables whose keys other tables have, each with the columns that hold a key under another name. */
const parents: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  events: {},
  listings: {},
  manifests: { hash: ['hash', 'manifest_hash'] },
  service_usage: {},
  wallets: {},
  delegates: {},
  allowlists: {},
  agent_runs: { id: ['run'] },
  webhook_subscriptions: {},
};

function entities(): Entity[] {
  const tables = Object.values(schema).flatMap((value) =>
    is(value, PgTable) ? [getTableConfig(value)] : [],
  );
  return tables.map(({ name, columns, primaryKeys: [composite] }) => ({
    name,
    columns: columns.map((column) => ({
      name: column.name,
      type: column
        .getSQLType()
        .replace('timestamp with time zone', 'timestamptz')
        .replace(/\(.*?\)/, ''),
      required: column.notNull,
    })),
    key: (composite?.columns ?? columns.filter(({ primary }) => primary)).map((column) => column.name),
  }));
}

/**
 * Returns the tables that hold the key of a table, each with the columns that hold it. The tables declare no foreign
 * keys, since sources are read independently of each other.
 */
function listChildren(parent: Entity, all: readonly Entity[]): string[] {
  const names = parents[parent.name];
  if (!names) return [];
  return all.flatMap((child) => {
    const held = parent.key.map((column) => {
      const possible = names[column] ?? [column];
      return child.columns.find(({ name }) => possible.includes(name))?.name;
    });
    if (child === parent || !held.every((column) => column !== undefined)) return [];
    const columns = held.filter((column) => column !== 'network').map((column) => `\`${column}\``);
    return [`[${child.name}](#${child.name}) (${columns.join(', ')})`];
  });
}

function describeTable(table: Entity, all: readonly Entity[]): string {
  const rows = table.columns.map(({ name, type, required }) => {
    const note = table.key.includes(name) ? 'key' : required ? '' : 'may be null';
    return `| ${name} | ${type} | ${note} |`;
  });
  const children = listChildren(table, all);
  const relations = children.length === 0 ? '' : `\nIts key is also in ${children.join(', ')}.\n`;
  return `### ${table.name}\n\n| column | type | note |\n|---|---|---|\n${rows.join('\n')}\n${relations}`;
}

const describeTables = (tables: readonly Entity[]): string =>
  tables
    .toSorted((a, b) => a.name.localeCompare(b.name, 'en'))
    .map((table) => describeTable(table, tables))
    .join('\n');

const head = `# Tables

The tables of the read model, as \`db/schema\` defines them. They are internal: read the views of
[analytics.md](analytics.md), which keep their names when tables change.

The service renders this document from \`db/schema\`.
`;

/** Renders the tables as Markdown. A host serves it as /docs/tables.md. */
export function renderTablesDocument(): string {
  const [host, chain] = [true, false].map((isHostTable) =>
    entities().filter(({ name }) => ofHost.test(name) === isHostTable),
  );
  return `${head}\n## From the chain\n\n${describeTables(chain!)}\n## Of this host\n\n${describeTables(host!)}`;
}
