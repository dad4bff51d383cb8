import { resolve } from 'node:path';
import { parseModule } from '@adaptor-marketplace/move-bytecode';
import { serialize } from '@mysten/move-bytecode-template';
import { fromBase64, normalizeSuiAddress } from '@mysten/sui/utils';
import { loadBuilder, MoveCompileError, type PackageFiles } from './builder.ts';
import { groupByAddress } from './compile.ts';
import { ownAddresses } from './manifest.ts';
import { prepared } from './prepared.ts';
import {
  LocalPackageFetcher,
  packageName,
  placeholderId,
  readDependencyFolders,
  readFramework,
  readPackage,
} from './sources.ts';

/** The modules that the unit tests of a package run, and the tests. */
export interface TestBytecode {
  /** The modules of each package by its address; a package comes after those that it uses. */
  packages: Map<string, Uint8Array[]>;
  /** The address of the package whose tests they are. */
  own: string;
  /** Addresses by the names that sources, and the test runner, have for them. */
  names: Map<string, string>;
}

/** Where unit tests have the package that they belong to. */
const OWN = normalizeSuiAddress('0x0');

/**
 * Compiles the package in `dir` with its unit tests, and what it uses with what is `#[test_only]`: the framework and
 * its local dependencies, which are at the addresses that `testPackage` has them at too.
 * @throws MoveCompileError with the compiler's diagnostics.
 */
export async function compileForTests(dir: string): Promise<TestBytecode> {
  const files = await readPackage(dir, { tests: true });
  const framework = groupByAddress(await compile(await readFramework()));
  const packages = new Map([...framework].sort(([a], [b]) => (a < b ? -1 : 1)));
  const names = new Map(
    [...packages.keys()].map((address, i) => [['std', 'sui', 'sui_system'][i]!, address]),
  );
  // A package may declare a module of tests at the address of another one, whose name it does not take.
  const add = (sources: PackageFiles, address: string) => {
    for (const name of ownAddresses(sources)) if (!names.has(name)) names.set(name, address);
  };
  for (const [folder, sources] of await readDependencyFolders(files, dir, { tests: true })) {
    const id = placeholderId(packageName(sources));
    add(sources, id);
    const modules = await compile(prepared(sources, folder, resolve));
    packages.set(
      id,
      modules.map((module) => moved(module, id)),
    );
  }
  add(files, OWN);
  packages.set(OWN, await compile(prepared(files, dir, resolve)));
  return { packages, own: OWN, names };
}

/**
 * Stands for the compiler's own mode of tests, whose modules have a function that Sui's verifier refuses. What has
 * both modes is what the verifier takes for a test, which may do more than other code.
 */
const MODE = 'with_tests';

async function compile(files: PackageFiles): Promise<Uint8Array[]> {
  const builder = await loadBuilder();
  const fetcher = new LocalPackageFetcher(placeholderId, { tests: true, changed: inMode });
  const result = await builder
    .dumpMovePackage({
      files: inMode(files),
      fetcher,
      network: 'testnet',
      modes: [MODE],
      silenceWarnings: true,
      ansiColor: false,
    })
    .catch((error: unknown) => ({ error: error instanceof Error ? error.message : String(error) }));
  if ('error' in result) throw new MoveCompileError(result.error);
  // With a mode the compiler writes another magic number, by which nobody can publish the module.
  return result.modules.map((module) =>
    Uint8Array.from([...MAGIC, ...fromBase64(module).subarray(MAGIC.length)]),
  );
}

/** What a module begins with that can be published. */
const MAGIC = [0xa1, 0x1c, 0xeb, 0x0b];

/** Sources whose tests are functions of MODE, on the same lines. */
function inMode(files: PackageFiles): PackageFiles {
  const changed = Object.entries(files).map(([path, text]) => [
    // The compiler reads the folder of tests in its own mode alone.
    path.replace(/^tests\//, 'sources/tests/'),
    withAttributes(text, (name) =>
      /^(test|test_only|random_test)$/.test(name)
        ? `mode(${MODE}, test)`
        : name === 'expected_failure'
          ? undefined
          : name,
    ),
  ]);
  return Object.fromEntries(changed);
}

/** Sources whose tests expect no failure, so that the runner reports what each of them does. */
export function withoutExpectations(files: PackageFiles): PackageFiles {
  const changed = Object.entries(files).map(([path, text]) => [
    path,
    withAttributes(text, (name) => (name === 'expected_failure' ? undefined : name)),
  ]);
  return Object.fromEntries(changed);
}

const attributes = /#\[(?:[^[\]"]|"(?:\\.|[^"\\])*"|\[[^\]]*\])*\]/g;

/** Replaces attributes by their names; `undefined` removes one, and a name that stays keeps its arguments. */
function withAttributes(text: string, replaced: (name: string) => string | undefined): string {
  return text.replace(attributes, (found) => {
    const kept = new Set<string>();
    for (const each of parts(found.slice(2, -1))) {
      const name = /^\s*([\w:]*)/.exec(each)![1]!;
      const next = replaced(name);
      if (next !== undefined && each.trim() !== '') kept.add(next === name ? each : next);
    }
    const lines = '\n'.repeat(found.split('\n').length - [...kept].join('').split('\n').length);
    return kept.size === 0 ? lines : `#[${[...kept].join(',')}]${lines}`;
  });
}

/** The text between commas that are in no parentheses. */
function parts(text: string): string[] {
  const found = [''];
  let depth = 0;
  for (const character of text) {
    if (character === '(') depth += 1;
    if (character === ')') depth -= 1;
    if (character === ',' && depth === 0) found.push('');
    else found[found.length - 1] += character;
  }
  return found;
}

/** A module of the address zero at another one. */
function moved(bytes: Uint8Array, id: string): Uint8Array {
  const module = parseModule(bytes);
  const self = module.module_handles[module.self_module_handle_idx]!;
  module.address_identifiers[self.address] = id.slice(2);
  return serialize(module);
}
