import { join } from 'node:path';
import { parseModule } from '@adaptor-marketplace/move-bytecode';
import {
  type CompiledPackage,
  compileFramework,
  compilePackage,
  compileSources,
  type PackageFiles,
} from '@adaptor-marketplace/move-toolchain';
import { compileTogether } from '@adaptor-marketplace/move-toolchain/compile-together';
import { packageName, placeholderId, readPackage } from '@adaptor-marketplace/move-toolchain/sources';
import { serialize } from '@mysten/move-bytecode-template';
import { normalizeAddress } from '../../chain/names.ts';
import { type PackageContent, type PackageSource, PackageUnreadableError } from '../../packages/source.ts';

/** The folder of the contracts and adaptors of this repository. */
export const moveDir = join(import.meta.dirname, '../../../../../move');

/** Packages as if they were published, each with an id that is derived from its name. */
export interface PublishedPackages extends PackageSource {
  deriveId(name: string): string;
}

/** Compiles the packages in the folders. Their dependencies must be among them. */
export async function publishedFolders(dirs: string[]): Promise<PublishedPackages> {
  await compileTogether(dirs);
  const contents = await Promise.all(
    dirs.map(async (dir) => {
      const name = packageName(await readPackage(dir));
      return toPublished(name, await compilePackage(dir, { allowUnpublished: true }));
    }),
  );
  return createSource(contents);
}

/** Compiles a package from sources. They can use the framework, and packages below the folder `base`. */
export async function publishedText(files: PackageFiles, base?: string): Promise<PackageContent> {
  const options = { allowUnpublished: true, ...(base !== undefined && { base }) };
  return toPublished(packageName(files), await compileSources(files, options));
}

/** Compiles the framework modules of this repository, at 0x1, 0x2 and 0x3. */
export async function publishedFramework(): Promise<PublishedPackages> {
  const { stdlib, sui, suiSystem } = await compileFramework();
  return createSource([
    buildPackageContent('0x1', stdlib, []),
    buildPackageContent('0x2', sui, ['0x1']),
    buildPackageContent('0x3', suiSystem, ['0x1', '0x2']),
  ]);
}

export function createSource(contents: readonly PackageContent[]): PublishedPackages {
  const byId = new Map(contents.map((content) => [content.id, content]));
  return {
    deriveId: placeholderId,
    async read(id) {
      const found = byId.get(normalizeAddress(id) ?? id);
      if (!found) throw new PackageUnreadableError('absent', id, `There is no package ${id}.`);
      return found;
    },
  };
}

function toPublished(name: string, { modules, dependencies }: CompiledPackage): PackageContent {
  const id = placeholderId(name);
  const moved = modules.map((bytes) => replaceAddress(bytes, id));
  return buildPackageContent(
    id,
    new Map(moved.map((bytes) => [parseModuleName(bytes), bytes])),
    dependencies,
  );
}

function buildPackageContent(
  packageId: string,
  modules: ReadonlyMap<string, Uint8Array>,
  dependencies: readonly string[],
): PackageContent {
  const id = normalizeAddress(packageId)!;
  const typeOrigins = [...modules].flatMap(([name, bytes]) => {
    const { identifiers, datatype_handles: handles, struct_defs, enum_defs } = parseModule(bytes);
    const defined = [...struct_defs.map((s) => s.struct_handle), ...enum_defs.map((e) => e.enum_handle)];
    return defined.map((handle) => [`${name}::${identifiers[handles[handle]!.name]}`, id] as const);
  });
  return {
    id,
    originalId: id,
    version: 1n,
    modules,
    typeOrigins: new Map(typeOrigins),
    linkage: new Map(dependencies.map((other) => [normalizeAddress(other)!, normalizeAddress(other)!])),
  };
}

/** Replaces the address of a module that was compiled for the address zero, as publishing does. */
function replaceAddress(bytes: Uint8Array, id: string): Uint8Array {
  const json = parseModule(bytes);
  json.address_identifiers[json.module_handles[json.self_module_handle_idx]!.address] = id.slice(2);
  return serialize(json);
}

function parseModuleName(bytes: Uint8Array): string {
  const { identifiers, module_handles: handles, self_module_handle_idx: self } = parseModule(bytes);
  return identifiers[handles[self]!.name]!;
}
