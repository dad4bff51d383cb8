import { type ModuleJson, parseModule } from '@adaptor-marketplace/move-bytecode';
import { serialize } from '@mysten/move-bytecode-template';
import { normalizeSuiAddress } from '@mysten/sui/utils';
import { blake2b } from '@noble/hashes/blake2.js';

/** What a `Publish` command needs. */
export interface CompiledPackage {
  /** Bytecode, a module after those of the package that it uses. */
  modules: Uint8Array[];
  /** Ids of the packages that the bytecode links to, directly or not. */
  dependencies: string[];
  /** Blake2b-256 over modules and dependencies, as an upgrade is authorised for; lower-case hex. */
  digest: string;
}

/**
 * A compiled package with other ids for those it links to: `ids` maps the ids it was compiled with, which must be
 * unlike anything else in bytecode, to where those packages are.
 * @param versions of some of those, by their ids, the later version that is linked to
 */
export function linkPackage(
  compiled: CompiledPackage,
  ids: Map<string, string>,
  versions: ReadonlyMap<string, string> = new Map(),
): CompiledPackage {
  // Bytecode holds an address as its 32 bytes wherever it stands, and what the compiler makes does not depend on
  // them otherwise.
  const linked = (hex: string) =>
    [...ids].reduce((text, [from, to]) => text.replaceAll(digits(from), digits(to)), hex);
  const modules = compiled.modules.map((module) =>
    withoutDuplicates(Uint8Array.from(Buffer.from(linked(Buffer.from(module).toString('hex')), 'hex'))),
  );
  const dependencies = compiled.dependencies.map(linked).map((id) => versions.get(id) ?? id);
  return { modules, dependencies, digest: packageDigest(modules, dependencies) };
}

/**
 * A module whose constants are different from each other, as the chain demands: an address that was written out, and
 * one that was linked to the same, are one.
 */
function withoutDuplicates(bytes: Uint8Array): Uint8Array {
  const module = parseModule(bytes);
  const first = new Map<string, number>();
  const kept: ModuleJson['constant_pool'] = [];
  const places = module.constant_pool.map((constant) => {
    const key = JSON.stringify(constant);
    const place = first.get(key) ?? kept.push(constant) - 1;
    first.set(key, place);
    return place;
  });
  if (kept.length === places.length) return bytes;
  module.constant_pool = kept;
  for (const { code } of module.function_defs) {
    for (const instruction of code?.code ?? []) {
      if (typeof instruction === 'object' && 'LdConst' in instruction) {
        instruction.LdConst = places[Number(instruction.LdConst)];
      }
    }
  }
  return serialize(module);
}

/** Blake2b-256 over the sorted digests of modules and ids of dependencies; lower-case hex. */
function packageDigest(modules: Uint8Array[], dependencies: string[]): string {
  const ids = dependencies.map((id) => Buffer.from(digits(id), 'hex'));
  const parts = [...modules.map(blake2b256), ...ids].sort(Buffer.compare);
  return blake2b256(Buffer.concat(parts)).toString('hex');
}

const digits = (id: string) => normalizeSuiAddress(id).slice(2);
const blake2b256 = (bytes: Uint8Array) => Buffer.from(blake2b(bytes, { dkLen: 32 }));
