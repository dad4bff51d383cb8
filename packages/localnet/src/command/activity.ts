import type { Ledger } from '../ledger/ledger.ts';

/** How far back the rate looks. */
const windowMs = 10_000;
const maxEvents = 8;

interface SeenEvent {
  timestampMs: number;
  /** Module and name, without the package. */
  type: string;
  sender: string;
  digest: string;
}

/** What happens on a network: for people who watch it. */
export class Activity {
  checkpoint: bigint;
  /** Transactions of users, since the process began. */
  transactions = 0;
  /** The newest last. */
  readonly events: SeenEvent[] = [];
  #recent: { atMs: number; count: number }[] = [];
  readonly #startedMs: number;
  readonly #now: () => number;
  readonly #stop: () => void;

  constructor(ledger: Pick<Ledger, 'highestCheckpoint' | 'onCheckpoint'>, now = () => performance.now()) {
    this.checkpoint = ledger.highestCheckpoint;
    this.#now = now;
    this.#startedMs = now();
    this.#stop = ledger.onCheckpoint(({ sequence }, transactions) => {
      this.checkpoint = sequence;
      const signed = transactions.filter(({ signatures }) => signatures.length > 0);
      this.transactions += signed.length;
      if (signed.length > 0) this.#recent.push({ atMs: now(), count: signed.length });
      for (const { digest, events, timestampMs } of signed.slice(-maxEvents)) {
        for (const { type, sender } of events) {
          const [, ...name] = type.split('<', 1)[0]!.split('::');
          this.events.push({ timestampMs, type: name.join('::'), sender, digest });
        }
      }
      this.events.splice(0, this.events.length - maxEvents);
    });
  }

  /** Transactions per second, over the last ten seconds or since the start. */
  get rate(): number {
    const now = this.#now();
    this.#recent = this.#recent.filter(({ atMs }) => now - atMs < windowMs);
    const count = this.#recent.reduce((sum, { count: each }) => sum + each, 0);
    return (count * 1000) / Math.min(windowMs, Math.max(now - this.#startedMs, 1000));
  }

  close(): void {
    this.#stop();
  }
}
