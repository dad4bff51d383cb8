import type { PublishedCertificate, RecomputedCertificate } from '@adaptor-marketplace/adaptor/certify';

/** Work for the worker: certificates of functions, from the bytecode that a node shows. */
export interface CheckRequest {
  nodeUrl: string;
  network: string;
  published: PublishedCertificate[];
}

/** Answers of the worker: one for each function, then `ended`; `failed` ends the work. */
export type CheckAnswer =
  | ({ kind: 'computed' } & PublishedCertificate & RecomputedCertificate)
  | { kind: 'ended' }
  | { kind: 'failed'; reason: string };
