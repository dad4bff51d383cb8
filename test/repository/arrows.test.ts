import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readSources, root } from './sources.ts';

const code = ['packages/*', 'lib', 'db', 'graphql', 'web', 'services/*'];
const localnetOwners = ['services/demo', 'services/main.ts'];

/**
 * Folders that each folder may import. A folder is the first part of a path, or the first two below `services`,
 * `packages` and `test`. `*` stands for any second part. An import of the own folder needs no entry.
 */
const mayImport: Record<string, string[]> = {
  bench: ['test/support', 'move', ...code],
  db: ['lib', 'packages/*'],
  docs: ['lib', 'packages/*'],
  graphql: ['lib', 'db', 'packages/*'],
  lib: ['packages/*'],
  move: ['lib', 'packages/*'],
  web: ['packages/*'],
  'packages/adaptor': ['packages/move-bytecode'],
  'packages/cli': [
    ...[
      'packages/adaptor',
      'packages/localnet',
      'packages/mcp',
      'packages/move-toolchain',
      'packages/process',
    ],
    'packages/sdk',
  ],
  'packages/localnet': ['packages/move-bytecode', 'packages/move-toolchain', 'packages/process'],
  'packages/mcp': ['packages/sdk'],
  'packages/move-toolchain': ['packages/move-bytecode', 'packages/process'],
  // A program of the repository, as is the one that it imports.
  'packages/release.ts': ['packages/pack.ts'],
  'packages/sdk': ['packages/adaptor'],
  // The gateway passes data to the pages of the site. The pages do not import the gateway.
  'services/gateway': ['graphql', 'lib', 'db', 'web', 'packages/*'],
  // Only the code that starts the services imports all of them.
  'services/main.ts': code,
  'services/roles': code,
  'services/*': ['graphql', 'lib', 'db', 'packages/*'],
  // The property test of the contracts' money guard also runs with a real agent.
  'test/agent': ['test/contracts', 'test/support', 'move', ...code],
  'test/*': ['test/support', 'move', ...code],
};

interface Arrow {
  from: string;
  to: string;
  typeOnly: boolean;
}

function extractFolder(path: string): string {
  const [first, second] = path.split('/');
  return first === 'services' || first === 'packages' || first === 'test' ? `${first}/${second}` : first!;
}

/** Folders other than its own that the file may import. */
function listImportable(from: string): string[] {
  const source = extractFolder(from);
  const top = source.split('/')[0]!;
  // A package stands alone. Its tests may use other packages, and nothing else of the repository.
  if (top === 'packages' && /\.test\.ts$|\/(testing|conformance)\//.test(from)) return ['packages/*'];
  const folders = mayImport[source] ?? mayImport[`${top}/*`] ?? [];
  // Tests beside the code build on test/support.
  return from.endsWith('.test.ts') ? [...folders, 'test/support', 'packages/localnet'] : folders;
}

function isAllowed({ from, to, typeOnly }: Arrow): boolean {
  const [source, target] = [extractFolder(from), extractFolder(to)];
  if (source === target) return true;
  if (source === 'lib' && target === 'db') return typeOnly;
  const importable = listImportable(from);
  // Only the code that starts a local network loads its package, which includes the Move VM.
  const needsName = target === 'packages/localnet' && /^(db|graphql|lib|services|web)\//.test(from);
  if (needsName && !localnetOwners.includes(source)) return importable.includes(target);
  return importable.includes(target) || importable.includes(`${target.split('/')[0]}/*`);
}

/** Reason for which an import is refused, and the way out. */
function explain({ from, to }: Arrow): string {
  const [source, target] = [extractFolder(from), extractFolder(to)];
  const importable = [source, ...listImportable(from), ...(source === 'lib' ? ['db (types only)'] : [])];
  return (
    `${from} imports ${to}, but ${source} may import only: ${[...new Set(importable)].join(', ')}. ` +
    adviseOn(source, target)
  );
}

function adviseOn(source: string, target: string): string {
  if (target === 'packages/localnet') {
    return `Only ${localnetOwners.join(', ')} and tests load the local network. Move the code there, or read from a node over gRPC.`;
  }
  if (source === 'lib' && target === 'db') {
    return 'Import types only (`import type`), or move the code that reads the database to db/queries.';
  }
  if (source.startsWith('packages/')) {
    return 'A package stands alone: pass the value as an argument, or move the code into the package.';
  }
  if (target.startsWith('services/')) {
    return 'Services meet in PostgreSQL and over HTTP: move what both need to lib (statements: db/queries), or call the route.';
  }
  return `Pass the value as an argument, or move what both need to a folder that ${source} may import.`;
}

const sources = readSources();
const folders = /^(bench|db|docs|graphql|lib|move|packages|services|test|web)\//;

/** Imports within the repository. A path that a package does not export counts as one of the package's folder. */
const arrows = sources.flatMap(({ path: from, imports }) =>
  imports.flatMap(({ to, typeOnly }): Arrow[] => {
    const path = to.replace(/^@adaptor-marketplace\//, 'packages/');
    return folders.test(path) ? [{ from, to: path, typeOnly }] : [];
  }),
);

describe('imports', () => {
  test('follow the arrows between folders, so that each service can run alone and be replaced', () => {
    expect(arrows.length).toBeGreaterThan(3_000);
    const against = arrows.filter((arrow) => folders.test(arrow.from) && !isAllowed(arrow));
    expect(against.map(explain)).toEqual([]);
  });

  test('and paths from import.meta lead to files that exist', () => {
    const besideImportMeta =
      /(?:join|resolve)\(\s*import\.meta\.dirname,\s*((?:'[^']*',?\s*)+)\)|new URL\(\s*'([^']+)',\s*import\.meta\.url\)/g;
    const named = sources.flatMap(({ path }) =>
      [...readFileSync(join(root, path), 'utf8').matchAll(besideImportMeta)].map(([, parts, url]) => {
        const steps = url === undefined ? [...parts!.matchAll(/'([^']*)'/g)].map(([, step]) => step!) : [url];
        return { path, to: join(dirname(path), ...steps) };
      }),
    );
    expect(named.length).toBeGreaterThan(30);
    expect(named.filter(({ to }) => !existsSync(join(root, to)))).toEqual([]);
  });
});

test.each<[from: string, to: string, allowedTypes: boolean, allowedValues: boolean]>([
  ['services/indexer/a.ts', 'services/demo/b.ts', false, false],
  ['services/agent/a.ts', 'services/roles/b.ts', false, false],
  ['services/gateway/a.ts', 'web/pages/b.ts', true, true],
  ['services/agent/a.ts', 'web/pages/b.ts', false, false],
  ['services/demo/a.ts', 'packages/localnet/src/b.ts', true, true],
  ['services/agent/a.ts', 'packages/localnet/src/b.ts', false, false],
  ['services/agent/a.test.ts', 'packages/localnet/src/b.ts', true, true],
  ['services/agent/a.ts', 'test/support/b.ts', false, false],
  ['services/agent/a.test.ts', 'test/support/b.ts', true, true],
  ['services/main.ts', 'services/roles/b.ts', true, true],
  ['lib/a.ts', 'packages/localnet/src/b.ts', false, false],
  ['lib/a.ts', 'db/schema/b.ts', true, false],
  ['graphql/a.ts', 'services/gateway/b.ts', false, false],
  ['web/pages/a.ts', 'services/gateway/b.ts', false, false],
  ['web/pages/a.ts', 'db/queries/b.ts', false, false],
  ['packages/adaptor/src/a.ts', 'lib/b.ts', false, false],
  ['packages/adaptor/src/a.ts', 'packages/localnet', false, false],
  ['packages/adaptor/src/a.test.ts', 'packages/localnet', true, true],
  ['packages/adaptor/src/a.test.ts', 'test/support/b.ts', false, false],
  ['test/localnet/a.test.ts', 'bench/b.ts', false, false],
  ['test/support/a.ts', 'test/agent/b.ts', false, false],
  ['test/cli/a.test.ts', 'test/agent/b.ts', false, false],
  ['bench/a.ts', 'test/cli/b.ts', false, false],
])('%s imports %s: types %s, values %s', (from, to, types, values) => {
  expect(isAllowed({ from, to, typeOnly: true })).toBe(types);
  expect(isAllowed({ from, to, typeOnly: false })).toBe(values);
});

test('a refused import is answered with what the folder may import, and what to do', () => {
  expect(explain({ from: 'web/pages/a.ts', to: 'db/queries/b.ts', typeOnly: true })).toBe(
    'web/pages/a.ts imports db/queries/b.ts, but web may import only: web, packages/*. ' +
      'Pass the value as an argument, or move what both need to a folder that web may import.',
  );
  expect(explain({ from: 'services/indexer/a.ts', to: 'services/demo/b.ts', typeOnly: false })).toBe(
    'services/indexer/a.ts imports services/demo/b.ts, but services/indexer may import only: services/indexer, ' +
      'graphql, lib, db, packages/*. Services meet in PostgreSQL and over HTTP: move what both need to lib ' +
      '(statements: db/queries), or call the route.',
  );
  expect(explain({ from: 'lib/a.ts', to: 'db/schema/b.ts', typeOnly: false })).toBe(
    'lib/a.ts imports db/schema/b.ts, but lib may import only: lib, packages/*, db (types only). ' +
      'Import types only (`import type`), or move the code that reads the database to db/queries.',
  );
});
