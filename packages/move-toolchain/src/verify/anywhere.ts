// The build and the verdict without a module or a global of Node.
export { type FrameworkPart, frameworkParts } from '../fetcher.ts';
export type { Builder } from '../run-compiler.ts';
export type { BuildHost, OldCompiler } from './build-host.ts';
export { judgeSource, type SourceVerification } from './judge.ts';
export {
  type Build,
  type BuildInput,
  type BuildSource,
  type CompilerVersion,
  type FailedBuild,
  runBuild,
} from './run-build.ts';
