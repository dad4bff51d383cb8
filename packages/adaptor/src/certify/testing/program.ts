import { type PublishedPackages, publishedFramework } from '../../introspect/testing/packages.ts';
import type { PackageContent } from '../../packages/source.ts';
import type { Program } from '../code/program.ts';

let framework: Promise<PublishedPackages> | undefined;

/** A program of the root, the given packages and the framework of this repository. */
export async function linkProgram(
  root: PackageContent,
  packages: readonly PackageContent[],
): Promise<Program> {
  framework ??= publishedFramework();
  const system = await Promise.all(['0x1', '0x2'].map(async (id) => (await framework!).read(id)));
  return { root, dependencies: [...packages, ...system] };
}
