import { join } from 'node:path';
import { parseModule } from '@adaptor-marketplace/move-bytecode';
import { serialize } from '@mysten/move-bytecode-template';
import { moveDir, publishedFolders, publishedText } from '../../../introspect/testing/packages.ts';
import type { PackageContent } from '../../../packages/source.ts';
import type { HostileAdaptor, Names, Variant } from './adaptor.ts';

/** The package of one variant of an adaptor, and how its claims name things. */
export interface CompiledAdaptor {
  content: PackageContent;
  module: string;
  names: Names;
}

export interface CompiledAdaptors {
  wallet: PackageContent;
  accomplice: PackageContent;
  find(adaptor: HostileAdaptor, variant: Variant): CompiledAdaptor;
}

export const moduleName = (name: string, variant: Variant): string =>
  variant === 'hostile' ? name : `${name}_twin`;

/** The sources of all adaptors and of their twins as those of one package, which compiles in a few seconds. */
export function writePackage(adaptors: readonly HostileAdaptor[]): Record<string, string> {
  const walletPath = '../../../../../../move/wallet';
  const files: Record<string, string> = {
    'Move.toml': `[package]
name = "hostile"
edition = "2024"

[dependencies]
wallet = { local = "${walletPath}" }
accomplice = { local = "accomplice" }

[addresses]
hostile = "0x0"
`,
  };
  for (const adaptor of adaptors) {
    for (const variant of ['hostile', 'honest'] as const) {
      const sources = adaptor.write(moduleName(adaptor.name, variant), variant);
      for (const [module, source] of Object.entries(sources)) files[`sources/${module}.move`] = source;
    }
  }
  return files;
}

/** Compiles all adaptors at once, and takes each for a package of its own. */
export async function compileAdaptors(adaptors: readonly HostileAdaptor[]): Promise<CompiledAdaptors> {
  const folders = [join(moveDir, 'wallet'), join(import.meta.dirname, 'accomplice')];
  const packages = await publishedFolders(folders);
  const [wallet, accomplice] = await Promise.all(
    ['wallet', 'accomplice'].map((name) => packages.read(packages.deriveId(name))),
  );
  const all = await publishedText(writePackage(adaptors), import.meta.dirname);
  const shared = { hostile: all.id, accomplice: accomplice!.id, wallet: wallet!.id };
  return {
    wallet: wallet!,
    accomplice: accomplice!,
    find(adaptor, variant) {
      const module = moduleName(adaptor.name, variant);
      const own = (name: string) => name === module || name === `${module}_parts`;
      const modules = new Map([...all.modules].filter(([name]) => own(name)));
      if (variant === 'hostile') modules.set(module, rewriteOp(modules.get(module)!, adaptor));
      const typeOrigins = new Map([...all.typeOrigins].filter(([type]) => own(type.split('::')[0]!)));
      return {
        content: { ...all, modules, typeOrigins },
        module,
        names: { ...shared, self: `${all.id}::${module}` },
      };
    },
  };
}

/** The bytecode of the module with the op of a hostile adaptor, after the adaptor's `rewrite`. */
export function rewriteOp(bytes: Uint8Array, { op, rewrite }: HostileAdaptor): Uint8Array {
  if (!rewrite) return bytes;
  const json = parseModule(bytes);
  const definition = json.function_defs.find(
    (each) => json.identifiers[json.function_handles[each.function]!.name] === op,
  );
  rewrite(definition!.code!.code);
  return serialize(json);
}
