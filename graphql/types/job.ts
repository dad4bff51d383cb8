import type { Network } from '@adaptor-marketplace/adaptor/networks';
import { type Job, type JobKey, jobStates, readJobs, readJobsOf } from '../../db/queries/jobs.ts';
import { builder } from '../builder.ts';
import { invalidArgument, parseAddress } from '../filter.ts';
import { pagingArgs, readPaging, toConnection } from '../paging.ts';
import { networkEnum } from './enums.ts';
import { loadWallets, walletType } from './wallet.ts';

type PlacedJob = Job & { network: Network };

const jobType = builder.objectRef<PlacedJob>('Job').implement({
  description: 'A job whose money is held in escrow.',
  fields: (t) => ({
    jobId: t.exposeString('jobId'),
    state: t.string({
      description: 'open, funded, submitted, released or refunded.',
      resolve: ({ stateNum }) => jobStates[stateNum] ?? `state ${stateNum}`,
    }),
    stateNum: t.exposeInt('stateNum'),
    amount: t.exposeString('amount', { description: 'What the provider gets, in base units.' }),
    provider: t.exposeString('provider'),
    payer: t.exposeString('payer', { nullable: true, description: 'Who hired.' }),
    coinType: t.exposeString('coinType', { nullable: true }),
    brief: t.exposeString('brief', { nullable: true }),
    note: t.exposeString('note', { nullable: true, description: 'What the provider handed in.' }),
    assessor: t.exposeString('assessor', { nullable: true }),
    deadlineMs: t.expose('deadlineMs', { type: 'Milliseconds', nullable: true }),
    reviewMs: t.expose('reviewMs', {
      type: 'Count',
      nullable: true,
      description:
        'Review period in milliseconds: so long after the deadline submitted work may be judged, and no one can expire the job.',
    }),
    createdMs: t.expose('createdMs', { type: 'Milliseconds' }),
    refundedTo: t.exposeString('refundedTo', { nullable: true }),
    refundReason: t.exposeString('refundReason', {
      nullable: true,
      description: 'cancelled, expired or rejected.',
    }),
    walletId: t.exposeString('walletId'),
    wallet: t.loadable({
      type: walletType,
      nullable: true,
      description: 'The wallet that the job was made for.',
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
    description: 'The jobs that a provider works on, or that an owner hired for, the newest first.',
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
  const message = 'give exactly one of provider and owner';
  throw invalidArgument(['provider', 'owner'].map((path) => ({ path, message })));
}
