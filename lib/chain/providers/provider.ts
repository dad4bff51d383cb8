import type { ChainChannel } from '@adaptor-marketplace/adaptor/chain/client';
import type { RpcError, RpcMetadata, RpcOptions } from '@protobuf-ts/runtime-rpc';
import { type CallBounds, type Priority, type RequestBudget, sleep } from './budget.ts';
import { ProviderHealth } from './health.ts';
import type { RequestMetrics } from './metrics.ts';
import { classifyFailure, NotSentError } from './refusals.ts';

interface ProviderOptions {
  network: string;
  url: string;
  channel: ChainChannel;
  budget: RequestBudget | undefined;
  metrics: RequestMetrics;
}

/** One provider of a network: its connection, its condition, and the budget of requests to it. */
export class Provider {
  readonly url: string;
  /** Host and port. */
  readonly host: string;
  readonly channel: ChainChannel;
  readonly health = new ProviderHealth();
  readonly budget: RequestBudget | undefined;
  readonly #labels: { network: string; provider: string };
  readonly #metrics: RequestMetrics;

  constructor({ network, url, channel, budget, metrics }: ProviderOptions) {
    this.url = url;
    this.host = new URL(url).host;
    this.channel = channel;
    this.budget = budget;
    this.#labels = { network, provider: this.host };
    this.#metrics = metrics;
  }

  /** `true` if a request may have to wait before it is sent. */
  get mayWait(): boolean {
    return this.budget !== undefined || this.health.limitedMs > 0;
  }

  /**
   * Resolves when a request may be sent.
   * @throws NotSentError if that is after the deadline; RpcError `CANCELLED` if the signal aborts
   */
  async admit(priority: Priority, bounds: CallBounds): Promise<void> {
    const begunMs = performance.now();
    const mayWait = this.mayWait;
    try {
      for (let { limitedMs } = this.health; limitedMs > 0; { limitedMs } = this.health) {
        if (Date.now() + limitedMs > bounds.deadlineMs)
          throw new NotSentError(`${this.host} limits requests`, limitedMs);
        await sleep(limitedMs, bounds.signal);
      }
      await this.budget?.take(priority, bounds);
    } catch (error) {
      if (error instanceof NotSentError) this.#metrics.refused.inc({ ...this.#labels, priority });
      throw error;
    } finally {
      const seconds = (performance.now() - begunMs) / 1_000;
      if (mayWait) this.#metrics.waited.observe({ ...this.#labels, priority }, seconds);
      if (this.budget?.left !== undefined) this.#metrics.left.set(this.#labels, this.budget.left);
    }
    this.#metrics.requests.inc({ ...this.#labels, priority });
  }

  /** Counts a request that needs no admission. */
  countRequest(priority: Priority): void {
    this.#metrics.requests.inc({ ...this.#labels, priority });
  }

  /** Records a response. @returns the newest checkpoint of the node that answered, if its headers have it */
  recordAnswer(headers: RpcMetadata, latencyMs: number): number | undefined {
    this.health.recordAnswer(latencyMs);
    const checkpoint = readHeight(headers);
    const atMs = readNumber(headers, 'x-sui-timestamp-ms');
    if (checkpoint !== undefined && atMs !== undefined) this.health.recordTip({ checkpoint, atMs });
    return checkpoint;
  }

  /** Records the error of a call. @returns `true` if another provider may answer the same call */
  recordFailure(error: unknown): boolean {
    if (error instanceof NotSentError) return true;
    const failure = classifyFailure(error);
    if (failure.kind === 'answer') return false;
    this.#metrics.failed.inc({ ...this.#labels, code: (error as RpcError).code });
    if (failure.kind === 'limited') this.health.recordLimit(failure.delayMs);
    else this.health.recordFailure((error as RpcError).code);
    return true;
  }
}

/** Reads the newest checkpoint of the node that answered. Returns undefined if the headers do not have it. */
export const readHeight = (headers: RpcMetadata) => readNumber(headers, 'x-sui-checkpoint-height');

function readNumber(headers: RpcMetadata, name: string): number | undefined {
  const value = headers[name];
  return typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : undefined;
}

/**
 * Latest time that a `Date` can hold: the deadline of calls without a timeout, such as streams, which their signal
 * ends.
 */
const noDeadlineMs = 8.64e15;

/** Converts the options of a call to its bounds. */
export function toCallBounds({ timeout, abort }: RpcOptions): CallBounds {
  if (timeout === undefined) return { deadlineMs: noDeadlineMs, signal: abort };
  const deadlineMs = typeof timeout === 'number' ? Date.now() + timeout : timeout.getTime();
  return { deadlineMs, signal: abort };
}
