import { readFileSync } from 'node:fs';
import { afterAll, expect } from 'vitest';
import { recordStatements, type SentStatement } from './record-statements.ts';

const read = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');

/** Matches each text that may name a distributed table, by itself or by a view. It only spares others the parser. */
function matchNames(): RegExp {
  const tables = read('deploy/citus/distribute.sql').matchAll(/create_distributed_table\('(\w+)'/g);
  const names = [...tables].map(([, name]) => name!);
  const [, ...views] = read('db/views/analytics.sql').split('create view analytics.');
  const over = views.filter((view) => names.some((name) => view.includes(name)));
  return new RegExp(`\\b(?:${[...names, ...over.map((view) => /\w+/.exec(view)![0])].join('|')})\\b`);
}

const sent: SentStatement[] = [];
const end = recordStatements(matchNames(), (statement) => sent.push(statement));

afterAll(async () => {
  end();
  // Few test files send such statements. The others do not load the parser.
  const { listUndocumented } = sent.length > 0 ? await import('./list-undocumented.ts') : {};
  expect(
    (await listUndocumented?.(sent)) ?? [],
    'statements on distributed tables that docs/citus.md does not name, with kind and reason',
  ).toEqual([]);
});
