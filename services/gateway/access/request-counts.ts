import { Counter, type Registry } from '@prometheus-io/client';
import { LRUCache } from 'lru-cache';
import type { Exchange } from '../../../lib/http/exchange.ts';
import { type Kv, KvUnavailableError, type WindowCount } from '../../../lib/kv/kv.ts';
import { buildRateHeaders, createRateProblem, type Policy, setRateHeaders, windowMs } from './attempts.ts';

/** Counts of requests in the store, and the decisions by them. Each sets the rate limit headers of the response. */
export class RequestCounts {
  readonly #kv: Kv;
  readonly #lastSeen = new LRUCache<string, { policy: Policy; count: number; endsAtMs: number }>({
    max: 10_000,
  });
  readonly #decisions: Counter<'policy' | 'outcome'>;

  constructor(kv: Kv, metrics: Registry) {
    this.#kv = kv;
    this.#decisions = new Counter({
      name: 'limited_requests_total',
      help: 'Requests under a limit: admitted, refused, or unchecked because the key-value store was out.',
      labelNames: ['policy', 'outcome'],
      registers: [metrics],
    });
  }

  /** Counts a request and decides. If the store is unavailable, the request is admitted unchecked. */
  async count(exchange: Exchange, counter: string, policy: Policy): Promise<void> {
    let window: WindowCount;
    try {
      window = await this.#kv.count(counter, windowMs);
    } catch (error) {
      return this.passUnchecked(exchange, counter, policy, error);
    }
    this.decideSeen(exchange, counter, policy, window);
  }

  /** @throws ProblemError 429 beyond the limit */
  decide(exchange: Exchange, policy: Policy, window: WindowCount): void {
    setRateHeaders(exchange, policy, window);
    const within = window.count <= policy.perMinute;
    this.#decisions.inc({ policy: policy.name, outcome: within ? 'admitted' : 'refused' });
    if (!within) throw createRateProblem(policy, window);
  }

  /** Decides, and caches the count for `buildHeaders`. */
  decideSeen(exchange: Exchange, counter: string, policy: Policy, window: WindowCount): void {
    const endsAtMs = performance.now() + window.endsInMs;
    this.#lastSeen.set(counter, { policy, count: window.count, endsAtMs });
    this.decide(exchange, policy, window);
  }

  /** Admits a request that the store cannot count. */
  passUnchecked(exchange: Exchange, counter: string, policy: Policy, error: unknown): void {
    if (!(error instanceof KvUnavailableError)) throw error;
    this.#decisions.inc({ policy: policy.name, outcome: 'unchecked' });
    const known = this.#lastSeen.get(counter)?.policy ?? policy;
    setRateHeaders(exchange, known, { count: 0, endsInMs: windowMs });
  }

  /** Builds the rate limit headers of the last count of the first counter that has one. */
  buildHeaders(counters: readonly string[], usual: Policy): [string, string][] {
    const [seen] = counters.flatMap((counter) => this.#lastSeen.get(counter) ?? []);
    const endsInMs = (seen?.endsAtMs ?? 0) - performance.now();
    const window = seen && endsInMs > 0 ? { count: seen.count, endsInMs } : { count: 0, endsInMs: windowMs };
    return buildRateHeaders(seen?.policy ?? usual, window);
  }
}
