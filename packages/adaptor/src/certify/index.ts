export {
  analysisVersion,
  Certifier,
  type CertifyOptions,
  type CertifyTarget,
  CertifyTargetError,
  certify,
} from './certify.ts';
export type * from './claims.ts';
export { type Program, readProgram } from './code/program.ts';
export { type CertificateText, type ClaimSentence, describeCertificate } from './describe.ts';
export { certificateHash } from './hash.ts';
