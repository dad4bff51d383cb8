import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { expect, test } from 'vitest';

/** What each folder may import, by the first part of the path, or the first two below `services/` and `packages/`. */
const mayImport: Record<string, string[]> = {
  db: ['db', 'lib'],
  lib: ['lib'],
  graphql: ['graphql', 'lib', 'db'],
  move: ['move', 'lib'],
  'packages/cli': ['packages/cli', 'packages/adaptor', 'packages/localnet', 'packages/move-toolchain'],
  'packages/adaptor': ['packages/adaptor', 'packages/move-toolchain'],
  'packages/localnet': ['packages/localnet', 'packages/move-toolchain'],
  'packages/move-toolchain': ['packages/move-toolchain'],
};

const root = join(import.meta.dirname, '../..');
const importOf =
  /(?:import|export)\s+(type\s)?[^'"`;]*?from\s+'([.@][^']+)'|import\(\s*'(\.[^']+)'\s*\)|^import\s+'(\.[^']+)'/gm;
const ownPackage = /^@adaptor-marketplace\//;

interface Arrow {
  from: string;
  to: string;
  typeOnly: boolean;
}

function arrowsOf(file: string): Arrow[] {
  const text = readFileSync(join(root, file), 'utf8');
  return [...text.matchAll(importOf)].flatMap(([, type, from, dynamic, bare]) => {
    const named = (from ?? dynamic ?? bare)!;
    const arrow = { from: file, typeOnly: type !== undefined };
    if (ownPackage.test(named)) return [{ ...arrow, to: named.replace(ownPackage, 'packages/') }];
    if (!named.startsWith('.')) return [];
    return [{ ...arrow, to: relative(root, join(root, dirname(file), named)) }];
  });
}

function folderOf(path: string): string {
  const [first, second] = path.split('/');
  return first === 'services' || first === 'packages' ? `${first}/${second}` : first!;
}

function allowed({ from, to, typeOnly }: Arrow): boolean {
  const [source, target] = [folderOf(from), folderOf(to)];
  const intoPackage = target.startsWith('packages/');
  // A package stands alone. Its tests may use other packages, and nothing else of the repository.
  if (source.startsWith('packages/') && from.endsWith('.test.ts')) return intoPackage;
  // Tests build on test/support and may set up the real parts around the one they test.
  if (from.endsWith('.test.ts') && (target === 'test' || intoPackage)) return true;
  if (source.startsWith('packages/'))
    return mayImport[source]?.includes(target) ?? from.startsWith('packages/pack');
  if (intoPackage) return true;
  // What starts the services, and nothing else, knows all of them.
  if (source === 'services/main.ts' || source === 'services/roles') {
    return target !== 'test' && target !== 'bench' && target !== 'services/main.ts';
  }
  if (source.startsWith('services/')) return target === source || ['graphql', 'lib', 'db'].includes(target);
  if (source === 'lib' && target === 'db') return typeOnly;
  return mayImport[source]?.includes(target) ?? true;
}

const files = globSync('{db,graphql,lib,move,packages,services}/**/*.ts', {
  cwd: root,
  exclude: ['**/node_modules'],
});

test('imports follow the arrows of the house, so that a service can be run and replaced alone', () => {
  const arrows = files.flatMap(arrowsOf);
  expect(arrows.length).toBeGreaterThan(50);
  const against = arrows.filter((arrow) => !allowed(arrow)).map(({ from, to }) => `${from} -> ${to}`);
  expect(against).toEqual([]);
});

test('an arrow against the rules is found', () => {
  expect(allowed({ from: 'services/indexer/a.ts', to: 'services/demo/b.ts', typeOnly: false })).toBe(false);
  expect(allowed({ from: 'packages/adaptor/src/a.ts', to: 'lib/b.ts', typeOnly: true })).toBe(false);
  expect(allowed({ from: 'packages/adaptor/src/a.ts', to: 'packages/localnet', typeOnly: false })).toBe(
    false,
  );
  expect(allowed({ from: 'packages/adaptor/src/a.test.ts', to: 'test/support/b.ts', typeOnly: true })).toBe(
    false,
  );
  expect(allowed({ from: 'graphql/a.ts', to: 'services/gateway/b.ts', typeOnly: true })).toBe(false);
  expect(allowed({ from: 'services/agent/a.ts', to: 'services/roles/b.ts', typeOnly: true })).toBe(false);
  expect(allowed({ from: 'lib/a.ts', to: 'db/schema/b.ts', typeOnly: false })).toBe(false);
  expect(allowed({ from: 'lib/a.ts', to: 'db/schema/b.ts', typeOnly: true })).toBe(true);
});
