export { type BuildBounds, buildBounds } from './build.ts';
export type { SourceVerification } from './judge.ts';
export { packSourceFolder } from './pack-folder.ts';
export { readSourceFolder, type SourceFolder } from './read-folder.ts';
export { verifySource } from './verify.ts';
