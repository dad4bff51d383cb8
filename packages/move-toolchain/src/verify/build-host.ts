import type { FrameworkPart } from '../fetcher.ts';
import type { PackageFiles } from '../package-files.ts';
import type { Builder } from '../run-compiler.ts';
import type { OldVersion } from './built.ts';

/** The functions of an older compiler in WebAssembly that are called here. */
export interface OldCompiler {
  verify_against_reference(input: string): string;
}

/** Parts of a build that are read in another way in each place: Node reads files, a browser fetches them. */
export interface BuildHost {
  readFrameworkPart(part: FrameworkPart): Promise<PackageFiles>;
  loadBuilder(): Promise<Builder>;
  loadOldCompiler(version: OldVersion): Promise<OldCompiler>;
}
