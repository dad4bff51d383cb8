import { escrow } from '@adaptor-marketplace/adaptor/transactions';
import { findCreatedObject, SUI } from '../../../services/demo/publish.ts';
import type { Random } from '../../support/frames/random.ts';
import type { Market } from '../market/market.ts';
import type { Act, Acts, OpenJob, Scene } from './act.ts';

/** Seconds from the creation of a job to its deadline, at most: some are over before the work is submitted. */
const deadlineSecondsMax = 40;

export const jobActs: Acts = {
  hire: {
    weight: 3,
    prepare({ random, wallets: own, account }, { market: { demo }, addresses, jobs }) {
      if (own.length === 0) return undefined;
      const walletId = random.pick(own);
      const provider = random.pick(addresses);
      const assessor = random.pick(addresses);
      const amount = BigInt(1 + random.integer(1_000));
      const deadlineMs = BigInt(Date.now() + (1 + random.integer(deadlineSecondsMax)) * 1_000);
      const isFunded = random.chance(0.8);
      return {
        append(tx) {
          escrow.createJob(tx, demo.packages.escrow, {
            walletId,
            provider,
            assessor,
            coinType: SUI,
            amount,
            deadlineMs,
            brief: `Job ${random.hex(4)}`,
            ...(isFunded && { funding: tx.splitCoins(tx.gas, [amount])[0] }),
          });
        },
        succeeded: (executed) =>
          jobs.push({
            jobId: findCreatedObject(executed, `::job::Job<${SUI}>`),
            capId: findCreatedObject(executed, '::cap_assessor::AssessorCap'),
            walletId,
            payer: account.address,
            provider,
            assessor,
          }),
      };
    },
  },
  'submit work': takeJob(3, 'provider', (tx, job, { random }) =>
    escrow.submit(tx, job, `Result ${random.hex(4)}`),
  ),
  'judge work': takeJob(3, 'assessor', (tx, job, { random, capId }) =>
    escrow.assess(tx, job, { capId, approve: random.chance(0.7) }),
  ),
  'cancel a job': takeJob(1, 'payer', (tx, job, { walletId }) => escrow.cancel(tx, job, walletId)),
  'expire a job': {
    weight: 1,
    prepare({ random }, { market, jobs }) {
      if (jobs.length === 0) return undefined;
      const job = random.pick(jobs);
      return { append: (tx) => escrow.expire(tx, toTarget(market, job)) };
    },
  },
};

type AppendToJob = (
  tx: Parameters<typeof escrow.submit>[0],
  job: escrow.JobTarget,
  more: OpenJob & { random: Random },
) => void;

/** An act on a job in which the actor has a role. */
function takeJob(weight: number, role: 'payer' | 'provider' | 'assessor', append: AppendToJob): Act {
  return {
    weight,
    prepare({ random, account }, { market, jobs }: Scene) {
      const own = jobs.filter((job) => job[role] === account.address);
      if (own.length === 0) return undefined;
      const job = random.pick(own);
      return { append: (tx) => append(tx, toTarget(market, job), { ...job, random }) };
    },
  };
}

const toTarget = ({ demo }: Market, { jobId }: OpenJob): escrow.JobTarget => ({
  packageId: demo.packages.escrow,
  coinType: SUI,
  jobId,
});
