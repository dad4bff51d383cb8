/** Fails on a breaking change of the graph against `graphql/released.graphql`: `npm run check:graph`. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { BreakingChangeType, buildSchema, findSchemaChanges } from 'graphql';
import { printedSchema } from './schema.ts';

/** What of a released schema no longer holds, one sentence each. */
export const breakingChanges = (released: string, now: string): string[] =>
  findSchemaChanges(buildSchema(released), buildSchema(now))
    .filter(({ type }) => Object.hasOwn(BreakingChangeType, type))
    .map(({ description }) => description);

/** How the changelog names a released schema. */
export const entryOf = (released: string): string =>
  `graph schema \`${createHash('sha256').update(released).digest('hex').slice(0, 12)}\``;

if (import.meta.main) {
  const released = readFileSync(`${import.meta.dirname}/released.graphql`, 'utf8');
  const faults = breakingChanges(released, printedSchema);
  for (const fault of faults) process.stderr.write(`Breaking change of the graph: ${fault}\n`);
  const entry = entryOf(released);
  const isNamed = readFileSync(`${import.meta.dirname}/../CHANGELOG.md`, 'utf8').includes(entry);
  if (!isNamed) process.stderr.write(`CHANGELOG.md has no entry for graphql/released.graphql: ${entry}\n`);
  if (faults.length > 0 || !isNamed) process.exitCode = 1;
}
