import { execFileSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { commandNames } from '../../packages/cli/src/run.ts';
import { protocolVersion } from '../../packages/localnet/src/ledger/protocol.ts';

const root = join(import.meta.dirname, '../..');
/** Texts that people read to run something: the documents and the examples. */
const documents = globSync(['*.md', '{bench,db,docs,lib,move,services,test}/**/*.md', 'docs/examples/*.ts'], {
  cwd: root,
  exclude: ['**/node_modules/**'],
}).map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));

/** Finds all matches in the documents. */
const said = (pattern: RegExp) =>
  documents.flatMap(({ path, text }) => [...text.matchAll(pattern)].map((match) => ({ path, match })));

test("no document runs a TypeScript file on the reader's own Node, which may be too old", () => {
  expect(documents.length).toBeGreaterThan(15);
  const own = said(/(?<!npx |\.bin\/)\bnode [\w./-]+\.ts\b/g).map(
    ({ path, match }) => `${path}: ${match[0]}`,
  );
  expect(own).toEqual([]);
});

test('every npm script and every command that a document names exists', () => {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const npm = said(/\bnpm run ([a-z][\w:-]*)/g);
  expect(npm.length).toBeGreaterThan(5);
  expect(npm.filter(({ match }) => !Object.hasOwn(scripts, match[1]!)).map(({ match }) => match[0])).toEqual(
    [],
  );
  const commands = said(/\bnpx adaptor-marketplace ([a-z][\w-]*)/g);
  expect(commands.length).toBeGreaterThan(10);
  const known = ['localnet', ...commandNames];
  expect(commands.filter(({ match }) => !known.includes(match[1]!)).map(({ match }) => match[0])).toEqual([]);
});

test('documents name the protocol version that the local network reports, and no other', () => {
  const versions = said(/\bprotocol version (\d+)/g).map(({ match }) => match[1]);
  expect([...new Set(versions)]).toEqual([String(protocolVersion)]);
});

test('npm runs the service on the Node that it needs, whichever runs npm', () => {
  const help = execFileSync('npm', ['start', '--silent', '--', '--help'], { cwd: root, encoding: 'utf8' });
  expect(help).toContain('Usage: adaptor-marketplace [options] [roles...]');
});
