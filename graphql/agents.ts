import type { Network } from '@adaptor-marketplace/adaptor';
import { type Agent, type Released, readAgents } from '../db/queries/agents.ts';
import { type Job, type JobKey, jobStates, readJobs, readJobsOf } from '../db/queries/jobs.ts';
import { invalidArgument, pagingArgs, parseAddress, readPaging, toConnection } from './arguments.ts';
import { builder, networkEnum } from './builder.ts';
import { loadWallets, walletType } from './wallet.ts';

const releasedType = builder.objectRef<Released>('Released').implement({
  description: 'Total released to an agent in one coin.',
  fields: (t) => ({
    coinType: t.exposeString('coinType', { nullable: true }),
    amount: t.exposeString('amount', { description: 'In base units.' }),
    jobs: t.exposeInt('jobs'),
  }),
});

const agentType = builder.objectRef<Agent>('Agent').implement({
  description: 'An agent for hire.',
  fields: (t) => ({
    address: t.exposeString('address'),
    name: t.exposeString('name'),
    description: t.exposeString('description'),
    skills: t.exposeStringList('skills'),
    cardUrl: t.exposeString('cardUrl', { nullable: true }),
    version: t.exposeInt('version'),
    updatedMs: t.expose('updatedMs', { type: 'Milliseconds' }),
    completedJobs: t.exposeInt('completedJobs'),
    releasedValue: t.exposeString('releasedValue', {
      description: 'Sum of these jobs in base units, over all coins.',
    }),
    releasedByCoin: t.expose('releasedByCoin', {
      type: [releasedType],
      description: 'The 20 coins with the most jobs.',
    }),
  }),
});

const agentConnection = builder.connectionObject({ type: agentType, name: 'AgentConnection' });

builder.queryFields((t) => ({
  agents: t.field({
    type: agentConnection,
    extensions: { statement: 'each' },
    description: 'Agents in the agent registry. Most completed jobs first, then by name, then by address.',
    args: { network: t.arg({ type: networkEnum }), ...pagingArgs },
    async resolve(_, args, { db, choose, requireSource }) {
      const network = choose(args.network ?? undefined);
      requireSource(network, 'agents');
      requireSource(network, 'escrow');
      const { first, after } = readPaging(args);
      return toConnection(await readAgents(db, { network, limit: first, cursor: after }), after);
    },
  }),
}));

type NetworkJob = Job & { network: Network };

const jobType = builder.objectRef<NetworkJob>('Job').implement({
  description: 'A job that is paid from escrow.',
  fields: (t) => ({
    jobId: t.exposeString('jobId'),
    state: t.string({
      description: '`open`, `funded`, `submitted`, `released` or `refunded`.',
      resolve: ({ stateNum }) => jobStates[stateNum] ?? `state ${stateNum}`,
    }),
    stateNum: t.exposeInt('stateNum'),
    amount: t.exposeString('amount', { description: 'Payment to the provider, in base units.' }),
    provider: t.exposeString('provider'),
    payer: t.exposeString('payer', { nullable: true, description: 'Address that hires.' }),
    coinType: t.exposeString('coinType', { nullable: true }),
    brief: t.exposeString('brief', { nullable: true }),
    note: t.exposeString('note', { nullable: true, description: 'What the provider submitted.' }),
    assessor: t.exposeString('assessor', { nullable: true }),
    deadlineMs: t.expose('deadlineMs', { type: 'Milliseconds', nullable: true }),
    reviewMs: t.expose('reviewMs', {
      type: 'Count',
      nullable: true,
      description:
        'Review period in milliseconds after the deadline. Submitted work can be judged until it ends, and the job cannot expire.',
    }),
    createdMs: t.expose('createdMs', { type: 'Milliseconds' }),
    refundedTo: t.exposeString('refundedTo', { nullable: true }),
    refundReason: t.exposeString('refundReason', {
      nullable: true,
      description: '`cancelled`, `expired` or `rejected`.',
    }),
    walletId: t.exposeString('walletId'),
    wallet: t.loadable({
      type: walletType,
      nullable: true,
      description: 'The wallet that the job was created for.',
      extensions: { statement: 'wallet' },
      loaderOptions: { cacheKeyFn: (key: { network: Network; walletId: string }) => JSON.stringify(key) },
      resolve: ({ network, walletId }) => ({ network, walletId }),
      load: loadWallets,
    }),
  }),
});

const jobConnection = builder.connectionObject({ type: jobType, name: 'JobConnection' });

builder.queryFields((t) => ({
  job: t.loadable({
    type: jobType,
    nullable: true,
    extensions: { statement: 'job' },
    args: { network: t.arg({ type: networkEnum }), jobId: t.arg.string({ required: true }) },
    loaderOptions: { cacheKeyFn: (key: JobKey) => JSON.stringify(key) },
    resolve(_, args, { choose, requireSource }) {
      const network = choose(args.network ?? undefined);
      requireSource(network, 'escrow');
      return { network, jobId: parseAddress(args.jobId, 'jobId') };
    },
    load: async (keys: (JobKey & { network: Network })[], { db }) =>
      (await readJobs(db, keys)).map((job, at) => (job ? { ...job, network: keys[at]!.network } : null)),
  }),
  jobs: t.field({
    type: jobConnection,
    extensions: { statement: 'each' },
    description:
      'The jobs of a provider, or of the owner who hired, newest first. Requires exactly one of both.',
    args: {
      network: t.arg({ type: networkEnum }),
      provider: t.arg.string(),
      owner: t.arg.string(),
      ...pagingArgs,
    },
    async resolve(_, args, { db, choose, requireSource }) {
      const network = choose(args.network ?? undefined);
      requireSource(network, 'escrow');
      const { first, after } = readPaging(args);
      const { role, address } = readRole(args);
      const page = await readJobsOf(db, { network, role, address, limit: first, cursor: after });
      return toConnection({ ...page, items: page.items.map((job) => ({ ...job, network })) }, after);
    },
  }),
}));

function readRole({ provider, owner }: { provider?: string | null; owner?: string | null }) {
  if (provider != null && owner == null) {
    return { role: 'provider', address: parseAddress(provider, 'provider') } as const;
  }
  if (owner != null && provider == null)
    return { role: 'owner', address: parseAddress(owner, 'owner') } as const;
  const message = 'set exactly one of provider and owner';
  throw invalidArgument(['provider', 'owner'].map((path) => ({ path, message })));
}
