import { dirname } from 'node:path';
import { isTest, packageExports, readSources, type Source } from './sources.ts';

interface FolderMetrics {
  folder: string;
  files: number;
  /** Lines of a file, tests excluded. */
  medianLines: number;
  /** Nine in ten files have at most this many lines, tests excluded. */
  lines90: number;
}

/** The folder that a file is counted in: its service or package, else the first folder of its path. */
export function extractTopFolder(path: string): string {
  const [first, second, third] = path.split('/');
  return (first === 'services' || first === 'packages') && third !== undefined
    ? `${first}/${second}`
    : first!;
}

function measure(folder: string, sources: readonly Source[]): FolderMetrics {
  const code = sources.filter(({ path }) => !isTest(path));
  const lengths = code.map(({ lines }) => lines).toSorted((a, b) => a - b);
  return {
    folder,
    files: sources.length,
    medianLines: percentile(lengths, 0.5),
    lines90: percentile(lengths, 0.9),
  };
}

/** `sources` by folder: each service and package by itself, then all services and all packages. */
export function measureFolders(sources: readonly Source[]): FolderMetrics[] {
  const measured = ['bench', 'db', 'graphql', 'lib', 'packages', 'services', 'test', 'web'];
  const inside = sources.filter(({ path }) => measured.includes(path.split('/')[0]!));
  const folders = Map.groupBy(inside, ({ path }) => extractTopFolder(path));
  for (const all of ['packages', 'services']) {
    folders.set(
      all,
      inside.filter(({ path }) => path.startsWith(`${all}/`)),
    );
  }
  return [...folders]
    .toSorted(([a], [b]) => a.localeCompare(b))
    .map(([folder, files]) => measure(folder, files));
}

function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

/** Groups of files that import each other in a circle, imports of types included (Tarjan's algorithm). */
export function findCycles(sources: readonly Source[]): string[][] {
  const imports = new Map(sources.map((source) => [source.path, source.imports.map(({ to }) => to)]));
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const open: string[] = [];
  const cycles: string[][] = [];
  for (const { path } of sources) if (!order.has(path)) visit(path);
  return cycles;

  function visit(path: string): void {
    order.set(path, order.size);
    let low = order.get(path)!;
    open.push(path);
    for (const to of imports.get(path)!) {
      if (!imports.has(to)) continue;
      if (!order.has(to)) visit(to);
      else if (!open.includes(to)) continue;
      low = Math.min(low, lowest.get(to) ?? order.get(to)!);
    }
    lowest.set(path, low);
    if (low !== order.get(path)) return;
    const cycle = open.splice(open.indexOf(path));
    if (cycle.length > 1) cycles.push(cycle.toSorted());
  }
}

interface FolderPair {
  folders: [string, string];
  /** One import in each direction, as `file -> file`. */
  examples: [string, string];
}

/** Pairs of folders whose files import each other, tests excluded. */
export function findFolderPairs(sources: readonly Source[]): FolderPair[] {
  const known = new Set(sources.map(({ path }) => path));
  const arrows = new Map<string, string>();
  for (const { path, imports } of sources) {
    if (isTest(path)) continue;
    for (const { to } of imports) {
      const key = `${dirname(path)} ${dirname(to)}`;
      if (known.has(to) && dirname(path) !== dirname(to) && !arrows.has(key)) {
        arrows.set(key, `${path} -> ${to}`);
      }
    }
  }
  return [...arrows].flatMap(([key, example]) => {
    const [a, b] = key.split(' ') as [string, string];
    const back = arrows.get(`${b} ${a}`);
    return back !== undefined && a < b ? [{ folders: [a, b], examples: [example, back] } as FolderPair] : [];
  });
}

/** Names that a file exports and no other file imports, as `file: name`. What packages publish counts as imported. */
export function findUnusedExports(
  sources: readonly Source[],
  published: ReadonlySet<string> = new Set(packageExports().values()),
): string[] {
  const used = new Map<string, Set<string> | 'all'>();
  for (const { path, imports } of sources) {
    for (const { to, names } of imports) {
      const before = used.get(to);
      if (names === undefined) used.set(to, 'all');
      else if (before !== 'all' && to !== path) used.set(to, new Set([...(before ?? []), ...names]));
    }
  }
  return sources.flatMap(({ path, exports }) => {
    const names = used.get(path);
    if (published.has(path) || names === 'all') return [];
    return exports.filter((name) => !names?.has(name)).map((name) => `${path}: ${name}`);
  });
}

function print(): void {
  const sources = readSources();
  console.log('Tests are excluded from lengths.');
  console.table(measureFolders(sources));
  const list = (title: string, lines: readonly string[]) => {
    console.log([`${title}: ${lines.length}`, ...lines.map((line) => `  ${line}`)].join('\n'));
  };
  list(
    'Import cycles',
    findCycles(sources).map((files) => files.join(', ')),
  );
  list(
    'Folders that import each other',
    findFolderPairs(sources).map(
      ({ folders, examples }) => `${folders.join(' <-> ')} | ${examples.join(' | ')}`,
    ),
  );
  list('Exported and imported nowhere', findUnusedExports(sources));
}

if (import.meta.main) print();
