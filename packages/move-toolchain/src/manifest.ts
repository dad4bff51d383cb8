import { MoveCompileError } from './compile-error.ts';
import type { GitSource, PackageFiles } from './package-files.ts';

/** A package of the framework, whatever revision of it a manifest asks for. */
export const isFramework = (subdir: string | undefined) =>
  /(^|\/)(move-stdlib|sui-framework|sui-system)\/?$/.test(subdir ?? '');

/** A line of a Move.toml: the table that it is in, its key (none for the table's head) and value, and its place. */
interface Entry {
  table: string;
  key: string;
  value: string;
  start: number;
  end: number;
}

/** A Move.toml, read line by line: what packages write into it fits on a line for each key. */
export class Manifest {
  readonly #text: string;
  readonly #entries: Entry[] = [];

  constructor(files: PackageFiles) {
    this.#text = withoutComments(files['Move.toml'] ?? '');
    let table = '';
    let start = 0;
    for (const line of this.#text.split('\n')) {
      const end = start + line.length;
      // Trimmed first: an expression with several runs of spaces takes cubic time on a line that does not match.
      const text = line.trim();
      const header = /^\[([^[\]]+)\]$/.exec(text)?.[1]?.trim();
      if (header !== undefined) this.#entries.push({ table: header, key: '', value: '', start, end });
      table = header ?? table;
      const [, key, value] = /^["']?([\w.-]+)["']?\s*=(.*)$/.exec(text) ?? [];
      if (key !== undefined) this.#entries.push({ table, key, value: value!.trim(), start, end });
      start = end + 1;
    }
  }

  /** The `name` of the package. */
  get packageName(): string {
    const entry = this.#entries.find(({ table, key }) => table === 'package' && key === 'name');
    const name = entry && textOf(entry.value);
    if (!name) throw new MoveCompileError('The Move.toml has no package name.');
    return name;
  }

  /** Folders of the local packages that it names, relative to its own. */
  get localDependencies(): string[] {
    return this.#dependencies().flatMap((dependency) =>
      isFrameworkDependency(dependency) ? [] : (dependency.local ?? []),
    );
  }

  /** The packages of git repositories that it names, by their names. The framework is not among them. */
  get gitDependencies(): Map<string, GitSource> {
    const found = this.#dependencies().flatMap((dependency) => {
      const { name, git, rev = 'HEAD', subdir } = dependency;
      return git === undefined || isFrameworkDependency(dependency)
        ? []
        : [[name, { url: git, rev, subdir: subdir ?? '' }] as const];
    });
    return new Map(found);
  }

  /** The text with some dependencies in local folders, by their names, in place of a git repository. */
  withLocal(folders: ReadonlyMap<string, string>): string {
    const changes = this.#dependencies().flatMap(({ name, entries }) => {
      const folder = folders.get(name);
      if (folder === undefined) return [];
      const local = `local = ${JSON.stringify(folder)}`;
      return entries.flatMap((entry) => {
        const { start, end, table, key, value } = entry;
        if (!dependencyTable.test(table)) {
          const others = [...value.matchAll(inlinePair)].filter(([, key]) => !gitKeys.has(key!));
          const pairs = [local, ...others.map(([pair]) => pair)].join(', ');
          return { start, end, text: `${key} = { ${pairs} }` };
        }
        return gitKeys.has(key) ? { start, end, text: key === 'git' ? local : '' } : [];
      });
    });
    return replaced(this.#text, changes);
  }

  /**
   * The text as the compiler is given it, for a package that is yet to be published: local dependencies by names that hold
   * for every package; without the framework, which every package gets, and of which there must be one, but with
   * the package at 0x3 where sources name it; and at no address of its own, where it was published elsewhere, nor with
   * addresses of its dependencies, which have them themselves.
   * @param nameFolder names the folder of a local dependency
   * @param own the named addresses that the package's modules are in
   * @param system name of the package at 0x3, if sources use it
   * @param packageName another name for the package
   */
  prepared(
    nameFolder: (local: string) => string,
    own: ReadonlySet<string>,
    system: string | undefined,
    packageName: string | undefined,
  ): string {
    const changes: { start: number; end: number; text: string }[] = [];
    const remove = ({ start, end }: Entry) => changes.push({ start, end, text: '' });
    const dependencies = new Set(system === undefined ? [] : [spell('sui_system')]);
    let hasFramework = false;
    for (const dependency of this.#dependencies()) {
      const { name, local, entries } = dependency;
      if (isFrameworkDependency(dependency)) {
        hasFramework = true;
        for (const entry of entries) remove(entry);
      } else if (local !== undefined) {
        dependencies.add(spell(name));
        for (const entry of entries) {
          const line = this.#text.slice(entry.start, entry.end);
          const text = line.replace(localPath, (_, key) => `${key}${JSON.stringify(nameFolder(local))}`);
          changes.push({ ...entry, text });
        }
      }
    }
    for (const entry of this.#entries) {
      if (hasFramework && entry.key === 'implicit-dependencies') remove(entry);
      if (entry.table === 'package' && entry.key === 'published-at') remove(entry);
      if (entry.table === 'package' && entry.key === 'name' && packageName !== undefined) {
        changes.push({ ...entry, text: `name = "${packageName}"` });
      }
      if (isPlaced(entry, own)) {
        changes.push({ ...entry, text: `${entry.key} = "0x0"` });
      } else if (entry.table === 'addresses' && dependencies.has(spell(entry.key))) {
        remove(entry);
      }
    }
    const table = `\n[dependencies.sui_system]\nlocal = ${JSON.stringify(system)}\n`;
    return replaced(this.#text + (system === undefined ? '' : table), changes);
  }

  /** The value of a named address. Undefined for one that is zero, or that users of the package choose. */
  readAddress(name: string): string | undefined {
    const entry = this.#entries.find(({ table, key }) => table === 'addresses' && key === name);
    const value = entry && textOf(entry.value);
    return value === undefined || /^(?:_|0x0*)$/.test(value) ? undefined : value;
  }

  /** Each dependency once, in one line or as a table of its own. */
  #dependencies(): Dependency[] {
    const lines = this.#entries.filter(({ table, key }) => key !== '' && dependencyTables.test(table));
    const tables = Map.groupBy(
      this.#entries.filter(({ table }) => dependencyTable.test(table)),
      ({ table }) => table,
    );
    return [
      ...lines.map((entry) => ({ name: entry.key, ...sourceOf(entry.value), entries: [entry] })),
      ...[...tables].map(([table, entries]) => ({
        name: table.split('.').at(-1)!,
        ...sourceOf(entries.map(({ key, value }) => `${key} = ${value}`).join(', ')),
        entries,
      })),
    ];
  }
}

/** Returns true for a named address of the package's modules that has a value, or gets one from another package (`_`). */
const isPlaced = ({ table, key, value }: Entry, own: ReadonlySet<string>) =>
  table === 'addresses' && own.has(key) && /^["'](0x|_["'])/.test(value);

interface Dependency {
  name: string;
  local?: string | undefined;
  git?: string | undefined;
  rev?: string | undefined;
  subdir?: string | undefined;
  /** Name of a package that the chain itself has. */
  system?: string | undefined;
  entries: Entry[];
}

/** A dependency on the framework: in its repository, in a local copy of it, or by the name of a system package. */
function isFrameworkDependency({ local, git, subdir, system }: Dependency): boolean {
  if (system !== undefined) return /^(std|sui|sui_system)$/.test(system);
  return isFramework(git === undefined ? local : subdir);
}

const environment = String.raw`dep-replacements\.[\w-]+`;
const dependencyTables = new RegExp(`^((dev-)?dependencies|${environment})$`);
const dependencyTable = new RegExp(String.raw`^((dev-)?dependencies|${environment})\.[\w"'-]+$`);
const localPath = /(\blocal\s*=\s*)(?:"[^"]*"|'[^']*')/;

const gitKeys: ReadonlySet<string> = new Set(['git', 'rev', 'subdir']);
const inlinePair = /([\w-]+)\s*=\s*(?:"[^"]*"|'[^']*'|\w+)/g;

function replaced(text: string, changes: { start: number; end: number; text: string }[]): string {
  return changes
    .toSorted((a, b) => b.start - a.start)
    .reduce((now, { start, end, text: to }) => now.slice(0, start) + to + now.slice(end), text);
}

const sourceKey = /\b(local|git|rev|subdir|system)\s*=\s*("[^"]*"|'[^']*')/g;

function sourceOf(value: string) {
  const found: { local?: string; git?: string; rev?: string; subdir?: string; system?: string } = {};
  for (const [, key, text] of value.matchAll(sourceKey)) found[key as keyof typeof found] ??= textOf(text!)!;
  return found;
}

function textOf(value: string): string | undefined {
  return /^(?:"([^"]*)"|'([^']*)')/
    .exec(value)
    ?.slice(1)
    .find((text) => text !== undefined);
}

/** Returns the same text for a package such as NestEgg and its address nest_egg. */
const spell = (name: string) => name.toLowerCase().replace(/[_-]/g, '');

/** The same length: a comment becomes spaces. */
function withoutComments(text: string): string {
  return text.replace(/("(?:\\.|[^"\\\n])*"|'[^'\n]*')|#[^\n]*/g, (found, quoted) =>
    quoted === undefined ? ' '.repeat(found.length) : found,
  );
}

/** Returns true if a package uses a module of the package at 0x3. */
export function usesSuiSystem(files: PackageFiles): boolean {
  return (
    !ownAddresses(files).has('sui_system') &&
    sourcesOf(files).some((text) => /\bsui_system::/.test(text.replace(/\/\/[^\n]*|\/\*[\s\S]*?\*\//g, '')))
  );
}

function sourcesOf(files: PackageFiles): string[] {
  return Object.entries(files).flatMap(([path, text]) => (path.endsWith('.move') ? [text] : []));
}

/** The named addresses that modules are declared in. */
export function ownAddresses(files: PackageFiles): Set<string> {
  const sources = sourcesOf(files);
  return new Set(
    sources.flatMap((text) =>
      [...text.matchAll(/^\s*(?:#\[[^\]]*\]\s*)*module\s+([a-zA-Z_]\w*)::/gm)].map(([, name]) => name!),
    ),
  );
}
