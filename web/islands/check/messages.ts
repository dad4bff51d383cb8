import type { PublishedCertificate, RecomputedCertificate } from '@adaptor-marketplace/adaptor/certify';

/** Request to the worker: functions whose certificates it computes from the bytecode that a node returns. */
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
