import { setTimeout as delay } from 'node:timers/promises';
import { messageOf } from '@adaptor-marketplace/adaptor';
import {
  escrow,
  policy,
  scopedCap as scopedCaps,
  wallet as wallets,
} from '@adaptor-marketplace/adaptor/transactions';
import { type Account, type Executed, execute } from '@adaptor-marketplace/localnet/account';
import type { Transaction } from '@mysten/sui/transactions';
import { type EscrowEventName, type EscrowEvents, escrowEvents } from '../../lib/chain/events/escrow.ts';
import type { Cast } from './cast.ts';
import { milliSui, SUI } from './coins.ts';
import { type Core, createdObject } from './publish.ts';
import { capsOf, type DemoWallet } from './wallets.ts';

const dayMs = 86_400_000;
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
type Name = keyof typeof orders;
const names = Object.keys(orders) as Name[];

interface Job extends escrow.JobTarget {
  /** The cap that judges it. */
  capId: string;
}

/** The owner's jobs by their outcome. */
export type Jobs = Record<Name, Job>;

/** Terms of a job of the wallet's owner for the provider, judged by the arbiter. */
const termsOf = ({ provider, arbiter }: Cast, { walletId }: DemoWallet) => ({
  ...{ walletId, provider: provider.address, assessor: arbiter.address },
  ...{ coinType: SUI, amount: price },
});

/** The owner makes the jobs, and pays those that are paid by coin. */
async function makeJobs(cast: Cast, packageId: string, wallet: DemoWallet): Promise<Jobs> {
  const deadlineMs = BigInt(Date.now() + 30 * dayMs);
  const made = await execute(wallet.owner, (tx) => {
    for (const { brief, paid } of names.map((name) => orders[name])) {
      const job = { ...termsOf(cast, wallet), deadlineMs, brief };
      escrow.createJob(tx, packageId, paid ? { ...job, funding: coinOf(tx) } : job);
    }
  });
  const events = await eventsOf(wallet.owner, made);
  const created = fieldsOf(events, 'job::JobCreated');
  const minted = fieldsOf(events, 'cap_assessor::AssessorCapMinted');
  const jobs = names.map((name): [Name, Job] => {
    const jobId = created.find(({ brief }) => brief === orders[name].brief)?.jobId ?? '';
    const capId = minted.find((cap) => cap.jobId === jobId)?.capId ?? '';
    return [name, { packageId, coinType: SUI, jobId, capId }];
  });
  return Object.fromEntries(jobs) as Jobs;
}

/** Appends a coin of the price of a job. */
const coinOf = (tx: Transaction) => tx.splitCoins(tx.gas, [price]);

/**
 * The wallet's owner hires the provider with every outcome that a job can have except expiry. The agent pays two
 * of the jobs from the wallet by its scoped cap; the payment of the rejected one returns to the wallet.
 */
export async function hire(cast: Cast, core: Core, wallet: DemoWallet): Promise<Jobs> {
  const { owner, provider, arbiter, agent } = cast;
  const { walletId } = wallet;
  const jobs = await makeJobs(cast, core.escrow, wallet);
  await execute(agent, (tx) => {
    const capId = capsOf(wallet).scoped;
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
  const coinId = createdObject(rejected, `::coin::Coin<${SUI}>`);
  await execute(owner, (tx) => wallets.sweepCoin(tx, wallet.target, { coinType: SUI, coinId }));
  return jobs;
}

type Events = { eventType: string; bcs: Uint8Array }[];

async function eventsOf({ client }: Account, { digest }: Executed): Promise<Events> {
  const read = await client.getTransaction({ digest, include: { events: true } });
  return read.Transaction?.events ?? [];
}

/** The fields of the events of that name. */
function fieldsOf<Name extends EscrowEventName>(events: Events, name: Name): EscrowEvents[Name][] {
  return events
    .filter(({ eventType }) => eventType.endsWith(`::${name}`))
    .map(({ bcs }) => escrowEvents.decode(name, bcs));
}

/** How long the job lasts: short, so that the demo waits little. Doubled on a machine that is too slow for it. */
const firstMs = 1_000;
const lastMs = 60_000;

/** Abort codes of the module `job`. */
const badDeadline = 10;
const deadlineNotPassed = 12;

const isAbort = (error: unknown, code: number) =>
  new RegExp(`abort code: ${code}, in '0x[0-9a-f]{64}::job::`).test(messageOf(error));

/** The owner pays for a job that is never done: after its deadline the arbiter refunds it. */
export async function letJobExpire(cast: Cast, core: Core, wallet: DemoWallet): Promise<string> {
  const { owner, arbiter } = cast;
  const brief = 'Water the plants while I am away.';
  let deadlineMs = 0;
  const create = (lastsMs: number): Promise<Executed> =>
    execute(owner, (tx) => {
      deadlineMs = Date.now() + lastsMs;
      const terms = { ...termsOf(cast, wallet), deadlineMs: BigInt(deadlineMs), brief };
      escrow.createJob(tx, core.escrow, { ...terms, funding: coinOf(tx) });
    }).catch((error: unknown) => {
      if (!isAbort(error, badDeadline) || lastsMs >= lastMs) throw error;
      return create(lastsMs * 2);
    });
  const jobId = createdObject(await create(firstMs), `::job::Job<${SUI}>`);
  const job = { packageId: core.escrow, coinType: SUI, jobId };
  for (;;) {
    await delay(Math.max(0, deadlineMs - Date.now()));
    try {
      await execute(arbiter, (tx) => escrow.expire(tx, job));
      return jobId;
    } catch (error) {
      // The chain's clock stands at its last checkpoint.
      if (!isAbort(error, deadlineNotPassed)) throw error;
      await delay(50);
    }
  }
}
