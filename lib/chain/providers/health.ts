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

/** Failures in a row after which a provider is left alone. A single one is usual behind a load balancer. */
const failuresMax = 3;
const restMs = { first: 5_000, max: 60_000 };
/** Wait after a refusal for too many requests that names no delay. */
const limitMs = { first: 1_000, max: 30_000 };
/** Longest delay that a provider may ask for. */
const limitMsLongest = 5 * 60_000;
/** Timestamps of two tips further apart than this are a lag. The nodes behind one name differ by seconds. */
const lagMsMax = 15_000;
/** Age after which a tip says nothing about a provider. */
const tipAgeMsMax = 30_000;
/** Weight of the newest call in the average latency. */
const latencyWeight = 0.2;

/** Condition of one provider, according to the calls of this process. */
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

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  get latencyMs(): number | undefined {
    return this.#latencyMs;
  }

  get tip(): Tip | undefined {
    return this.#tip;
  }

  /** Milliseconds until the provider takes requests again. */
  get limitedMs(): number {
    return Math.max(0, this.#limitedUntilMs - this.#now());
  }

  /** Age of the newest tip in milliseconds; infinite before the first. */
  get tipAgeMs(): number {
    return this.#tip ? this.#now() - this.#tip.seenAtMs : Number.POSITIVE_INFINITY;
  }

  answered(latencyMs: number): void {
    this.#failures = 0;
    this.#limits = 0;
    if (this.#restUntilMs <= this.#now()) this.#rests = 0;
    this.#latencyMs ??= latencyMs;
    this.#latencyMs += latencyWeight * (latencyMs - this.#latencyMs);
  }

  sawTip(tip: Tip): void {
    this.#tip = { ...tip, seenAtMs: this.#now() };
  }

  failed(reason: string): void {
    this.#failures += 1;
    this.#failure = reason;
    if (this.#failures >= failuresMax) this.setAside(reason);
  }

  /** Leaves the provider alone for a while that grows each time, up to a minute. */
  setAside(reason: string): void {
    this.#failure = reason;
    this.#failures = 0;
    if (this.#restUntilMs > this.#now()) return;
    this.#restUntilMs = this.#now() + Math.min(restMs.max, restMs.first * 2 ** Math.min(this.#rests, 10));
    this.#rests += 1;
  }

  /**
   * The provider refused a call for too many requests.
   * @param delayMs the time that it named, if any
   */
  limited(delayMs: number | undefined): void {
    const backoffMs = Math.min(limitMs.max, limitMs.first * 2 ** Math.min(this.#limits, 10));
    // Calls that were under way together are refused together: they are one refusal.
    if (this.limitedMs === 0) this.#limits += 1;
    else if (delayMs === undefined) return;
    const waitMs = Math.min(delayMs ?? backoffMs, limitMsLongest);
    this.#limitedUntilMs = Math.max(this.#limitedUntilMs, this.#now() + waitMs);
  }

  /** @param bestMs timestamp of the newest tip of all providers */
  assess(bestMs: number): Condition {
    if (this.#restUntilMs > this.#now()) return { state: 'failing', reason: this.#failure };
    const { limitedMs } = this;
    if (limitedMs > 0) {
      return { state: 'limited', reason: `limits requests for ${Math.ceil(limitedMs / 1000)} s` };
    }
    const lagMs = this.lagMs(bestMs) ?? 0;
    if (lagMs <= lagMsMax) return { state: 'healthy', reason: null };
    return { state: 'lagging', reason: `is ${Math.round(lagMs / 1000)} s behind the other providers` };
  }

  /** Milliseconds of chain time behind the newest tip; undefined if this provider's tip is not known or old. */
  lagMs(bestMs: number): number | undefined {
    if (!this.#tip || this.tipAgeMs > tipAgeMsMax) return undefined;
    return Math.max(0, bestMs - this.#tip.atMs - this.tipAgeMs);
  }
}
