import type { AgentsEvents } from '../../../../lib/chain/events/agents.ts';
import type { EscrowEvents } from '../../../../lib/chain/events/escrow.ts';
import type { RulesEvents } from '../../../../lib/chain/events/rules.ts';
import type { World } from './world.ts';

type Makers<Events> = { [Name in keyof Events]: (world: World) => Events[Name] };

const version = (w: World) => 1 + w.random.integer(100);
const timestampMs = 1_767_225_600_000;

/** A rule type, as a rule in the canonical spelling. */
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
