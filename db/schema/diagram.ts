import { is } from 'drizzle-orm';
import { getTableConfig, PgTable } from 'drizzle-orm/pg-core';
import * as schema from './index.ts';

interface Entity {
  name: string;
  columns: { name: string; type: string; required: boolean }[];
  /** Columns of the primary key. */
  key: readonly string[];
}

/** Tables with the service's own data. All others follow from the chain. */
const ofHost =
  /^(agent_|key_usage$|operator_actions$|quarantines$|service_events$|tool_name_secret$|webhook_)/;

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
 * Returns the relations of the diagram. The tables declare no foreign keys, since sources are read independently of
 * each other. A table refers to a parent if it has all columns of the parent's key.
 */
function relations(all: readonly Entity[]): string[] {
  return all.flatMap((parent) => {
    const names = parents[parent.name];
    if (!names) return [];
    return all.flatMap((child) => {
      const held = parent.key.map((column) => {
        const possible = names[column] ?? [column];
        return child.columns.find(({ name }) => possible.includes(name))?.name;
      });
      if (child === parent || !held.every((column) => column !== undefined)) return [];
      const many = child.key.length > 0 && child.key.every((column) => held.includes(column)) ? '|' : '{';
      const label = held.filter((column) => column !== 'network').join(', ');
      return [`  ${parent.name} |o--o${many} ${child.name} : "${label}"`];
    });
  });
}

function diagram(all: readonly Entity[]): string {
  const boxes = all.map(({ name, columns, key }) => {
    const lines = columns.map((column) => {
      const mark = key.includes(column.name) ? ' PK' : '';
      return `    ${column.type} ${column.name}${mark}${column.required ? '' : ' "null"'}`;
    });
    return `  ${name} {\n${lines.join('\n')}\n  }`;
  });
  return `\`\`\`mermaid\nerDiagram\n${[...relations(all), ...boxes].join('\n')}\n\`\`\`\n`;
}

const head = `# Tables

The tables of the read model, as \`db/schema\` defines them. They are internal: read the views of
[analytics.md](analytics.md), which keep their names when tables change. A line joins a table to each table that holds its
key; "null" marks columns that may be null.

The service renders this document from \`db/schema\`.
`;

/** Renders the tables as Markdown with diagrams. A host serves it as /docs/tables.md. */
export function tablesDocument(): string {
  const [host, chain] = [true, false].map((own) =>
    entities().filter(({ name }) => ofHost.test(name) === own),
  );
  return `${head}\n## From the chain\n\n${diagram(chain!)}\n## Of this host\n\n${diagram(host!)}`;
}
