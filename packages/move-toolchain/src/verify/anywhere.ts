// The build and the verdict without a module or a global of Node.
export { type FrameworkPart, frameworkParts } from '../fetcher.ts';
export type { Builder } from '../run-compiler.ts';
export type { BuildHost, OldCompiler } from './build-host.ts';
export type {
  Build,
  BuildInput,
  BuildSource,
  CompilerVersion,
  FailedBuild,
} from './built.ts';
export { judgeSource, type SourceVerification } from './judge.ts';
export { runBuild } from './run-build.ts';
