import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readSources, root } from './sources.ts';

const code = ['packages/*', 'lib', 'db', 'graphql', 'web', 'services/*'];

/**
 * Folders that each folder may import. A folder is the first part of a path, or the first two below `services`,
 * `packages` and `test`.
 */
const mayImport: Record<string, string[]> = {
  bench: ['bench', 'test/support', 'move', ...code],
  'test/support': ['test/support', 'move', ...code],
  // The property test of the contracts' money guard also runs with a real agent.
  'test/agent': ['test/agent', 'test/contracts', 'test/support', 'move', ...code],
  docs: ['docs', 'lib', 'packages/*'],
  db: ['db', 'lib'],
  lib: ['lib'],
  graphql: ['graphql', 'lib', 'db'],
  move: ['move', 'lib'],
  'packages/cli': [
    ...['packages/cli', 'packages/adaptor', 'packages/localnet', 'packages/move-toolchain', 'packages/sdk'],
    'packages/mcp',
  ],
  'packages/adaptor': ['packages/adaptor', 'packages/move-toolchain'],
  'packages/localnet': ['packages/localnet', 'packages/move-toolchain', 'packages/process'],
  'packages/move-toolchain': ['packages/move-toolchain'],
  'packages/process': ['packages/process'],
  'packages/mcp': ['packages/mcp', 'packages/sdk'],
  'packages/sdk': ['packages/sdk', 'packages/adaptor'],
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

function allowed({ from, to, typeOnly }: Arrow): boolean {
  const [source, target] = [extractFolder(from), extractFolder(to)];
  const [intoPackage, isTest] = [target.startsWith('packages/'), from.endsWith('.test.ts')];
  const listed = (folders: readonly string[]) =>
    folders.includes(target) || folders.includes(`${target.split('/')[0]}/*`);
  // A package stands alone. Its tests may use other packages, and nothing else of the repository.
  if (source.startsWith('packages/') && isTest) return intoPackage;
  if (source.startsWith('packages/')) {
    return mayImport[source]?.includes(target) ?? from.startsWith('packages/pack');
  }
  if (source.startsWith('test/'))
    return listed(mayImport[source] ?? [source, 'test/support', 'move', ...code]);
  // Tests beside the code build on test/support.
  if (isTest && target === 'test/support') return true;
  // Only the code that starts a local network loads its package, which includes the Move VM.
  if (target === 'packages/localnet' && /^(db|graphql|lib|services|web)\//.test(from)) {
    return isTest || source === 'services/demo' || source === 'services/main.ts';
  }
  if (intoPackage) return true;
  // The gateway passes data to the pages of the site. The pages do not import the gateway.
  if (source === 'services/gateway' && target === 'web') return true;
  // Only the code that starts the services imports all of them.
  if (source === 'services/main.ts' || source === 'services/roles') {
    return !target.startsWith('test/') && target !== 'bench' && target !== 'services/main.ts';
  }
  if (source.startsWith('services/')) return target === source || ['graphql', 'lib', 'db'].includes(target);
  if (source === 'lib' && target === 'db') return typeOnly;
  return listed(mayImport[source] ?? [source]);
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
    const against = arrows.filter((arrow) => folders.test(arrow.from) && !allowed(arrow));
    expect(against.map(({ from, to }) => `${from} -> ${to}`)).toEqual([]);
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

test('the rules reject imports that go against an arrow', () => {
  expect(allowed({ from: 'services/indexer/a.ts', to: 'services/demo/b.ts', typeOnly: false })).toBe(false);
  expect(allowed({ from: 'packages/adaptor/src/a.ts', to: 'lib/b.ts', typeOnly: true })).toBe(false);
  expect(allowed({ from: 'packages/adaptor/src/a.ts', to: 'packages/localnet', typeOnly: false })).toBe(
    false,
  );
  expect(allowed({ from: 'lib/a.ts', to: 'packages/localnet/src/b.ts', typeOnly: true })).toBe(false);
  expect(allowed({ from: 'services/demo/a.ts', to: 'packages/localnet/src/b.ts', typeOnly: false })).toBe(
    true,
  );
  expect(allowed({ from: 'packages/adaptor/src/a.test.ts', to: 'test/support/b.ts', typeOnly: true })).toBe(
    false,
  );
  expect(allowed({ from: 'graphql/a.ts', to: 'services/gateway/b.ts', typeOnly: true })).toBe(false);
  expect(allowed({ from: 'services/agent/a.ts', to: 'services/roles/b.ts', typeOnly: true })).toBe(false);
  expect(allowed({ from: 'web/pages/a.ts', to: 'services/gateway/b.ts', typeOnly: true })).toBe(false);
  expect(allowed({ from: 'web/pages/a.ts', to: 'db/queries/b.ts', typeOnly: true })).toBe(false);
  expect(allowed({ from: 'services/gateway/a.ts', to: 'web/pages/b.ts', typeOnly: false })).toBe(true);
  expect(allowed({ from: 'services/agent/a.ts', to: 'web/pages/b.ts', typeOnly: true })).toBe(false);
  expect(allowed({ from: 'lib/a.ts', to: 'db/schema/b.ts', typeOnly: false })).toBe(false);
  expect(allowed({ from: 'lib/a.ts', to: 'db/schema/b.ts', typeOnly: true })).toBe(true);
  expect(allowed({ from: 'services/agent/a.ts', to: 'test/support/b.ts', typeOnly: true })).toBe(false);
  expect(allowed({ from: 'services/agent/a.test.ts', to: 'test/support/b.ts', typeOnly: true })).toBe(true);
  expect(allowed({ from: 'test/localnet/a.test.ts', to: 'bench/b.ts', typeOnly: true })).toBe(false);
  expect(allowed({ from: 'test/support/a.ts', to: 'test/agent/b.ts', typeOnly: true })).toBe(false);
  expect(allowed({ from: 'test/cli/a.test.ts', to: 'test/agent/b.ts', typeOnly: true })).toBe(false);
  expect(allowed({ from: 'bench/a.ts', to: 'test/cli/b.ts', typeOnly: true })).toBe(false);
});
