export {
  analysisVersion,
  Certifier,
  type CertifyOptions,
  type CertifyTarget,
  CertifyTargetError,
  certify,
} from './certify.ts';
export type * from './claims.ts';
export { certificateHash } from './hash.ts';
export { type Program, readProgram } from './program.ts';
