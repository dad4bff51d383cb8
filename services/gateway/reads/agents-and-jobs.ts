import { z } from 'zod';
import { agentList } from '../../../db/queries/agents.ts';
import { type Job, jobList, jobStates, readJobs } from '../../../db/queries/jobs.ts';
import { readPages } from '../../../db/queries/lists.ts';
import { problem } from '../../../lib/errors/index.ts';
import { answerEntriesMax, cutPage } from '../../../lib/http/bounded-page.ts';
import {
  addressParameter,
  atMs,
  cursorParameter,
  id,
  limitParameter,
  monthMs,
  networkName,
  networkParameter,
  owner,
  pageBound,
  sui,
  walletId,
} from '../openapi/parts.ts';
import { createReadRoute, type ReadRequest } from './read.ts';

const agentService = z
  .object({
    address: z.string(),
    name: z.string(),
    description: z.string(),
    skills: z.array(z.string()),
    cardUrl: z.string().optional(),
    completedJobs: z
      .int()
      .min(0)
      .meta({ description: 'Escrow jobs that it provided and whose money was released to it.' }),
    hirers: z.int().min(0).meta({
      description:
        'Distinct owners of the wallets behind those jobs. A job that the agent judged itself has none.',
    }),
    newHirers: z
      .int()
      .min(0)
      .meta({
        description:
          'New ones among them: the wallet was less than 30 days old at the last job, or its owner hired no other agent ' +
          'before.',
      }),
    releasedValue: z.string().meta({
      description: 'Sum over those jobs in base units, across all coins; see `releasedByCoin` for each coin.',
    }),
    releasedByCoin: z
      .array(
        z.object({
          coinType: z.string().nullable().meta({ description: 'Null until it is read from the chain.' }),
          amount: z.string(),
          jobs: z.int().min(1),
        }),
      )
      .meta({ description: 'The 20 coins with the most jobs.' }),
  })
  .meta({ id: 'AgentService' });

export const agentServicesBody = z
  .object({
    network: networkName,
    count: z.int().min(0).meta({ description: 'Agents in this response.' }),
    services: z.array(agentService).meta({
      description:
        'Those with the highest rank first: work for independent hirers, weighted as the document on ranking describes. ' +
        'Equal ones by name, then by address.',
    }),
    nextCursor: z.string().optional().meta({ description: 'Present where there are more.' }),
  })
  .meta({ id: 'AgentServices' });

export const listAgentServices = createReadRoute({
  path: '/api/agent-services',
  query: z.object({
    network: networkParameter,
    limit: limitParameter.meta({ description: `Most agents per page; default: ${pageBound}.` }),
    cursor: cursorParameter,
  }),
  needs: ['agentsPackageId', 'escrowPackageId'],
  body: agentServicesBody,
  operation: {
    operationId: 'listAgentServices',
    summary: 'List agents for hire, with what they earned',
    description: 'The agents that list themselves in the agent registry.',
    example: {
      query: { limit: '1' },
      answer: {
        network: 'testnet',
        count: 1,
        services: [
          {
            address: id('4'),
            name: 'Contract reviewer',
            description: 'Reads Move packages and writes down what can go wrong.',
            skills: ['audit', 'move'],
            completedJobs: 2,
            hirers: 2,
            newHirers: 1,
            releasedValue: '1000000000',
            releasedByCoin: [{ coinType: sui, amount: '1000000000', jobs: 2 }],
          },
        ],
      },
    },
  },
  async answer({ query: { limit = answerEntriesMax, cursor }, network, db }) {
    const [page] = await readPages(db, agentList, [{ network, first: limit, after: cursor }]);
    const { items, nextCursor } = cutPage(page!);
    return {
      network,
      count: items.length,
      services: items.map(
        ({ cardUrl, version: _version, updatedMs: _updatedMs, registeredMs: _registeredMs, ...agent }) => ({
          ...agent,
          cardUrl: cardUrl ?? undefined,
        }),
      ),
      nextCursor,
    } satisfies z.infer<typeof agentServicesBody>;
  },
});

const selectors = ['jobId', 'provider', 'owner'] as const;

const jobsQuery = z
  .object({
    network: networkParameter,
    jobId: addressParameter.optional().meta({ description: 'One job.' }),
    provider: addressParameter.optional().meta({ description: 'The jobs that this address works on.' }),
    owner: addressParameter.optional().meta({ description: 'The jobs that this address hired for.' }),
    limit: limitParameter.meta({ description: `Most jobs per page; default: ${pageBound}. Not with jobId.` }),
    cursor: cursorParameter,
  })
  .superRefine((query, { addIssue }) => {
    const given = selectors.filter((name) => query[name] !== undefined);
    const message = 'give exactly one of jobId, provider and owner';
    if (given.length === 0) addIssue({ code: 'custom', path: ['jobId'], message });
    if (given.length > 1) for (const name of given) addIssue({ code: 'custom', path: [name], message });
    if (query.jobId === undefined) return;
    for (const name of ['limit', 'cursor'] as const) {
      if (query[name] === undefined) continue;
      addIssue({ code: 'custom', path: [name], message: 'a job by its id has no pages' });
    }
  });

const milliseconds = z.int();

const jobView = z
  .object({
    jobId: z.string(),
    state: z.string().meta({ description: 'open, funded, submitted, released or refunded.' }),
    stateNum: z.int().min(0).meta({ description: 'The same as a number from 0 to 4, as on the chain.' }),
    amount: z.string().meta({ description: 'What the provider gets, in base units.' }),
    provider: z.string().nullable(),
    payer: z.string().nullable().meta({ description: 'The address that hired.' }),
    coinType: z.string().nullable(),
    note: z.string().nullable().meta({ description: 'What the provider handed in.' }),
    walletId: z.string(),
    brief: z.string().nullable().meta({ description: "The task, in the payer's words." }),
    assessorType: z.string().meta({
      description:
        'Type of the witness that judges. If it is not `cap_assessor::CapAssessor` of the escrow package, a contract ' +
        'judges.',
    }),
    assessor: z.string().nullable().meta({ description: 'The address that may judge, where there is one.' }),
    deadlineMs: milliseconds.nullable(),
    reviewMs: milliseconds.nullable().meta({
      description:
        'Review period in milliseconds: for this long after the deadline, submitted work may be judged, and the job ' +
        'cannot be expired.',
    }),
    createdMs: milliseconds,
    refundTo: z
      .string()
      .nullable()
      .meta({
        description:
          'Address that a refund goes to: the one that paid or, if a wallet paid, the address of the wallet. Null before ' +
          'the payment.',
      }),
    refundedTo: z.string().nullable(),
    refundReason: z.string().nullable().meta({ description: 'cancelled, expired or rejected.' }),
  })
  .meta({ id: 'JobView' });

const oneJob = z.object({ network: networkName, job: jobView }).meta({ id: 'EscrowJob', title: 'One job' });
const jobListSchema = z
  .object({
    network: networkName,
    role: z.enum(['provider', 'owner']),
    jobs: z.array(jobView).meta({ description: 'Newest first.' }),
    nextCursor: z.string().optional().meta({ description: 'Present where there are more.' }),
  })
  .meta({ id: 'EscrowJobs', title: 'Jobs of an address' });

export const escrowJobsBody = z.union([oneJob, jobListSchema]);

const jobId = id('3');

export const findEscrowJobs = createReadRoute({
  path: '/api/escrow/jobs',
  query: jobsQuery,
  needs: ['escrowPackageId'],
  body: escrowJobsBody,
  operation: {
    operationId: 'findEscrowJobs',
    summary: 'Find escrow jobs',
    description:
      'Send exactly one of `jobId`, `provider` and `owner`. A provider or an owner without jobs has an empty list.',
    refusals: ['job_not_found'],
    example: {
      query: { jobId },
      answer: {
        network: 'testnet',
        job: {
          jobId,
          state: 'funded',
          stateNum: 1,
          amount: '500000000',
          provider: id('4'),
          payer: owner,
          coinType: sui,
          note: null,
          walletId,
          brief: 'Translate the manifest into three languages.',
          assessorType: `${id('8')}::cap_assessor::CapAssessor`,
          assessor: owner,
          deadlineMs: atMs + monthMs,
          reviewMs: 259_200_000,
          createdMs: atMs,
          refundTo: owner,
          refundedTo: null,
          refundReason: null,
        },
      },
    },
  },
  answer: (request) => {
    const { jobId } = request.query;
    return jobId === undefined ? answerList(request) : answerOne(request, jobId);
  },
});

type JobsRequest = ReadRequest<z.infer<typeof jobsQuery>>;

async function answerOne({ network, db }: JobsRequest, jobId: string) {
  const [job] = await readJobs(db, [{ network, jobId }]);
  if (!job) throw problem('job_not_found', `There is no job ${jobId} on ${network}.`);
  return { network, job: toJobView(job) } satisfies z.infer<typeof oneJob>;
}

async function answerList({ query, network, db }: JobsRequest) {
  const { provider, owner, limit = answerEntriesMax, cursor } = query;
  const role = provider === undefined ? 'owner' : 'provider';
  const [page] = await readPages(db, jobList, [{ network, provider, owner, first: limit, after: cursor }]);
  const { items, nextCursor } = cutPage(page!);
  return { network, role, jobs: items.map(toJobView), nextCursor } satisfies z.infer<typeof jobListSchema>;
}

/** Returns a job as REST shows it. The times of its states and its cap are in the graph alone. */
const toJobView = ({
  fundedMs: _fundedMs,
  submittedMs: _submittedMs,
  releasedMs: _releasedMs,
  refundedMs: _refundedMs,
  assessorCapId: _assessorCapId,
  ...job
}: Job) => ({ ...job, state: jobStates[job.stateNum] ?? `state ${job.stateNum}` });
