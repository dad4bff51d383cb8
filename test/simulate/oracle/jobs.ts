import { escrowEvents } from '../../../lib/chain/events/escrow.ts';
import { type Rows, writeRow } from './rows.ts';

interface Job {
  walletId: string;
  provider: string;
  amount: string;
  /** 0 open, 1 funded, 2 submitted, 3 released, 4 refunded. */
  state: number;
  assessor: string | null;
  note: string | null;
  refundReason: string | null;
}

/** Jobs by id. */
export type Jobs = Map<string, Job>;

export function foldEscrowEvent(name: string, bcs: Uint8Array, jobs: Jobs): void {
  if (!escrowEvents.isName(name)) return;
  // biome-ignore lint/suspicious/noExplicitAny: the fields of all events are read alike
  const fields = escrowEvents.decode(name, bcs) as any;
  const { jobId, walletId, provider, amount, assessor, note, reason } = fields;
  if (name === 'job::JobCreated') {
    const rest = { assessor: null, note: null, refundReason: null };
    jobs.set(jobId, { walletId, provider, amount, state: 0, ...rest });
    return;
  }
  const job = jobs.get(jobId)!;
  if (name === 'cap_assessor::AssessorCapMinted') job.assessor = assessor;
  if (name === 'job::JobFunded') job.state = 1;
  if (name === 'job::JobSubmitted') Object.assign(job, { state: 2, note });
  if (name === 'job::JobReleased') job.state = 3;
  if (name === 'job::JobRefunded') Object.assign(job, { state: 4, refundReason: reason });
}

export const listJobs = (jobs: Jobs): Rows =>
  new Set(
    [...jobs].map(([id, { walletId, provider, amount, state, assessor, note, refundReason }]) =>
      writeRow([id, walletId, provider, amount, state, assessor, note, refundReason]),
    ),
  );
