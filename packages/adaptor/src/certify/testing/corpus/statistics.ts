import { canonicalJson } from '../../../manifest/hash.ts';
import type { Certificate } from '../../claims.ts';

/** Results of a run over a corpus. */
export class Statistics {
  readonly #times: number[] = [];
  readonly #sizes: number[] = [];
  readonly #unread = new Map<string, number>();
  readonly #recipients = new Map<string, number>();
  readonly crashes: { id: string; error: unknown }[] = [];
  #functions = 0;
  #inPart = 0;
  #inPartWithPackages = 0;

  /** @param processorMs time of the thread for all certificates of the package */
  add(certificates: readonly Certificate[], processorMs: number): void {
    this.#times.push(processorMs);
    for (const certificate of certificates) this.#count(certificate);
  }

  #count(certificate: Certificate): void {
    this.#functions += 1;
    this.#sizes.push(canonicalJson(certificate).length);
    const reasons = new Set<string>();
    for (const claim of certificate.claims) {
      if (claim.kind === 'notRead')
        reasons.add(claim.reason === 'bound' ? `bound: ${claim.what}` : claim.reason);
      if (claim.kind === 'goesTo' && !('rest' in claim) && /::coin::Coin</.test(claim.type)) {
        const { kind } = claim.sink;
        if (kind === 'sender' || kind.endsWith('Address')) increase(this.#recipients, kind);
      }
    }
    for (const reason of reasons) increase(this.#unread, reason);
    if (reasons.size > 0) this.#inPart += 1;
    if (reasons.size > 0 && !reasons.has('package')) this.#inPartWithPackages += 1;
  }

  describe(): string {
    return [
      `${this.#times.length} packages, ${this.#functions} callable functions, ${this.crashes.length} crashes`,
      `processor time of a package: ${describeQuantiles(this.#times, 'ms')}`,
      `size of a certificate: ${describeQuantiles(this.#sizes, 'bytes')}`,
      `functions not read as a whole: ${this.#share(this.#inPart)}, with all packages present ${this.#share(this.#inPartWithPackages)}`,
      ...describeCounts(this.#unread).map((line) => `  ${line}`),
      'recipients of coins:',
      ...describeCounts(this.#recipients).map((line) => `  ${line}`),
      ...this.crashes.map(({ id, error }) => `crash: ${id}: ${error}`),
    ].join('\n');
  }

  #share(count: number): string {
    return `${count} (${((100 * count) / Math.max(1, this.#functions)).toFixed(2)} %)`;
  }
}

function increase(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

const describeCounts = (counts: ReadonlyMap<string, number>): string[] =>
  [...counts].sort(([, a], [, b]) => b - a).map(([key, count]) => `${key}: ${count}`);

function describeQuantiles(values: readonly number[], unit: string): string {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number) => Math.round((sorted[Math.floor(share * (sorted.length - 1))] ?? 0) * 10) / 10;
  const parts = [
    ['p50', 0.5],
    ['p90', 0.9],
    ['p99', 0.99],
    ['p99.9', 0.999],
    ['most', 1],
  ] as const;
  return `${parts.map(([name, share]) => `${name} ${at(share)}`).join(', ')} ${unit}`;
}
