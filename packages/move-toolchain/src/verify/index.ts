export { type BuildBounds, buildBounds } from './build.ts';
export { readSourceFolder } from './read-folder.ts';
export { type SourceVerification, verifySource } from './verify.ts';
