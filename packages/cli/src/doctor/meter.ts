import { setTimeout as delay } from 'node:timers/promises';
import { lacksListIndex } from '@adaptor-marketplace/adaptor/chain';
import { RpcError, type RpcOptions } from '@protobuf-ts/runtime-rpc';
import { median } from './handshake.ts';

/**
 * Outcome of a check. `limited`: some calls worked, others did not, or less is accepted than the service sends. `absent`:
 * the node does not serve it. `failed`: no call worked, for another reason.
 */
type CheckState = 'ok' | 'limited' | 'absent' | 'failed';

export interface Measured {
  state: CheckState;
  /** Median of the calls that worked, in milliseconds; null if none did. */
  medianMs: number | null;
  /** Reason of the first call that did not work. */
  reason: string | null;
}

/** Bound on one call in milliseconds. */
const callMs = 5_000;
/** Longest wait after a refusal by a rate limit, in milliseconds. */
const pauseMaxMs = 1_000;

/** Refusals by a rate limit in a whole run. */
export interface RateLimit {
  refused: number;
  /** Number of the first request that was refused; null if none was. */
  firstRefused: number | null;
  /** Wait that the node demands, in seconds, if it says one. */
  retryAfterS: number | null;
}

/** Counts all requests of a run. */
export class RequestCounter {
  sent = 0;
  readonly rateLimit: RateLimit = { refused: 0, firstRefused: null, retryAfterS: null };

  /** Waits as long as the node demands, and not longer than the bound. */
  async pause({ meta }: RpcError): Promise<void> {
    const demanded = Number(meta['retry-after'] ?? Number(meta['grpc-retry-pushback-ms']) / 1_000);
    const seconds = Number.isFinite(demanded) && demanded >= 0 ? demanded : null;
    this.rateLimit.firstRefused ??= this.sent;
    this.rateLimit.retryAfterS ??= seconds;
    this.rateLimit.refused += 1;
    await delay(Math.min((seconds ?? 0.5) * 1_000, pauseMaxMs));
  }
}

/** Returns `true` if a call was refused because there were too many. */
const isRateLimited = ({ code, message }: RpcError): boolean =>
  (code === 'RESOURCE_EXHAUSTED' && !/larger than max|message length/i.test(message)) ||
  /\b429\b/.test(message);

/** Measures the calls of one RPC. */
export class CallMeter {
  readonly #counter: RequestCounter;
  readonly #times: number[] = [];
  readonly #errors: RpcError[] = [];
  #absent = false;
  #reason: string | undefined;

  constructor(counter: RequestCounter) {
    this.#counter = counter;
  }

  /**
   * Sends one request, unless an earlier one showed that the RPC is absent or does not answer in time.
   * @param isExpected accepts the error of a request that the node must refuse
   * @returns undefined if the call failed
   */
  async send<T>(
    call: (options: RpcOptions) => PromiseLike<T>,
    isExpected: (error: RpcError) => boolean = () => false,
  ): Promise<T | undefined> {
    if (this.#absent || this.#errors.some(({ code }) => code === 'DEADLINE_EXCEEDED')) return undefined;
    this.#counter.sent += 1;
    const startedAt = performance.now();
    const measure = () => this.#times.push(performance.now() - startedAt);
    try {
      const answer = await call({ timeout: callMs });
      measure();
      return answer;
    } catch (error) {
      if (!(error instanceof RpcError)) throw error;
      if (isExpected(error)) measure();
      else await this.#note(error);
      return undefined;
    }
  }

  async #note(error: RpcError): Promise<void> {
    this.#errors.push(error);
    if (lacksListIndex(error)) this.#absent = true;
    if (isRateLimited(error)) await this.#counter.pause(error);
  }

  /** Records that the node does not serve the RPC, though it answers. */
  markAbsent(reason?: string): void {
    this.#absent = true;
    this.#reason ??= reason;
  }

  /** Records that the node accepts less than the service sends. */
  markNarrow(reason: string): void {
    this.#reason = reason;
  }

  get result(): Measured {
    const [first] = this.#errors;
    const worked = this.#times.length > 0;
    return {
      state: this.#absent ? 'absent' : !worked ? 'failed' : first || this.#reason ? 'limited' : 'ok',
      medianMs: worked ? median(this.#times) : null,
      reason: this.#reason ?? (first ? `${first.code}: ${first.message}` : null),
    };
  }
}
