import { Random } from '../random.ts';

const u64Max = String(2n ** 64n - 1n);

export interface Wallet {
  id: string;
  owner: string;
  /** What its owner has set it up for. */
  usual?: { delegate: string; service: string; coin: string };
}

/** What the events of a generated market are about: few of each, so that they meet again and again. */
export class World {
  readonly random: Random;
  readonly people: string[];
  readonly services: string[];
  readonly coins: string[];
  readonly ruleTypes: string[];
  readonly manifests: { manifestUri: string; manifestHash: string }[];
  readonly wallets: Wallet[] = [];
  /** Wallets with a policy. */
  readonly policies = new Set<string>();
  readonly caps: { id: string; walletId: string }[] = [];
  readonly allowlists: string[] = [];
  readonly jobs: string[] = [];

  constructor(seed: number, size = 6) {
    this.random = new Random(seed);
    const many = <T>(count: number, make: (i: number) => T) =>
      Array.from({ length: count }, (_, i) => make(i));
    this.people = many(size * 2, () => this.id());
    this.services = many(size, (i) => `${this.id()}::adaptor_${i}::Adaptor`);
    this.coins = many(Math.min(3, size), (i) => `${this.id()}::coin_${i}::COIN`);
    this.ruleTypes = many(4, (i) => `${this.id()}::rule_${i}::Rule`);
    this.manifests = many(size, () => this.newManifest());
  }

  id(): string {
    return `0x${this.random.hex(32)}`;
  }

  person(): string {
    return this.random.pick(this.people);
  }

  service(): string {
    return this.random.pick(this.services);
  }

  coin(): string {
    return this.random.pick(this.coins);
  }

  rule(): string {
    return this.random.pick(this.ruleTypes);
  }

  /** As a listing or a rule names it; some are named by several of both. */
  manifest() {
    return this.random.chance(0.6) ? this.random.pick(this.manifests) : this.newManifest();
  }

  private newManifest() {
    return { manifestUri: `walrus://${this.random.hex(8)}`, manifestHash: this.random.hex(32) };
  }

  /** The first few of what is there, more often than not, so that much happens to them. */
  often<T>(items: readonly T[]): readonly T[] {
    return this.random.chance(0.7) ? items.slice(0, this.services.length) : items;
  }

  /** Of what is there already; now and then of something that nobody has heard of. */
  known<T>(items: readonly T[], stranger: () => T): T {
    return items.length === 0 || this.random.chance(0.03) ? stranger() : this.random.pick(items);
  }

  wallet(): Wallet {
    return this.known(this.often(this.wallets), () => ({ id: this.id(), owner: this.person() }));
  }

  walletId(): string {
    return this.wallet().id;
  }

  amount(): string {
    if (this.random.chance(0.08)) return '0';
    return this.random.chance(0.05) ? u64Max : String(1 + this.random.integer(1_000_000));
  }

  maybe<T>(make: () => T): T | null {
    return this.random.chance(0.5) ? make() : null;
  }
}
