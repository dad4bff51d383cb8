/** A checkpoint that a provider has reached, with its timestamp. */
export interface Tip {
  checkpoint: number;
  /** Milliseconds since the epoch. */
  atMs: number;
}

export type ProviderState = 'healthy' | 'lagging' | 'limited' | 'failing';

export interface Condition {
  state: ProviderState;
  /** Reason for any state but `healthy`. */
  reason: string | null;
}

/** Failures in a row after which a provider rests. A single failure is usual behind a load balancer. */
const failuresMax = 3;
/** A provider rests for twice as long each time, up to `max`. */
const restMs = { first: 5_000, max: 60_000 };
/** Wait after a refusal for too many requests, if the response names no delay. */
const limitMs = { first: 1_000, max: 30_000 };
/** Bound on the delay that a response names. */
const namedLimitMsMax = 5 * 60_000;
/** A provider lags if its tip is older than the newest one by more. The nodes behind one host name differ by seconds. */
const lagMsMax = 15_000;
/** Age after which the tip of a provider is too old to judge it by. */
const tipAgeMsMax = 30_000;
/** Weight of the newest call in the moving average of the latency. */
const latencyWeight = 0.2;

/** Health of one provider, as the calls of this process show it. */
export class ProviderHealth {
  readonly #now: () => number;
  #failures = 0;
  #rests = 0;
  #restUntilMs = 0;
  #failure = '';
  #limits = 0;
  #limitedUntilMs = 0;
  #latencyMs: number | undefined;
  #tip: (Tip & { seenAtMs: number }) | undefined;

  /** @param now clock in milliseconds. That of the machine can be set back, and a rest would last as much longer. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  get latencyMs(): number | undefined {
    return this.#latencyMs;
  }

  get tip(): Tip | undefined {
    return this.#tip;
  }

  /** Milliseconds until the provider accepts requests again. */
  get limitedMs(): number {
    return Math.max(0, this.#limitedUntilMs - this.#now());
  }

  /** Age of the newest tip in milliseconds; infinite before the first. */
  get tipAgeMs(): number {
    return this.#tip ? this.#now() - this.#tip.seenAtMs : Number.POSITIVE_INFINITY;
  }

  recordAnswer(latencyMs: number): void {
    this.#failures = 0;
    this.#limits = 0;
    if (this.#restUntilMs <= this.#now()) this.#rests = 0;
    this.#latencyMs ??= latencyMs;
    this.#latencyMs += latencyWeight * (latencyMs - this.#latencyMs);
  }

  recordTip(tip: Tip): void {
    this.#tip = { ...tip, seenAtMs: this.#now() };
  }

  recordFailure(reason: string): void {
    this.#failures += 1;
    this.#failure = reason;
    if (this.#failures >= failuresMax) this.setAside(reason);
  }

  /** Makes the provider rest, unless it rests already. */
  setAside(reason: string): void {
    this.#failure = reason;
    this.#failures = 0;
    if (this.#restUntilMs > this.#now()) return;
    this.#restUntilMs = this.#now() + Math.min(restMs.max, restMs.first * 2 ** Math.min(this.#rests, 10));
    this.#rests += 1;
  }

  /**
   * Records that the provider refused a call because of too many requests.
   * @param delayMs delay that the response names, if any
   */
  recordLimit(delayMs: number | undefined): void {
    const backoffMs = Math.min(limitMs.max, limitMs.first * 2 ** Math.min(this.#limits, 10));
    // Refusals of concurrent calls count as one.
    if (this.limitedMs === 0) this.#limits += 1;
    else if (delayMs === undefined) return;
    const waitMs = Math.min(delayMs ?? backoffMs, namedLimitMsMax);
    this.#limitedUntilMs = Math.max(this.#limitedUntilMs, this.#now() + waitMs);
  }

  /** @param bestMs timestamp of the newest tip of all providers */
  assess(bestMs: number): Condition {
    if (this.#restUntilMs > this.#now()) return { state: 'failing', reason: this.#failure };
    const { limitedMs } = this;
    if (limitedMs > 0) {
      return { state: 'limited', reason: `limits requests for ${Math.ceil(limitedMs / 1000)} s` };
    }
    const lagMs = this.measureLagMs(bestMs) ?? 0;
    if (lagMs <= lagMsMax) return { state: 'healthy', reason: null };
    return { state: 'lagging', reason: `is ${Math.round(lagMs / 1000)} s behind the other providers` };
  }

  /** Returns how far the tip is behind the newest one, in the chain's time; undefined if it is unknown or too old. */
  measureLagMs(bestMs: number): number | undefined {
    if (!this.#tip || this.tipAgeMs > tipAgeMsMax) return undefined;
    return Math.max(0, bestMs - this.#tip.atMs - this.tipAgeMs);
  }
}
