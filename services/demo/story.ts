import { setTimeout as delay } from 'node:timers/promises';
import { getErrorMessage } from '@adaptor-marketplace/adaptor';
import {
  bearerCap as bearerCaps,
  escrow,
  policy,
  scopedCap as scopedCaps,
  wallet as wallets,
} from '@adaptor-marketplace/adaptor/transactions';
import { type Account, type Executed, execute } from '@adaptor-marketplace/localnet/account';
import type { Transaction } from '@mysten/sui/transactions';
import { deriveWalletKeypair } from '../../lib/agent/wallet-key.ts';
import { type EscrowEventName, type EscrowEvents, escrowEvents } from '../../lib/chain/events/escrow.ts';
import type { During } from '../../lib/log/phases.ts';
import type { Cast } from './cast.ts';
import type { Adaptors } from './deploy.ts';
import { dayMs, historyDays, makeHistory } from './history.ts';
import type { PastClock } from './past.ts';
import { type Coins, type Core, findCreatedObject, milliSui, SUI } from './publish.ts';
import { agentRounds, ownerRounds, takeOut, tip, useAdaptors, useVenues } from './usage.ts';
import {
  addDelegate,
  agentAsDelegate,
  allow,
  type Delegate,
  type DemoWallet,
  depositDollars,
  findCaps,
  grantServices,
  openWallet,
  revokePolicy,
  revokeScopedCap,
  type SetUp,
  scoutAsDelegate,
  setUpPolicy,
  spendThroughCaps,
} from './wallets.ts';

/** Price of each job, in MIST. */
const price = milliSui(500);

/** The jobs' briefs, and whether each is paid by coin when it is made. */
const orders = {
  open: { brief: 'Draw a glyph for the catalog.', paid: false },
  funded: { brief: 'Translate the manifest into three languages.', paid: true },
  submitted: { brief: 'Write a page about term savings.', paid: true },
  released: { brief: 'Review the pool for rounding errors.', paid: true },
  cancelled: { brief: 'Answer questions at the weekend.', paid: true },
  // These two are paid from the wallet later.
  releasedToo: { brief: 'Review the vault for rounding errors.', paid: false },
  rejected: { brief: 'Find a name for the vault that nobody uses.', paid: false },
};
type OrderName = keyof typeof orders;
const names = Object.keys(orders) as OrderName[];

interface Job extends escrow.JobTarget {
  /** The cap that judges it. */
  capId: string;
}

/** The owner's jobs by their outcome. */
type Jobs = Record<OrderName, Job>;

/** Terms of a job of the wallet's owner for the provider, judged by the arbiter. */
const buildTerms = ({ provider, arbiter }: Cast, { walletId }: DemoWallet) => ({
  walletId,
  provider: provider.address,
  assessor: arbiter.address,
  coinType: SUI,
  amount: price,
});

/** The owner makes the jobs, and pays those that are paid by coin. */
async function makeJobs(cast: Cast, packageId: string, wallet: DemoWallet): Promise<Jobs> {
  const deadlineMs = BigInt(Date.now() + 30 * dayMs);
  const made = await execute(wallet.owner, (tx) => {
    for (const { brief, paid } of names.map((name) => orders[name])) {
      const job = { ...buildTerms(cast, wallet), deadlineMs, brief };
      escrow.createJob(tx, packageId, paid ? { ...job, funding: splitPrice(tx) } : job);
    }
  });
  const events = await fetchEvents(wallet.owner, made);
  const created = decodeEvents(events, 'job::JobCreated');
  const minted = decodeEvents(events, 'cap_assessor::AssessorCapMinted');
  const jobs = names.map((name): [OrderName, Job] => {
    const jobId = created.find(({ brief }) => brief === orders[name].brief)?.jobId ?? '';
    const capId = minted.find((cap) => cap.jobId === jobId)?.capId ?? '';
    return [name, { packageId, coinType: SUI, jobId, capId }];
  });
  return Object.fromEntries(jobs) as Jobs;
}

const splitPrice = (tx: Transaction) => tx.splitCoins(tx.gas, [price]);

/**
 * The wallet's owner hires the provider with every outcome that a job can have except expiry. The agent pays two
 * of the jobs from the wallet by its scoped cap; the payment of the rejected one returns to the wallet.
 */
async function hire(cast: Cast, core: Core, wallet: DemoWallet): Promise<Jobs> {
  const { owner, provider, arbiter, agent } = cast;
  const { walletId } = wallet;
  const jobs = await makeJobs(cast, core.escrow, wallet);
  await execute(agent, (tx) => {
    const capId = findCaps(wallet).scoped;
    for (const job of [jobs.releasedToo, jobs.rejected]) {
      const spend = { coinType: SUI, amount: price, recipient: provider.address };
      const request = policy.beginSpend(tx, wallet.target, spend);
      scopedCaps.spend(tx, core.wallet, { capId, request });
      escrow.fundFromWallet(tx, job, { walletId, request });
    }
  });
  await Promise.all([
    execute(owner, (tx) => escrow.cancel(tx, jobs.cancelled, walletId)),
    execute(provider, (tx) => {
      for (const name of ['submitted', 'released', 'releasedToo', 'rejected'] as const) {
        escrow.submit(tx, jobs[name], `Done: ${orders[name].brief}`);
      }
    }),
  ]);
  await execute(arbiter, (tx) => {
    for (const { capId, ...job } of [jobs.released, jobs.releasedToo]) {
      escrow.assess(tx, job, { capId, approve: true });
    }
  });
  const rejected = await execute(arbiter, (tx) => {
    escrow.assess(tx, jobs.rejected, { capId: jobs.rejected.capId, approve: false });
  });
  const coinId = findCreatedObject(rejected, `::coin::Coin<${SUI}>`);
  await execute(owner, (tx) => wallets.sweepCoin(tx, wallet.target, { coinType: SUI, coinId }));
  return jobs;
}

type Events = { eventType: string; bcs: Uint8Array }[];

async function fetchEvents({ client }: Account, { digest }: Executed): Promise<Events> {
  const read = await client.getTransaction({ digest, include: { events: true } });
  return read.Transaction?.events ?? [];
}

function decodeEvents<Name extends EscrowEventName>(events: Events, name: Name): EscrowEvents[Name][] {
  return events
    .filter(({ eventType }) => eventType.endsWith(`::${name}`))
    .map(({ bcs }) => escrowEvents.decode(name, bcs));
}

/** Duration of the job: short, so that the demo waits little. It is doubled on a machine that is too slow for it. */
const jobMs = 1_000;
const jobMsMax = 60_000;

/** Abort codes of the module `job`. */
const badDeadline = 10;
const deadlineNotPassed = 12;

const isAbort = (error: unknown, code: number) =>
  new RegExp(`abort code: ${code}, in '0x[0-9a-f]{64}::job::`).test(getErrorMessage(error));

/** The owner pays for a job that is never done: after its deadline the arbiter refunds it. */
async function letJobExpire(cast: Cast, core: Core, wallet: DemoWallet): Promise<string> {
  const { owner, arbiter } = cast;
  const brief = 'Water the plants while I am away.';
  let deadlineMs = 0;
  const create = (lastsMs: number): Promise<Executed> =>
    execute(owner, (tx) => {
      deadlineMs = Date.now() + lastsMs;
      const terms = { ...buildTerms(cast, wallet), deadlineMs: BigInt(deadlineMs), brief };
      escrow.createJob(tx, core.escrow, { ...terms, funding: splitPrice(tx) });
    }).catch((error: unknown) => {
      if (!isAbort(error, badDeadline) || lastsMs >= jobMsMax) throw error;
      return create(lastsMs * 2);
    });
  const jobId = findCreatedObject(await create(jobMs), `::job::Job<${SUI}>`);
  const job = { packageId: core.escrow, coinType: SUI, jobId };
  for (;;) {
    await delay(Math.max(0, deadlineMs - Date.now()));
    try {
      await execute(arbiter, (tx) => escrow.expire(tx, job));
      return jobId;
    } catch (error) {
      // The chain's clock has the time of its last checkpoint.
      if (!isAbort(error, deadlineNotPassed)) throw error;
      await delay(50);
    }
  }
}

/** The owner's part of the story, for `demo.json`. */
interface Story {
  wallet: DemoWallet;
  /** The address that acts for the wallet, derived from the managed key. */
  managed: Pick<Account, 'address' | 'keypair'>;
  allowlist: string;
  jobs: Jobs;
}

/**
 * Grants budgets and a cap of each kind to the address that acts for the wallet with the managed key. The budgets are
 * those of `delegate`. The address is derived from the id of the wallet, so it is known only after the wallet exists.
 */
async function grantToHost(
  { host }: Cast,
  wallet: DemoWallet,
  delegate: Delegate,
): Promise<Story['managed']> {
  const keypair = deriveWalletKeypair(host.keypair, 'testnet', wallet.walletId);
  const address = keypair.toSuiAddress();
  await execute(wallet.owner, (tx) => {
    addDelegate(tx, wallet.target, { ...delegate, address });
    bearerCaps.mint(tx, wallet.target, address);
    const root = { coinType: SUI, budget: milliSui(5_000), maxDepth: 3, recipient: address };
    scopedCaps.mintRoot(tx, wallet.target, root);
  });
  return { address, keypair };
}

/** Five wallets, and what happens with them: adaptors are used, caps delegated and revoked, work hired. */
export async function tellStory(
  cast: Cast,
  { core, coins, adaptors }: { core: Core; coins: Coins; adaptors: Adaptors },
  { clock, during }: { clock: PastClock; during: During },
): Promise<Story> {
  const { owner, ana, ben, cleo, dan, agent, scout, provider, harbour } = cast;
  const agentActs = agentAsDelegate(cast, coins, adaptors);
  const scoutActs = scoutAsDelegate(cast, adaptors);
  const caps =
    (budget: number, scopedCapFor: string): SetUp =>
    (tx, wallet) => {
      const root = { coinType: SUI, budget: milliSui(budget), maxDepth: 3, recipient: scopedCapFor };
      bearerCaps.mint(tx, wallet, agent.address);
      scopedCaps.mintRoot(tx, wallet, root);
    };
  const ownersCaps: SetUp = (tx, wallet) => {
    caps(5_000, agent.address)(tx, wallet);
    policy.setSpendInto(tx, wallet, true);
  };
  const grants: SetUp = (tx, wallet) => grantServices(tx, wallet, adaptors, coins);
  const open = (who: typeof owner, acting: Delegate[], ...setUp: SetUp[]) =>
    openWallet(who, core.wallet, { acting, setUp: [grants, ...setUp] });

  const [owners, anas, bens, cleos, dans] = await Promise.all([
    open(owner, [agentActs, scoutActs], setUpPolicy(core, ownersCaps)),
    open(ana, [agentActs], setUpPolicy(core, caps(1_000, scout.address))),
    open(ben, [agentActs, scoutActs], setUpPolicy(core, caps(1_000, agent.address))),
    open(cleo, [agentActs]),
    open(dan, []),
  ]);
  const all = [owners, anas, bens, cleos, dans];
  await depositDollars(cast.keeper, coins, all);
  await during(`using the adaptors on the ${historyDays} days before`, async () => {
    await makeHistory({ cast, core, coins, adaptors }, [owners, anas, bens, cleos], clock);
    const pass = () => clock.goTo(dayMs / 4);
    await useVenues(agent, { coins, adaptors }, { wallets: [owners, anas, bens], ending: bens, pass });
  });
  clock.goTo(0);
  const managed = await grantToHost(cast, owners, agentActs);

  const expiring = letJobExpire(cast, core, owners);
  const hiring = hire(cast, core, owners);
  const spending = Promise.all([
    allow(owners, core, [provider.address, harbour.address]).then(() => spendThroughCaps(cast, core, owners)),
    allow(anas, core, [provider.address]),
    revokeScopedCap(anas),
    revokePolicy(cast, core, bens),
  ]);
  const using = Promise.all([
    ...all.map((wallet) =>
      useAdaptors(wallet.owner, coins, adaptors, {
        wallets: [wallet],
        rounds: ownerRounds,
        from: agentRounds,
      }),
    ),
    useAdaptors(agent, coins, adaptors, {
      wallets: [owners, anas, bens, cleos],
      rounds: agentRounds,
      from: 0,
    }),
    tip(scout, owners, adaptors),
    tip(scout, bens, adaptors),
  ]).then(() => Promise.all([owners, dans].map((wallet) => takeOut(wallet, coins, adaptors))));
  const [jobs] = await Promise.all([hiring, expiring, spending, using]);

  await Promise.all([
    execute(ana, (tx) => wallets.revokeService(tx, anas.target, adaptors.termSavings.serviceType)),
    execute(cleo, (tx) => wallets.setPaused(tx, cleos.target, true)),
    execute(dan, (tx) => wallets.takeCoin(tx, dans.target, { coinType: SUI, amount: milliSui(1_000) })),
  ]);
  return { wallet: owners, managed, allowlist: findCaps(owners).allowlist, jobs };
}
