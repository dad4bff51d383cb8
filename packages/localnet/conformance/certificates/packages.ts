import { type Certificate, Certifier } from '@adaptor-marketplace/adaptor/certify';
import { parseModule } from '@adaptor-marketplace/move-bytecode';
import { serialize } from '@mysten/move-bytecode-template';
import { TestChain } from '../../src/execution/testing/chain.ts';
import { deserializeModule } from '../../src/vm/loader/bytecode.ts';
import type { LoadedFunction } from '../../src/vm/loader/module.ts';
import type { LoadedPackage } from '../../src/vm/loader/package.ts';

type PackageContent = ConstructorParameters<typeof Certifier>[0]['root'];

/** Packages to run, with the certificates of their functions. */
export class CertifiedPackages {
  readonly #chain = new TestChain();
  readonly #contents = new Map<string, PackageContent>();
  readonly #certifiers = new Map<string, Certifier>();
  readonly #certificates = new Map<LoadedFunction, Certificate>();

  /** @param packages modules by the package's id; a package comes after those that it uses */
  constructor(packages: ReadonlyMap<string, readonly Uint8Array[]>) {
    const placed: string[] = [];
    for (const [id, modules] of packages) {
      const named = new Map(modules.map((bytes) => [moduleName(bytes), bytes] as const));
      this.#chain.addPackage(id, named, [...placed]);
      const linkage = new Map(placed.map((dependency) => [dependency, dependency]));
      this.#contents.set(id, {
        id,
        originalId: id,
        version: 1n,
        modules: named,
        typeOrigins: new Map(),
        linkage,
      });
      placed.push(id);
    }
  }

  load(id: string): LoadedPackage {
    return this.#chain.packages.load(id, this.read);
  }

  readonly read = (id: string) => this.#chain.objects.get(id);

  certificate(fn: LoadedFunction): Certificate {
    let certificate = this.#certificates.get(fn);
    if (certificate === undefined) {
      certificate = this.#certifier(fn.module.address).certify({ module: fn.module.name, function: fn.name });
      this.#certificates.set(fn, certificate);
    }
    return certificate;
  }

  #certifier(id: string): Certifier {
    let certifier = this.#certifiers.get(id);
    if (certifier === undefined) {
      const root = this.#contents.get(id)!;
      certifier = new Certifier({
        root,
        dependencies: [...this.#contents.values()].filter((each) => each !== root),
      });
      this.#certifiers.set(id, certifier);
    }
    return certifier;
  }
}

function moduleName(bytes: Uint8Array): string {
  const { identifiers, module_handles, self_module_handle_idx } = deserializeModule(bytes);
  return identifiers[module_handles[self_module_handle_idx]!.name]!;
}

/** A module that was compiled for the address zero, at another one. */
export function placeAt(bytes: Uint8Array, id: string): Uint8Array {
  const module = parseModule(bytes);
  const self = module.module_handles[module.self_module_handle_idx]!;
  module.address_identifiers[self.address] = id.slice(2);
  return serialize(module);
}
