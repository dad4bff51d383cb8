import type { AgentsEvents } from '../../../../lib/chain/events/agents.ts';
import type { EscrowEvents } from '../../../../lib/chain/events/escrow.ts';
import type { RulesEvents } from '../../../../lib/chain/events/rules.ts';
import type { WalletEvents } from '../../../../lib/chain/events/wallet.ts';
import { packageIds } from '../packages.ts';
import { Random } from '../random.ts';

const u64Max = String(2n ** 64n - 1n);

interface Wallet {
  id: string;
  owner: string;
  /** Delegate, service and coin for which the owner has set up the wallet. */
  usual?: { delegate: string; service: string; coin: string };
}

/**
 * The subjects of a generated market's events. There are few of each kind, so that many events concern the same
 * subjects.
 */
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

  /** A manifest for a listing or a rule. Several listings and rules share some of the manifests. */
  manifest() {
    return this.random.chance(0.6) ? this.random.pick(this.manifests) : this.newManifest();
  }

  private newManifest() {
    return { manifestUri: `walrus://${this.random.hex(8)}`, manifestHash: this.random.hex(32) };
  }

  /** Mostly the first few items, so that many events concern them; otherwise all items. */
  often<T>(items: readonly T[]): readonly T[] {
    return this.random.chance(0.7) ? items.slice(0, this.services.length) : items;
  }

  /** Mostly an existing item; now and then one that no event has created. */
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

type Makers<Events> = { [Name in keyof Events]: (world: World) => Events[Name] };

const policySpend = `${packageIds.wallet}::wallet::PolicySpend`;

const service = (w: World) => ({ walletId: w.walletId(), service: w.service() });
const serviceCoin = (w: World) => ({ ...service(w), coin: w.coin() });
const delegate = (w: World) => ({ walletId: w.walletId(), delegate: w.person() });
const debit = (w: World) => ({ amount: w.amount(), remaining: w.amount() });
const cap = (w: World) => {
  const { id, walletId } = w.known(w.often(w.caps), () => ({ id: w.id(), walletId: w.walletId() }));
  return { walletId, capId: id };
};
const newCap = (w: World) => {
  const { id, walletId } = { id: w.id(), walletId: w.walletId() };
  w.caps.push({ id, walletId });
  return { walletId, capId: id };
};
/** The type that moves the coin: a policy or a service; null for the owner. */
const mover = (w: World) => (w.random.chance(0.1) ? policySpend : w.maybe(() => w.service()));

/** Makers of all events of a wallet package, about the subjects of the world. */
export const walletEventMakers: Makers<WalletEvents> = {
  'wallet::WalletCreated': (w) => {
    const wallet = { id: w.id(), owner: w.person() };
    w.wallets.push(wallet);
    return { walletId: wallet.id, owner: wallet.owner, signerAddress: w.id() };
  },
  'wallet::ServiceGranted': (w) => ({ ...serviceCoin(w), allowance: w.amount() }),
  'wallet::ServiceCoinRevoked': serviceCoin,
  'wallet::ServiceRevoked': service,
  'wallet::CoinDeposited': (w) => ({ ...serviceCoin(w), service: mover(w), amount: w.amount() }),
  'wallet::CoinWithdrawn': (w) => ({
    ...serviceCoin(w),
    service: mover(w),
    amount: w.amount(),
    allowanceLeft: w.maybe(() => w.amount()),
  }),
  'wallet::LegacyCoinSwept': (w) => ({ walletId: w.walletId(), coin: w.coin(), amount: w.amount() }),
  'wallet::AssetReclaimed': (w) => ({ walletId: w.walletId(), assetName: 'name' }),
  'wallet::ServiceAssetStored': (w) => ({ ...service(w), assetName: 'n', asset: w.coin(), assetId: w.id() }),
  'wallet::ServiceAssetTaken': (w) => ({ ...service(w), assetName: 'n', asset: w.coin(), assetId: w.id() }),
  'wallet::ServicePullGranted': (w) => ({ ...serviceCoin(w), cap: w.amount() }),
  'wallet::WalletPauseChanged': (w) => ({ walletId: w.walletId(), paused: w.random.chance(0.5) }),
  'wallet::OwnerChanged': (w) => ({ walletId: w.walletId(), previous: w.person(), owner: w.person() }),

  'delegate::Initialized': (w) => ({ walletId: w.walletId(), mainOwner: w.person() }),
  'delegate::Added': delegate,
  'delegate::Removed': delegate,
  'delegate::ServiceAllowanceChanged': (w) => ({
    ...delegate(w),
    service: w.service(),
    newAmount: w.amount(),
  }),
  'delegate::CoinAllowanceChanged': (w) => ({ ...delegate(w), coin: w.coin(), newAmount: w.amount() }),
  'delegate::ServiceAllowanceDebited': (w) => ({ ...service(w), spender: w.person(), ...debit(w) }),
  'delegate::CoinAllowanceDebited': (w) => ({
    walletId: w.walletId(),
    spender: w.person(),
    coin: w.coin(),
    ...debit(w),
  }),
  'delegate::ExpiryChanged': (w) => ({
    ...delegate(w),
    expiresAtMs: w.maybe(() => (w.random.chance(0.2) ? 8.64e15 : 1_800_000_000_000 + w.random.integer(1e9))),
  }),

  'intent::PaymentValidated': (w) => ({
    ...serviceCoin(w),
    mode: w.random.integer(3),
    payer: w.maybe(() => w.person()),
    recipient: w.person(),
    amount: w.amount(),
    sender: w.person(),
  }),
  'intent::PaymentVerified': (w) => ({ ...serviceCoin(w), amount: w.amount(), recipient: w.person() }),
  'intent::SwapValidated': (w) => ({
    ...service(w),
    coinIn: w.coin(),
    coinOut: w.coin(),
    spender: w.person(),
    amountIn: w.amount(),
    minAmountOut: w.amount(),
  }),
  'intent::SwapVerified': (w) => ({
    ...service(w),
    coinIn: w.coin(),
    coinOut: w.coin(),
    amountIn: w.amount(),
    amountOut: w.amount(),
  }),

  'action::ActionEnded': (w) => {
    const amounts = () => (w.random.chance(0.5) ? [{ coin: w.coin(), amount: w.amount() }] : []);
    return { ...service(w), sender: w.person(), taken: amounts(), brought: amounts() };
  },

  'policy::PolicyInitialized': (w) => ({ walletId: withoutPolicy(w), version: 1 }),
  'policy::AuthRuleChanged': (w) => ({ walletId: w.walletId(), rule: w.rule(), added: w.random.chance(0.6) }),
  'policy::CaveatRuleChanged': (w) => ({
    walletId: w.walletId(),
    rule: w.rule(),
    added: w.random.chance(0.6),
    auth: w.maybe(() => w.rule()),
  }),
  'policy::PolicyRevoked': (w) => ({ walletId: w.walletId(), newVersion: 2 + w.random.integer(1_000) }),
  'policy::SpendConfirmed': (w) => ({
    walletId: w.walletId(),
    coin: w.coin(),
    amount: w.amount(),
    recipient: w.person(),
    policyVersion: 1,
    sender: w.person(),
    auth: w.rule(),
    capId: w.maybe(() => w.id()),
    into: false,
  }),
  'policy::SpendIntoChanged': (w) => ({ walletId: w.walletId(), allowed: w.random.chance(0.5) }),

  'cap_auth::DelegateCapMinted': (w) => ({
    ...newCap(w),
    policyVersion: 1,
    recipient: w.maybe(() => w.person()),
  }),
  'cap_auth::DelegateCapBurned': cap,
  'cap_auth::DelegateCapRevoked': cap,
  'sub_delegate::ScopedCapMinted': (w) => ({
    parent: w.maybe(() => cap(w).capId),
    ...newCap(w),
    coin: w.coin(),
    budget: w.amount(),
    depth: 1,
    maxDepth: 3,
    policyVersion: 1,
    recipient: w.maybe(() => w.person()),
  }),
  'sub_delegate::ScopedSpent': (w) => ({ ...cap(w), coin: w.coin(), ...debit(w) }),
  'sub_delegate::ScopedCapBurned': (w) => ({ ...cap(w), coin: w.coin(), unused: w.amount(), parent: null }),
  'sub_delegate::ScopedRefunded': (w) => ({ ...cap(w), coin: w.coin(), ...debit(w) }),
  'sub_delegate::ScopedCapRevoked': cap,
};

/** A wallet without a policy. Each wallet gets at most one. */
function withoutPolicy(w: World): string {
  const walletId = w.walletId();
  if (w.policies.has(walletId)) return w.id();
  w.policies.add(walletId);
  return walletId;
}

const version = (w: World) => 1 + w.random.integer(100);
const timestampMs = 1_767_225_600_000;

/** A rule type, mostly in the canonical spelling. */
const ruleType = (w: World) => {
  const canonical = w.rule();
  if (w.random.chance(0.9)) return canonical;
  return w.random.chance(0.5)
    ? canonical.slice(2).toUpperCase().replace(/::.*/, canonical.slice(66))
    : 'none';
};
const publisher = (w: World) => w.people[w.random.integer(2)]!;
const ruleListing = (w: World): RulesEvents['registry::Registered'] => ({
  ruleType: ruleType(w),
  packageId: w.id(),
  publisher: publisher(w),
  kind: w.random.pick(['auth', 'caveat']),
  ...w.manifest(),
  version: version(w),
  timestampMs,
});
const allowlist = (w: World) => w.known(w.often(w.allowlists), () => w.id());

export const rulesEventMakers: Makers<RulesEvents> = {
  'registry::Registered': ruleListing,
  'registry::Updated': ruleListing,
  'registry::Unlisted': (w) => ({
    ruleType: ruleType(w),
    publisher: publisher(w),
    timestampMs,
    packageId: w.id(),
    version: version(w),
  }),
  'registry::Attested': (w) => ({
    ruleType: ruleType(w),
    attester: w.person(),
    score: 3,
    commentUri: '',
    timestampMs,
    publisher: publisher(w),
    version: 1,
  }),
  'rule::AllowlistCreated': (w) => {
    const allowlistId = w.id();
    w.allowlists.push(allowlistId);
    return { allowlistId, walletId: w.walletId() };
  },
  'rule::AllowlistChanged': (w) => ({
    allowlistId: allowlist(w),
    recipient: w.person(),
    allowed: w.random.chance(0.6),
  }),
  'rule::AllowlistRetired': (w) => ({ allowlistId: allowlist(w), walletId: w.walletId() }),
};

const profile = (w: World): AgentsEvents['registry::AgentRegistered'] => ({
  agent: w.person(),
  name: `Agent "${w.random.integer(9)}"`,
  description: 'Does things,\nwith {braces} and \\.',
  skills: Array.from({ length: w.random.integer(3) }, (_, i) => `skill, "${i}"`),
  cardUrl: w.maybe(() => 'https://agent.test/card.json'),
  version: version(w),
  timestampMs,
});

export const agentsEventMakers: Makers<AgentsEvents> = {
  'registry::AgentRegistered': profile,
  'registry::AgentUpdated': profile,
  'registry::AgentUnlisted': (w) => ({ agent: w.person(), version: version(w), timestampMs }),
};

const job = (w: World) => w.known(w.often(w.jobs), () => w.id());

export const escrowEventMakers: Makers<EscrowEvents> = {
  'job::JobCreated': (w) => {
    const jobId = w.id();
    w.jobs.push(jobId);
    return {
      jobId,
      walletId: w.walletId(),
      provider: w.person(),
      assessorType: w.rule(),
      payer: w.person(),
      coin: w.coin(),
      amount: w.amount(),
      deadlineMs: w.random.chance(0.1) ? 8.64e15 : 1_800_000_000_000,
      brief: 'Write, or \\ draw.',
      reviewMs: 259_200_000,
    };
  },
  'job::JobFunded': (w) => ({
    jobId: job(w),
    amount: w.amount(),
    funder: w.person(),
    fromWallet: w.random.chance(0.5),
  }),
  'job::JobSubmitted': (w) => ({ jobId: job(w), note: `Done ${w.random.integer(99)}` }),
  'job::JobReleased': (w) => ({ jobId: job(w), provider: w.person(), amount: w.amount(), coin: w.coin() }),
  'job::JobRefunded': (w) => ({
    jobId: job(w),
    payer: w.person(),
    amount: w.amount(),
    coin: w.coin(),
    refundedTo: w.person(),
    reason: w.random.pick(['cancelled', 'expired', 'rejected']),
  }),
  'cap_assessor::AssessorCapMinted': (w) => ({ capId: w.id(), jobId: job(w), assessor: w.person() }),
};
