import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { expect, test } from 'vitest';

/** What each folder may import, by the first part of the path, or the first two below `services/`. */
const mayImport: Record<string, string[]> = {
  db: ['db', 'lib'],
  lib: ['lib'],
  graphql: ['graphql', 'lib', 'db'],
  cli: ['cli', 'lib'],
  move: ['move', 'lib'],
};

const root = join(import.meta.dirname, '..');
const importOf =
  /(?:import|export)\s+(type\s)?[^'"`;]*?from\s+'(\.[^']+)'|import\(\s*'(\.[^']+)'\s*\)|^import\s+'(\.[^']+)'/gm;

interface Arrow {
  from: string;
  to: string;
  typeOnly: boolean;
}

function arrowsOf(file: string): Arrow[] {
  const text = readFileSync(join(root, file), 'utf8');
  return [...text.matchAll(importOf)].map(([, type, from, dynamic, bare]) => ({
    from: file,
    to: relative(root, join(root, dirname(file), (from ?? dynamic ?? bare)!)),
    typeOnly: type !== undefined,
  }));
}

function folderOf(path: string): string {
  const [first, second] = path.split('/');
  return first === 'services' ? `services/${second}` : first!;
}

function allowed({ from, to, typeOnly }: Arrow): boolean {
  const [source, target] = [folderOf(from), folderOf(to)];
  // Tests build on test/support and may set up the real parts around the one they test.
  if (from.endsWith('.test.ts') && target === 'test') return true;
  // What starts the services, and nothing else, knows all of them.
  if (source === 'services/main.ts' || source === 'services/roles') {
    return target !== 'test' && target !== 'bench' && target !== 'services/main.ts';
  }
  if (source.startsWith('services/')) return target === source || ['graphql', 'lib', 'db'].includes(target);
  if (source === 'lib' && target === 'db') return typeOnly;
  return mayImport[source]?.includes(target) ?? true;
}

const files = globSync('{cli,db,graphql,lib,move,services}/**/*.ts', { cwd: root });

test('imports follow the arrows of the house, so that a service can be run and replaced alone', () => {
  const arrows = files.flatMap(arrowsOf);
  expect(arrows.length).toBeGreaterThan(50);
  const against = arrows.filter((arrow) => !allowed(arrow)).map(({ from, to }) => `${from} -> ${to}`);
  expect(against).toEqual([]);
});

test('an arrow against the rules is found', () => {
  expect(allowed({ from: 'services/indexer/a.ts', to: 'services/localnet/b.ts', typeOnly: false })).toBe(
    false,
  );
  expect(allowed({ from: 'graphql/a.ts', to: 'services/gateway/b.ts', typeOnly: true })).toBe(false);
  expect(allowed({ from: 'services/agent/a.ts', to: 'services/roles/b.ts', typeOnly: true })).toBe(false);
  expect(allowed({ from: 'lib/a.ts', to: 'db/schema/b.ts', typeOnly: false })).toBe(false);
  expect(allowed({ from: 'lib/a.ts', to: 'db/schema/b.ts', typeOnly: true })).toBe(true);
});
