export {
  type BriefSentence,
  briefBounds,
  briefCertificate,
  type CertificateBrief,
  wordingVersion,
} from './brief.ts';
export {
  analysisVersion,
  Certifier,
  type CertifyOptions,
  type CertifyTarget,
  CertifyTargetError,
  certify,
} from './certify.ts';
export { type ChangeSentence, type ChangesText, changesTextBounds, describeChanges } from './change-text.ts';
export type * from './claims.ts';
export { type Program, readProgram } from './code/program.ts';
export {
  type CertificateChanges,
  type ChangeKind,
  type ClaimChange,
  compareCertificates,
  OtherAnalysisError,
} from './compare.ts';
export {
  type CertificateText,
  type ClaimSentence,
  describeCertificate,
  findNamedPackages,
  verdictMeanings,
} from './describe.ts';
export { listCallPaths } from './evidence.ts';
export { certificateHash, encodeCertificate } from './hash.ts';
export {
  type PublishedCertificate,
  type RecomputedCertificate,
  recomputeCertificates,
} from './recompute.ts';
