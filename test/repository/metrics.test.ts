import { describe, expect, test } from 'vitest';
import {
  extractTopFolder,
  findCycles,
  findFolderPairs,
  findUnusedExports,
  measureFolders,
} from './metrics.ts';
import { parseSource, readSources } from './sources.ts';

interface Limits {
  inCycles?: number;
  folderPairs?: number;
  /** Names that are exported and imported nowhere. */
  unusedExports?: number;
}

/** Known exceptions by folder; zero elsewhere. When a folder gets better, lower its limit; never raise one. */
const limits: Record<string, Limits> = {
  'packages/cli': { folderPairs: 1 },
  'packages/localnet': { folderPairs: 2 },
};

const sources = readSources();

/** The findings of each folder that exceeds its limit: `folder: count > limit`, then each finding. */
function aboveLimit(limit: keyof Limits, findings: readonly { path: string; found: string }[]): string[] {
  const byFolder = Map.groupBy(findings, ({ path }) => extractTopFolder(path));
  return [...byFolder].flatMap(([folder, inFolder]) => {
    const max = limits[folder]?.[limit] ?? 0;
    if (inFolder.length <= max) return [];
    return [`${folder}: ${inFolder.length} > ${max}`, ...inFolder.map(({ found }) => found)];
  });
}

describe('the repository', () => {
  test('has no import cycles between files, imports of types included', () => {
    const inCycles = findCycles(sources).flatMap((files) =>
      files.map((path) => ({ path, found: files.join(', ') })),
    );
    expect(aboveLimit('inCycles', inCycles)).toEqual([]);
  });

  test('has no folders that import each other', () => {
    const pairs = findFolderPairs(sources).map(({ folders, examples }) => ({
      path: folders[0],
      found: examples.join(' | '),
    }));
    expect(
      aboveLimit(
        'folderPairs',
        pairs.map((pair) => ({ ...pair, path: `${pair.path}/*` })),
      ),
    ).toEqual([]);
  });

  test('has no exports that no other file imports', () => {
    const unused = findUnusedExports(sources).map((found) => ({ path: found.split(':')[0]!, found }));
    expect(aboveLimit('unusedExports', unused)).toEqual([]);
  });
});

describe('the metrics', () => {
  const packages = new Map([['@example/shapes/circle', 'packages/shapes/src/circle.ts']]);
  const parse = (files: Record<string, string>) =>
    Object.entries(files).map(([path, text]) => parseSource(path, text, packages));

  test('find imports of every form, and the lengths of files without tests', () => {
    const sources = parse({
      'lib/a.ts': [
        "import './side-effect.ts';",
        "import type { A } from './types.ts';",
        'import {',
        '  b,',
        '  type B,',
        "} from '@example/shapes/circle';",
        "import text from './c.json' with { type: 'json' };",
        "export { d } from './d.ts';",
        "const later = await import('./e.ts');",
        "export const from = 'from';",
        '',
      ].join('\n'),
      'lib/a.test.ts': "import { from } from './a.ts';\n",
    });
    expect(sources[0]!.imports.map(({ to }) => to)).toEqual([
      'lib/side-effect.ts',
      'lib/types.ts',
      'packages/shapes/src/circle.ts',
      'lib/c.json',
      'lib/d.ts',
      'lib/e.ts',
    ]);
    const [lib] = measureFolders(sources);
    expect(lib).toEqual({ folder: 'lib', files: 2, medianLines: 10, lines90: 10 });
  });

  test('find a cycle that only types close, and one through a package', () => {
    const sources = parse({
      'lib/a.ts': "import { b } from './b.ts';\n",
      'lib/b.ts': "import type { C } from './c.ts';\n",
      'lib/c.ts': "type A = import('./a.ts').A;\n",
      'lib/d.ts': "import { a } from './a.ts';\n",
      'packages/shapes/src/circle.ts': "import { e } from '../../../lib/e.ts';\n",
      'lib/e.ts': "import { circle } from '@example/shapes/circle';\n",
    });
    expect(findCycles(sources)).toEqual([
      ['lib/a.ts', 'lib/b.ts', 'lib/c.ts'],
      ['lib/e.ts', 'packages/shapes/src/circle.ts'],
    ]);
  });

  test('find folders that import each other', () => {
    const sources = parse({
      'lib/a/one.ts': "import { two } from '../b/two.ts';\n",
      'lib/b/other.ts': "import type { One } from '../a/one.ts';\n",
      'lib/b/two.ts': "import { c } from '../c/c.ts';\n",
      'lib/c/c.test.ts': "import { two } from '../b/two.ts';\n",
      'lib/c/c.ts': '',
    });
    expect(findFolderPairs(sources)).toEqual([
      {
        folders: ['lib/a', 'lib/b'],
        examples: ['lib/a/one.ts -> lib/b/two.ts', 'lib/b/other.ts -> lib/a/one.ts'],
      },
    ]);
  });

  test('find what is exported and imported nowhere', () => {
    const sources = parse({
      'lib/a.ts': 'export const used = 1;\nexport interface Unused {}\nexport async function later() {}\n',
      'lib/b.ts': "import { used as one } from './a.ts';\nconst x = (await import('./a.ts')).later();\n",
      'lib/whole.ts': 'export const x = 1;\n',
      'lib/c.ts': "import * as whole from './whole.ts';\n",
    });
    expect(findUnusedExports(sources, new Set())).toEqual(['lib/a.ts: Unused']);
    expect(findUnusedExports(sources, new Set(['lib/a.ts']))).toEqual([]);
  });
});
