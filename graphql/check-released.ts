/** Fails on a breaking change of the graph against the released schema: `npm run check graph`. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BreakingChangeType, buildSchema, findSchemaChanges } from 'graphql';
import { printedSchema } from './schema.ts';

/** Breaking changes between two schemas, one sentence each. */
export const findBreakingChanges = (released: string, now: string): string[] =>
  findSchemaChanges(buildSchema(released), buildSchema(now))
    .filter(({ type }) => Object.hasOwn(BreakingChangeType, type))
    .map(({ description }) => description);

/** The name of a schema in the changelog: the first twelve hex digits of its SHA-256. */
export const nameSchema = (text: string): string =>
  createHash('sha256').update(text).digest('hex').slice(0, 12);

/** The name of the released schema: the topmost in the changelog. */
export function readReleasedName(changelog: string): string | undefined {
  return /graph schema\s+`([0-9a-f]{12})`/.exec(changelog)?.[1];
}

/** Finds the text of a schema among the committed ones. Undefined if this clone lacks it, as a shallow one does. */
export function findCommittedSchema(root: string, name: string): string | undefined {
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
  const file = 'graphql/schema.graphql';
  for (const commit of git('log', '--format=%H', '--diff-filter=AM', '--', file).split('\n')) {
    const text = commit && git('show', `${commit}:${file}`);
    if (text && nameSchema(text) === name) return text;
  }
  return undefined;
}

function findFaults(root: string): string[] {
  const now = nameSchema(printedSchema);
  const name = readReleasedName(readFileSync(join(root, 'CHANGELOG.md'), 'utf8'));
  if (name === undefined)
    return [`CHANGELOG.md names no released schema. This one is graph schema \`${now}\`.`];
  if (name === now) return [];
  const released = findCommittedSchema(root, name);
  if (released === undefined) {
    const cause = `The graph is no longer \`${name}\` of CHANGELOG.md, and no commit of this clone has that schema.`;
    return [`${cause} Fetch the history: git fetch --unshallow`];
  }
  const faults = findBreakingChanges(released, printedSchema);
  return faults.map((fault) => `Breaking change of the graph against \`${name}\`: ${fault}`);
}

if (import.meta.main) {
  const faults = findFaults(join(import.meta.dirname, '..'));
  for (const fault of faults) process.stderr.write(`${fault}\n`);
  if (faults.length > 0) process.exitCode = 1;
  else process.stdout.write(`graph schema \`${nameSchema(printedSchema)}\`\n`);
}
