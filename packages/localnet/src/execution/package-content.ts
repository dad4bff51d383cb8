import type { ModuleJson } from '@adaptor-marketplace/move-bytecode';
import { serialize } from '@mysten/move-bytecode-template';
import { fromBase64, normalizeSuiAddress } from '@mysten/sui/utils';
import type { PackageObject } from '../state/objects.ts';
import { verificationError } from '../vm/errors.ts';
import { deserializeModule } from '../vm/loader/bytecode.ts';
import { CommandFailure } from './failures.ts';
import type { Program } from './program.ts';

/** The chain's bound on all modules of one package, in bytes. */
const MAX_PACKAGE_BYTES = 100 * 1024;

/** Units per byte of bytecode, for reading and checking it. */
const UNITS_PER_BYTE = 2;

const ZERO = '0'.repeat(64);

interface PublishedModule {
  name: string;
  json: ModuleJson;
  /** With the package's own address in the place of 0x0. */
  bytes: Uint8Array;
}

/** Parses modules that come to be published, and puts the package's address into them. */
export function readModules(program: Program, modules: string[], address: string): PublishedModule[] {
  const raw = modules.map((module) => fromBase64(module));
  const size = raw.reduce((sum, bytes) => sum + bytes.length, 0);
  if (size > MAX_PACKAGE_BYTES) {
    throw new CommandFailure({ kind: 'MovePackageTooBig', size, maxSize: MAX_PACKAGE_BYTES });
  }
  program.session.meter.charge(size * UNITS_PER_BYTE);
  if (raw.length === 0) throw verificationError('MALFORMED', 'a package has at least one module');
  const names = new Set<string>();
  return raw.map((bytes) => {
    const module = withAddress(deserializeModule(bytes), address);
    if (names.has(module.name))
      throw verificationError('DUPLICATE_MODULE_NAME', `module ${module.name} is given twice`);
    names.add(module.name);
    return module;
  });
}

function withAddress(json: ModuleJson, address: string): PublishedModule {
  const self = json.module_handles[json.self_module_handle_idx]!;
  if (json.address_identifiers[self.address] !== ZERO) {
    throw new CommandFailure({ kind: 'PublishErrorNonZeroAddress' });
  }
  json.address_identifiers[self.address] = address.slice(2);
  try {
    return { name: json.identifiers[self.name]!, json, bytes: serialize(json) };
  } catch {
    // What the serializer throws is not an Error.
    throw verificationError('MALFORMED', 'the module cannot be written with its address');
  }
}

/** Which datatypes modules define. */
export function datatypesOf({ json }: PublishedModule): string[] {
  const handles = [
    ...json.struct_defs.map((definition) => definition.struct_handle),
    ...json.enum_defs.map((definition) => definition.enum_handle),
  ];
  return handles.map((handle) => json.identifiers[json.datatype_handles[handle]!.name]!);
}

/**
 * The linkage table that dependencies (storage ids) make: each package that they are linked to must be among
 * them itself, in the same version or a newer one.
 */
export function linkageOf(program: Program, dependencies: string[], own: string): PackageObject['linkage'] {
  const linkage: PackageObject['linkage'] = new Map();
  const packages = dependencies.map((id) => loadDependency(program, normalizeSuiAddress(id)));
  for (const { content } of packages) {
    if (content.originalId === own) continue;
    const given = linkage.get(content.originalId)?.storageId ?? content.id;
    if (given !== content.id) {
      const message = `${given} and ${content.id} are versions of one package`;
      throw new CommandFailure({ kind: 'InvalidLinkage', message });
    }
    linkage.set(content.originalId, { storageId: content.id, version: content.version });
  }
  for (const { content } of packages) {
    for (const [originalId, needed] of content.linkage) {
      if (originalId === content.originalId) continue;
      const chosen = linkage.get(originalId);
      if (chosen === undefined) throw new CommandFailure({ kind: 'PublishUpgradeMissingDependency' });
      if (chosen.version < needed.version) {
        throw new CommandFailure({ kind: 'PublishUpgradeDependencyDowngrade' });
      }
    }
  }
  return linkage;
}

function loadDependency(program: Program, id: string) {
  const known = program.packages.find(id);
  if (known !== undefined) return known;
  if (program.input.readObject(id)?.kind !== 'package') {
    throw new CommandFailure({ kind: 'PublishUpgradeMissingDependency' });
  }
  return program.packages.load(id, program.input.readObject);
}

/** Throws unless every package that the modules name is linked. */
export function checkLinked(
  modules: PublishedModule[],
  linkage: PackageObject['linkage'],
  own: string,
): void {
  for (const { json } of modules) {
    for (const { address } of json.module_handles) {
      const id = `0x${json.address_identifiers[address]}`;
      if (id !== own && !linkage.has(id))
        throw new CommandFailure({ kind: 'PublishUpgradeMissingDependency' });
    }
  }
}
