import { networks } from '@adaptor-marketplace/adaptor/networks';
import { z } from 'zod';
import { type Job, jobStates, readJobs, readJobsOf } from '../../../db/queries/jobs.ts';
import { problem } from '../../../lib/errors/index.ts';
import { cutPage } from '../../../lib/http/bounded-page.ts';
import {
  addressParameter,
  cursorParameter,
  limitMax,
  limitParameter,
  networkParameter,
} from '../request/parameters.ts';
import { type Question, type ReadHost, read } from './read.ts';

const selectors = ['jobId', 'provider', 'owner'] as const;

export const escrowJobsRequest = z
  .object({
    network: networkParameter,
    jobId: addressParameter.optional().meta({ description: 'One job.' }),
    provider: addressParameter.optional().meta({ description: 'The jobs that this address works on.' }),
    owner: addressParameter.optional().meta({ description: 'The jobs that this address hired for.' }),
    limit: limitParameter.meta({ description: `Most jobs per page; absent: ${limitMax}. Not with jobId.` }),
    cursor: cursorParameter,
  })
  .superRefine((request, { addIssue }) => {
    const given = selectors.filter((name) => request[name] !== undefined);
    const message = 'give exactly one of jobId, provider and owner';
    if (given.length === 0) addIssue({ code: 'custom', path: ['jobId'], message });
    if (given.length > 1) for (const name of given) addIssue({ code: 'custom', path: [name], message });
    if (request.jobId === undefined) return;
    for (const name of ['limit', 'cursor'] as const) {
      if (request[name] === undefined) continue;
      addIssue({ code: 'custom', path: [name], message: 'a job by its id has no pages' });
    }
  });

const milliseconds = z.int();

export const jobView = z
  .object({
    jobId: z.string(),
    state: z.string().meta({ description: 'open, funded, submitted, released or refunded.' }),
    stateNum: z.int().min(0).meta({ description: 'The same, 0 to 4, as on the chain.' }),
    amount: z.string().meta({ description: 'What the provider gets, in base units.' }),
    provider: z.string().nullable(),
    payer: z.string().nullable().meta({ description: 'Who hired.' }),
    coinType: z.string().nullable(),
    note: z.string().nullable().meta({ description: 'What the provider handed in.' }),
    walletId: z.string(),
    brief: z.string().nullable().meta({ description: "What is to be done, in the payer's words." }),
    assessor: z.string().nullable().meta({ description: 'Who may judge, where one address may.' }),
    deadlineMs: milliseconds.nullable(),
    reviewMs: milliseconds.nullable().meta({
      description:
        'Review period in milliseconds: so long after the deadline submitted work may be judged, and no one can expire the job.',
    }),
    createdMs: milliseconds,
    refundedTo: z.string().nullable(),
    refundReason: z.string().nullable().meta({ description: 'cancelled, expired or rejected.' }),
  })
  .meta({ id: 'JobView' });

const oneJob = z.object({ network: z.enum(networks), job: jobView }).meta({ id: 'EscrowJob' });
const jobsOf = z
  .object({
    network: z.enum(networks),
    role: z.enum(['provider', 'owner']),
    jobs: z.array(jobView).meta({ description: 'The newest first.' }),
    nextCursor: z.string().optional().meta({ description: 'Present where there are more.' }),
  })
  .meta({ id: 'EscrowJobs' });

export const escrowJobsBody = z.union([oneJob, jobsOf]);

/** `GET /api/escrow/jobs`. */
export function escrowJobs(host: ReadHost) {
  return read(host, {
    query: escrowJobsRequest,
    needs: ['escrowPackageId'],
    async answer(question) {
      const { jobId } = question.request;
      return jobId === undefined ? await answerList(host, question) : await answerOne(host, question, jobId);
    },
  });
}

type JobsQuestion = Question<z.infer<typeof escrowJobsRequest>>;

async function answerOne({ db }: ReadHost, { network }: JobsQuestion, jobId: string) {
  const [job] = await readJobs(db, [{ network, jobId }]);
  if (!job) throw problem('job_not_found', `There is no job ${jobId} on ${network}.`);
  return { network, job: view(job) } satisfies z.infer<typeof oneJob>;
}

async function answerList({ db }: ReadHost, { request, network }: JobsQuestion) {
  const { provider, owner, limit = limitMax, cursor } = request;
  const role = provider === undefined ? 'owner' : 'provider';
  const address = provider ?? owner ?? '';
  const page = await readJobsOf(db, { network, role, address, limit, cursor });
  const { items, cursors, hasMore } = cutPage(page);
  const nextCursor = hasMore ? cursors.at(-1) : undefined;
  return { network, role, jobs: items.map(view), nextCursor } satisfies z.infer<typeof jobsOf>;
}

const view = (job: Job) => ({ ...job, state: jobStates[job.stateNum] ?? `state ${job.stateNum}` });
