import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CodeModule } from '../../../introspect/code/module.ts';
import { publishedFramework } from '../../../introspect/testing/packages.ts';
import type { PackageContent } from '../../../packages/source.ts';
import type { Program } from '../../code/program.ts';

/** File name of a module: a number, the id of the package version, and the module's name. */
const fileName = /^(?:\d+_)?(0x[0-9a-f]{64})_(\w+)\.mv$/;

/** The packages of a folder with one file for each module. Bytecode names packages by the addresses of their modules. */
export class Corpus {
  readonly packages: readonly PackageContent[];
  /** The content that stands for a package whose version a linkage table does not name, by original id. */
  readonly #linked: ReadonlyMap<string, PackageContent>;
  readonly #mentions = new Map<PackageContent, ReadonlySet<string>>();

  private constructor(packages: readonly PackageContent[], system: readonly PackageContent[]) {
    this.packages = packages;
    const linked = new Map<string, PackageContent>();
    // Upgrades only add functions, so the largest version has all that code may call.
    const bySize = [...packages].sort((a, b) => countBytes(a) - countBytes(b) || (a.id < b.id ? -1 : 1));
    for (const content of bySize) linked.set(content.originalId, content);
    for (const content of system) linked.set(content.id, content);
    this.#linked = linked;
  }

  /** Reads the folder. The framework is the one of this repository, since the chain upgrades it in place. */
  static async read(folder: string): Promise<Corpus> {
    const modules = new Map<string, Map<string, Uint8Array>>();
    for (const name of readdirSync(folder).sort()) {
      const [, id, module] = fileName.exec(name) ?? [];
      if (id === undefined || module === undefined) continue;
      const found = modules.get(id) ?? new Map<string, Uint8Array>();
      modules.set(id, found.set(module, readFileSync(join(folder, name))));
    }
    const framework = await publishedFramework();
    const system = await Promise.all(['0x1', '0x2', '0x3'].map((id) => framework.read(id)));
    return new Corpus(
      [...modules].map(([id, each]) => toContent(id, each)),
      system,
    );
  }

  /** A package with all packages of the corpus and the framework that it calls, directly or not. */
  link(root: PackageContent): Program {
    const dependencies = new Map<string, PackageContent>();
    const names = new Set(this.#listMentions(root));
    for (const name of names) {
      const found = name === root.originalId ? undefined : this.#linked.get(name);
      if (!found) continue;
      dependencies.set(name, found);
      for (const each of this.#listMentions(found)) names.add(each);
    }
    const linkage = new Map([...dependencies].map(([originalId, { id }]) => [originalId, id]));
    return { root: { ...root, linkage }, dependencies: [...dependencies.values()] };
  }

  #listMentions(content: PackageContent): ReadonlySet<string> {
    const known = this.#mentions.get(content);
    if (known) return known;
    const found = new Set(
      [...content.modules.values()].flatMap((bytes) => [...new CodeModule(bytes).mentions]),
    );
    this.#mentions.set(content, found);
    return found;
  }
}

const countBytes = ({ modules }: PackageContent): number =>
  [...modules.values()].reduce((sum, bytes) => sum + bytes.length, 0);

function toContent(id: string, modules: ReadonlyMap<string, Uint8Array>): PackageContent {
  const [first] = modules.values();
  const originalId = new CodeModule(first!).address;
  return { id, originalId, version: 1n, modules, typeOrigins: new Map(), linkage: new Map() };
}
