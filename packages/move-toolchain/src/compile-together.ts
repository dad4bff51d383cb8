import { normalizeSuiAddress, toBase64 } from '@mysten/sui/utils';
import type { PackageFiles } from './builder.ts';
import { cached } from './cache.ts';
import { cacheInputs, compileSources, groupByAddress } from './compile.ts';
import { linkPackage } from './link.ts';
import { usesSuiSystem } from './manifest.ts';
import { suiSystem } from './prepared.ts';
import { packageName, placeholderId, readDependencies, readPackage } from './sources.ts';

const system = ['0x1', '0x2'].map((id) => normalizeSuiAddress(id));

/**
 * Compiles the packages in `dirs` in one run of the compiler, unless all are in the cache already; `compilePackage`
 * then finds them there. The compiler spends most of a run on the framework: thirty packages together take as long as
 * four of them one by one. Each package has one named address, its own name, and all that it uses is among `dirs`.
 * @throws MoveCompileError with the compiler's diagnostics.
 */
export async function compileTogether(dirs: string[]): Promise<void> {
  // The compiler takes a sole named address for where the package stands already, and one package gains nothing.
  if (dirs.length < 2) return;
  const packages = await Promise.all(dirs.map(async (dir) => ({ dir, files: await readPackage(dir) })));
  let modules: Promise<Map<string, Uint8Array[]>> | undefined;
  await Promise.all(
    packages.map(async ({ dir, files }) => {
      const dependencies = await readDependencies(files, dir);
      await cached(await cacheInputs(files, dependencies), async () => {
        modules ??= compileModules(packages.map((one) => one.files));
        const own = placeholderId(packageName(files));
        const linksTo = dependencies.map(packageName).sort().map(placeholderId);
        const compiled = {
          modules: (await modules).get(own) ?? [],
          dependencies: [
            ...system,
            ...([files, ...dependencies].some(usesSuiSystem) ? [normalizeSuiAddress(suiSystem.id)] : []),
            ...linksTo,
          ],
          digest: '',
        };
        // A package that is not published yet has the address zero.
        const linked = linkPackage(compiled, new Map([[own, '0x0']]));
        return {
          modules: linked.modules.map((module) => toBase64(module)),
          dependencies: linked.dependencies,
          digest: [...Buffer.from(linked.digest, 'hex')],
        };
      });
    }),
  );
}

/** The modules of all packages by the made-up ids of these, compiled as the sources of one. */
async function compileModules(packages: PackageFiles[]): Promise<Map<string, Uint8Array[]>> {
  const joined = joinSources(packages, placeholderId);
  const { modules } = await compileSources(joined, { uncached: true, placed: true });
  return groupByAddress(modules);
}

/** Sources of several packages as those of one, which has their modules at the addresses of these packages. */
export function joinSources(
  packages: readonly PackageFiles[],
  findAddress: (packageName: string) => string,
): PackageFiles {
  const files: PackageFiles = {};
  const addresses: string[] = [];
  for (const sources of packages) {
    const name = packageName(sources);
    addresses.push(`${name} = "${findAddress(name)}"`);
    for (const [path, text] of Object.entries(sources)) {
      if (path !== 'Move.toml') files[path.replace('sources/', `sources/${name}/`)] = text;
    }
  }
  files['Move.toml'] =
    `[package]\nname = "together"\nedition = "2024"\n\n[addresses]\n${addresses.join('\n')}\n`;
  return files;
}
