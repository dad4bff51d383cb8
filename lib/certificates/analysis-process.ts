import type { ChildProcess } from 'node:child_process';
import {
  analysisVersion,
  type CertifyTarget,
  type Program,
  wordingVersion,
} from '@adaptor-marketplace/adaptor/certify';
import { exchange, forkSilently } from '@adaptor-marketplace/process/bounded';
import type { CertifyOutcome, MadeCertificate } from '../../db/queries/certificates.ts';

interface AnalysisBounds {
  /** Maximum processor time of the process, in milliseconds. */
  processorMs: number;
  /** Maximum memory for the objects of the analysis, in megabytes. */
  memoryMb: number;
  /** Maximum number of certified functions. */
  functions: number;
  /** Maximum size of one certificate as canonical JSON, in bytes. */
  functionBytes: number;
  /** Maximum size of all certificates of a package as canonical JSON, with their brief forms, in bytes. */
  packageBytes: number;
}

/**
 * Bounds in the service. One in 100 packages of mainnet took more than 0.7 s, one in 100 certificates was larger than 250 kB,
 * and the largest had 630 kB (`packages/adaptor/src/certify/testing/corpus`).
 */
export const analysisBounds: AnalysisBounds = {
  processorMs: 10_000,
  memoryMb: 512,
  functions: 1_000,
  functionBytes: 1024 * 1024,
  packageBytes: 16 * 1024 * 1024,
};

export interface AnalysisRequest {
  program: Program;
  bounds: AnalysisBounds;
  /** The functions to certify. Absent: all that a transaction can call. */
  targets?: readonly CertifyTarget[] | undefined;
}

/** Message from the process: a certificate, or, as the last one, the number of functions that exceed the bounds. */
export type AnalysisMessage = MadeCertificate | { tooLarge: number };

interface AnalysisResult {
  certificates: MadeCertificate[];
  /** Number of functions that exceed the bounds. */
  tooLarge: number;
}

interface AnalysisOptions {
  bounds?: AnalysisBounds;
  /** Script that the process runs. */
  script?: URL;
}

/** Time after which an idle process is ended. It holds about 80 MB, and takes 0.3 s of processor time to start. */
const idleMs = 5_000;

/**
 * Certifies packages in a child process, one after another. Code of strangers must neither block nor end this process,
 * and a worker thread would not do, because a thread that runs out of memory can end its whole process. The child
 * starts with the first package, and again after it has ended.
 */
export class AnalysisProcess {
  readonly #bounds: AnalysisBounds;
  readonly #script: URL;
  #child: ChildProcess | undefined;
  #idle: NodeJS.Timeout | undefined;

  constructor({
    bounds = analysisBounds,
    script = new URL('./certify-apart.ts', import.meta.url),
  }: AnalysisOptions = {}) {
    this.#bounds = bounds;
    this.#script = script;
  }

  /**
   * Certifies the functions in `targets`, or by default all callable functions of the package. A function that exceeds
   * the bounds gets no certificate rather than an incomplete one. Call it for one package at a time.
   */
  async certify(
    program: Program,
    signal: AbortSignal,
    targets?: readonly CertifyTarget[],
  ): Promise<CertifyOutcome> {
    // The process can end for another reason, such as lack of memory on the host. Only a second end counts as a failure
    // of the package.
    const bounds = this.#bounds;
    const request: AnalysisRequest = { program, bounds, targets };
    const result = (await this.#attempt(request, signal)) ?? (await this.#attempt(request, signal));
    const { certificates, tooLarge } = result ?? { certificates: [], tooLarge: 0 };
    const reason = result ? describeTooLarge(tooLarge, bounds) : describeFailure(bounds);
    const made = { analysis: analysisVersion, wording: wordingVersion, certificates };
    return reason === undefined ? { ...made, state: 'computed' } : { ...made, state: 'unread', reason };
  }

  /** Returns undefined if the process ended before its result. */
  async #attempt(request: AnalysisRequest, signal: AbortSignal): Promise<AnalysisResult | undefined> {
    signal.throwIfAborted();
    clearTimeout(this.#idle);
    const child = this.#start();
    const certificates: MadeCertificate[] = [];
    const receive = (message: AnalysisMessage) => {
      if ('tooLarge' in message) return { certificates, tooLarge: message.tooLarge };
      certificates.push(message);
      return undefined;
    };
    const end = () => this.end();
    signal.addEventListener('abort', end, { once: true });
    try {
      const result = await exchange(child, request, receive);
      signal.throwIfAborted();
      return result;
    } finally {
      signal.removeEventListener('abort', end);
      this.#idle = setTimeout(() => this.end(), idleMs).unref();
    }
  }

  end(): void {
    clearTimeout(this.#idle);
    this.#child?.kill('SIGKILL');
    this.#child = undefined;
  }

  #start(): ChildProcess {
    if (this.#child) return this.#child;
    const child = forkSilently(this.#script, [`--max-old-space-size=${this.#bounds.memoryMb}`]);
    const forgetChild = () => {
      if (this.#child === child) this.#child = undefined;
    };
    child.once('exit', forgetChild).on('error', forgetChild);
    this.#child = child;
    return child;
  }
}

function describeTooLarge(count: number, bounds: AnalysisBounds): string | undefined {
  if (count === 0) return undefined;
  const [one, all] = [bounds.functionBytes, bounds.packageBytes].map((bytes) => `${bytes / 1024} KiB`);
  return (
    `${count} functions have no certificate: one has at most ${one}, and those of a package ${all} and ` +
    `${bounds.functions} functions.`
  );
}

/** Returns the reason for a process that ended early. The system does not say which bound ended it. */
const describeFailure = ({ processorMs, memoryMb }: AnalysisBounds): string =>
  `The analysis failed, or took more than ${processorMs / 1_000} s of processor time or ${memoryMb} MB of memory.`;
