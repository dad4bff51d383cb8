import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

export const root = join(import.meta.dirname, '../..');

interface Import {
  /** Path of the imported file in the repository, or the name of a module outside it. */
  to: string;
  /** `true` if the whole statement imports types only. */
  typeOnly: boolean;
  /** Names that are imported; undefined for the whole module. */
  names: string[] | undefined;
}

export interface Source {
  /** Path from the root of the repository. */
  path: string;
  /** Line breaks in the file. */
  lines: number;
  /** Imports of the file, dynamic ones included. */
  imports: Import[];
  /** Names that the file exports, without re-exports. */
  exports: string[];
}

/** `true` if a file counts as a test: it runs tests, or it is a part of the tests next to it. */
export const isTest = (path: string): boolean => /\.test\.ts$|(^|\/)testing\//.test(path);

const imported = /^(?:import|export)\s+(type\s)?([^;'"`]*?)\s*from\s+'([^']+)'|^import\s+'([^']+)'/gm;
/** `import('...')` as a call or as a type, with the one imported name if the same expression names it. */
const importedInside = /import\(\s*'([^']+)'\s*\)(?:\)?\.(\w+))?/g;
const exported =
  /^export (?:declare )?(?:async )?(?:abstract )?(?:function\*?|class|const enum|const|let|interface|type|enum) (\w+)/gm;

/** Names between the braces of an import, as the imported file spells them. */
function parseImportedNames(clause: string): string[] | undefined {
  const [, byDefault, braces] = /^(\w+)?[\s,]*(?:\{([^}]*)\})?$/.exec(clause) ?? [];
  if (byDefault === undefined && braces === undefined) return undefined;
  const names = (braces ?? '').split(',').map(
    (name) =>
      name
        .trim()
        .replace(/^type /, '')
        .split(' as ')[0]!,
  );
  return [...(byDefault ? ['default'] : []), ...names.filter(Boolean)];
}

/** The exports of the repository's packages: the source file of each name that others import. */
export function packageExports(): Map<string, string> {
  const found = new Map<string, string>();
  for (const path of globSync('packages/*/package.json', { cwd: root })) {
    const { name, exports = {} } = JSON.parse(readFileSync(join(root, path), 'utf8'));
    for (const [subpath, target] of Object.entries<string>(exports)) {
      found.set(`${name}${subpath.slice(1)}`, normalize(join(dirname(path), target)));
    }
  }
  return found;
}

export function parseSource(path: string, text: string, packages: ReadonlyMap<string, string>): Source {
  const resolve = (spec: string) =>
    spec.startsWith('.') ? normalize(join(dirname(path), spec)) : (packages.get(spec) ?? spec);
  const imports: Import[] = [];
  for (const [, type, clause, from, bare] of text.matchAll(imported)) {
    imports.push({
      to: resolve((from ?? bare)!),
      typeOnly: type !== undefined,
      names: clause === undefined ? [] : parseImportedNames(clause),
    });
  }
  for (const [, to, name] of text.matchAll(importedInside)) {
    imports.push({ to: resolve(to!), typeOnly: false, names: name === undefined ? undefined : [name] });
  }
  return {
    path,
    lines: text.split('\n').length - 1,
    imports,
    exports: [...text.matchAll(exported)].map(([, name]) => name!),
  };
}

/** All TypeScript files of the repository that people write, without generated ones. */
export function readSources(): Source[] {
  const packages = packageExports();
  const exclude = ['**/node_modules', '**/dist', '.*', 'packages/{mcp,sdk}/src/generated'];
  return globSync('**/*.ts', { cwd: root, exclude })
    .toSorted()
    .map((path) => parseSource(path, readFileSync(join(root, path), 'utf8'), packages));
}
