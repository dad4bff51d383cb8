export { hashSource } from './hash.ts';
export {
  type FileTree,
  isBuildInput,
  type PreparedSource,
  prepareSource,
  SourceRefusedError,
  sourceLimits,
} from './source.ts';
export { readZip, writeZip } from './zip.ts';
