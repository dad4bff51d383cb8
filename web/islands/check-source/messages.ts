import type { SourceVerification } from '@adaptor-marketplace/move-toolchain/verify/anywhere';

/** Source as the reader chose it: a zip file, or files by their paths. */
export type ChosenSource = { zip: Blob } | { files: ReadonlyMap<string, Uint8Array> };

/** Work for the worker: a build of source, and its comparison with the bytecode that a node shows. */
export interface RebuildRequest {
  nodeUrl: string;
  network: string;
  packageId: string;
  source: ChosenSource;
  /** Folder of the package in the source. Absent: the only one, or the one at the top. */
  folder?: string;
}

/** Answers of the worker: its steps, then one of the others. */
export type RebuildAnswer =
  | { kind: 'step'; step: string }
  | { kind: 'compared'; verification: SourceVerification }
  | { kind: 'failed'; reason: string };
