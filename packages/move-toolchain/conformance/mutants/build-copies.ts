import { MoveCompileError, type PackageFiles } from '../../src/builder.ts';
import { compileSources, groupByAddress } from '../../src/compile.ts';
import { ownAddresses } from '../../src/manifest.ts';
import { placeholderId } from '../../src/sources.ts';

/** A package and those that it uses. Each declares its modules by one named address. */
export interface Subject {
  name: string;
  files: PackageFiles;
  dependencies: readonly PackageFiles[];
}

/**
 * Compiles copies of a package in one run of the compiler, each at an address of its own: a run spends most of its time on the
 * framework. Copies that do not compile are left out of the next run.
 * @returns modules by copy. Undefined for a copy that does not compile
 */
export async function buildCopies(
  subject: Subject,
  copies: readonly PackageFiles[],
): Promise<(Uint8Array[] | undefined)[]> {
  const built: (Uint8Array[] | undefined)[] = copies.map(() => undefined);
  await buildSome(subject, copies, [...copies.keys()], built);
  return built;
}

async function buildSome(
  subject: Subject,
  copies: readonly PackageFiles[],
  wanted: readonly number[],
  built: (Uint8Array[] | undefined)[],
): Promise<void> {
  if (wanted.length === 0) return;
  try {
    const { modules } = await compileSources(joinCopies(subject, copies, wanted), {
      uncached: true,
      placed: true,
    });
    const byAddress = groupByAddress(modules);
    for (const at of wanted) built[at] = byAddress.get(makeAddress(at));
  } catch (error) {
    if (!(error instanceof MoveCompileError)) throw error;
    const named = [...error.message.matchAll(/┌─ \S*?sources\/copy_(\d+)\//g)].map(([, at]) => Number(at));
    const wrong = new Set(named);
    const halves = [wanted.slice(0, wanted.length >> 1), wanted.slice(wanted.length >> 1)];
    const rest = wrong.size > 0 ? [wanted.filter((at) => !wrong.has(at))] : halves;
    if (wanted.length > 1) for (const some of rest) await buildSome(subject, copies, some, built);
  }
}

const makeAddress = (at: number) => `0x${(0x10_0000 + at).toString(16).padStart(64, '0')}`;

function joinCopies(subject: Subject, copies: readonly PackageFiles[], wanted: readonly number[]) {
  const files: PackageFiles = {};
  const own = readOwnAddress(subject.files);
  const addresses = new Map<string, string>();
  // With itself: the compiler would take the address of a sole copy for where the package stands already.
  for (const shared of [subject.files, ...subject.dependencies]) {
    const name = readOwnAddress(shared);
    addresses.set(name, placeholderId(name));
    for (const [path, text] of listSources(shared)) files[`sources/${name}/${path}`] = text;
  }
  const modules = listSources(subject.files).flatMap(([, text]) =>
    [...text.matchAll(/\bmodule\s+\w+::(\w+)/g)].map(([, name]) => name),
  );
  // Modules can have the name of the address: only before the name of a module it is the address.
  const place = new RegExp(String.raw`(?<!::\s*)\b${own}(?=::(?:(?:${modules.join('|')})\b|\{))`, 'g');
  for (const at of wanted) {
    addresses.set(`${own}_${at}`, makeAddress(at));
    for (const [path, text] of listSources(copies[at]!))
      files[`sources/copy_${at}/${path}`] = text.replace(place, `${own}_${at}`);
  }
  const edition = /^\s*edition\s*=.*$/m.exec(subject.files['Move.toml']!)?.[0] ?? '';
  const lines = [...addresses].map(([name, address]) => `${name} = "${address}"\n`);
  files['Move.toml'] = `[package]\nname = "copies"\n${edition}\n\n[addresses]\n${lines.join('')}`;
  return files;
}

const listSources = (files: PackageFiles) => Object.entries(files).filter(([path]) => path.endsWith('.move'));

function readOwnAddress(files: PackageFiles): string {
  const [name, ...others] = ownAddresses(files);
  if (name !== undefined && others.length === 0) return name;
  throw new Error('A package whose modules have one named address is necessary.');
}
