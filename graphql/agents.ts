import { agentList, type CoinEarnings } from '../db/queries/agents.ts';
import { jobList, jobStates } from '../db/queries/jobs.ts';
import { delegationList } from '../db/queries/wallets/delegates.ts';
import {
  buildListOptions,
  chainArgs,
  chooseNetwork,
  pagingArgs,
  parseAddress,
  readPaging,
} from './arguments.ts';
import { builder, chainEnum, nullable, nullableTime } from './builder.ts';
import { coinInfo } from './coins.ts';
import { createConnectionLoader } from './connections.ts';
import {
  agentNode,
  jobConnection,
  jobNode,
  nodeId,
  type OnNetwork,
  reference,
  walletNode,
  withNetwork,
} from './nodes.ts';
import { buildEventsField } from './object-events.ts';
import { delegateConnection } from './wallet.ts';

const releasedType = builder.objectRef<OnNetwork<CoinEarnings>>('Released').implement({
  description: 'Total released to an agent in one coin.',
  fields: (t) => ({
    coinType: t.exposeString('coinType', nullable('Null until it is read from the chain.')),
    amount: t.exposeString('amount', { description: 'In base units.' }),
    jobs: t.exposeInt('jobs', { description: 'Jobs that were paid in the coin.' }),
    coinInfo: t.field(coinInfo((released) => released)),
  }),
});

const loadAgents = createConnectionLoader(agentList, withNetwork);
const loadJobs = createConnectionLoader(jobList, withNetwork);
const loadDelegations = createConnectionLoader(delegationList, withNetwork);

agentNode.implement({
  description: 'An agent for hire.',
  fields: (t) => ({
    chain: t.expose('network', { type: chainEnum, description: 'Network of the registry.' }),
    address: t.exposeString('address', { description: 'Address of the agent.' }),
    name: t.exposeString('name', { description: 'Name for people.' }),
    description: t.exposeString('description', { description: 'What it does, in its own words.' }),
    skills: t.exposeStringList('skills', { description: 'What it can do, in words of its own.' }),
    cardUrl: t.exposeString('cardUrl', nullable('Address of its card.')),
    version: t.exposeInt('version', { description: 'Counted by the registry.' }),
    registeredMs: t.expose('registeredMs', { type: 'Milliseconds', description: 'First registration.' }),
    updatedMs: t.expose('updatedMs', { type: 'Milliseconds', description: 'Time of the version.' }),
    completedJobs: t.exposeInt('completedJobs', {
      description: 'Jobs that it provided and whose money was released to it.',
    }),
    hirers: t.exposeInt('hirers', {
      description:
        'Distinct owners of the wallets behind these jobs. A job that the agent judged itself has none.',
    }),
    newHirers: t.exposeInt('newHirers', {
      description:
        'New ones among them: the wallet was less than 30 days old at the last job, or its owner hired no other agent before.',
    }),
    releasedValue: t.exposeString('releasedValue', {
      description: 'Sum of these jobs in base units, over all coins.',
    }),
    releasedByCoin: t.field({
      type: [releasedType],
      description: 'What it earned by coin: the 20 coins with the most jobs.',
      resolve: (agent) => agent.releasedByCoin.map((released) => withNetwork(released, agent)),
    }),
    jobs: t.field({
      ...buildListOptions('jobs', jobConnection, 'Jobs that it provides, newest first.'),
      resolve: ({ network, address }, args, context) =>
        loadJobs(context, { network, provider: address, ...readPaging(args) }),
    }),
    delegations: t.field({
      ...buildListOptions(
        'delegations',
        delegateConnection,
        'Wallets that it may spend for as a delegate, sorted by wallet.',
      ),
      resolve({ network, address }, args, context) {
        context.requireSource(network, 'wallet');
        return loadDelegations(context, { network, address, ...readPaging(args) });
      },
    }),
    events: t.field(
      buildEventsField(
        'agent',
        'Events of the agent registry about it',
        ({ address }: { address: string }) => address,
      ),
    ),
  }),
});

const agentConnection = builder.connectionObject({ type: agentNode, name: 'AgentConnection' });

builder.queryFields((t) => ({
  agents: t.field({
    type: agentConnection,
    extensions: { statement: 'each' },
    description:
      'Agents in the agent registry. The highest rank first, as the document on ranking describes, then by name, then by address.',
    args: { ...chainArgs, ...pagingArgs },
    resolve(_, args, context) {
      const network = chooseNetwork(args, context, 'agents', 'escrow');
      return loadAgents(context, { network, ...readPaging(args) });
    },
  }),
  agent: t.field({
    type: agentNode,
    nullable: true,
    extensions: { statement: 'agent' },
    description: 'One agent. Null if it is not listed in the agent registry.',
    args: { ...chainArgs, address: t.arg.string({ required: true, description: 'Address of the agent.' }) },
    resolve: (_, args, context) =>
      nodeId(chooseNetwork(args, context, 'agents', 'escrow'), parseAddress(args.address, 'address')),
  }),
}));

const statusEnum = builder.enumType('JobStatus', {
  description: 'How far a job is.',
  values: {
    OPEN: { value: 0, description: 'It waits for its payment.' },
    FUNDED: { value: 1, description: 'The payment is in escrow.' },
    SUBMITTED: { value: 2, description: 'The provider has submitted its work.' },
    RELEASED: { value: 3, description: 'The payment was released to the provider.' },
    REFUNDED: { value: 4, description: 'The payment went back.' },
  } as const,
});

jobNode.implement({
  description: 'A job that is paid from escrow.',
  fields: (t) => ({
    chain: t.expose('network', { type: chainEnum, description: 'Network of the job.' }),
    jobId: t.exposeString('jobId', { description: 'Id of the object.' }),
    state: t.string({
      description: '`open`, `funded`, `submitted`, `released` or `refunded`.',
      deprecationReason: 'Use `status`, whose values are in capitals.',
      resolve: ({ stateNum }) => jobStates[stateNum] ?? `state ${stateNum}`,
    }),
    stateNum: t.exposeInt('stateNum', { description: 'The same as a number, as on the chain.' }),
    status: t.field({
      type: statusEnum,
      description: 'How far it is.',
      resolve: ({ stateNum }) => stateNum as 0 | 1 | 2 | 3 | 4,
    }),
    amount: t.exposeString('amount', { description: 'Payment to the provider, in base units.' }),
    provider: t.exposeString('provider', { description: 'Address that works.' }),
    payer: t.exposeString('payer', nullable('Address that hires.')),
    coinType: t.exposeString('coinType', {
      nullable: true,
      description: 'Coin of the payment. Null until it is read from the chain.',
    }),
    coinInfo: t.field(coinInfo((job) => job)),
    brief: t.exposeString('brief', nullable('The task, in the words of the payer.')),
    note: t.exposeString('note', nullable('What the provider submitted.')),
    assessorType: t.exposeString('assessorType', {
      description:
        'Type of the witness that judges. If it is not `cap_assessor::CapAssessor` of the escrow package, a contract judges.',
    }),
    assessor: t.exposeString('assessor', nullable('Address that may judge. Null without one.')),
    deadlineMs: t.expose(
      'deadlineMs',
      nullableTime('Time until which the provider may submit. Null without one.'),
    ),
    reviewMs: t.expose('reviewMs', {
      type: 'Count',
      nullable: true,
      description:
        'Review period in milliseconds after the deadline. Submitted work can be judged until it ends, and the job cannot expire.',
    }),
    createdMs: t.expose('createdMs', { type: 'Milliseconds', description: 'Time of its creation.' }),
    fundedMs: t.expose('fundedMs', nullableTime('Time of its payment into escrow. Null before.')),
    submittedMs: t.expose(
      'submittedMs',
      nullableTime('Time at which the provider submitted its work. Null before.'),
    ),
    releasedMs: t.expose(
      'releasedMs',
      nullableTime('Time at which the provider was paid. Null unless it was.'),
    ),
    refundedMs: t.expose(
      'refundedMs',
      nullableTime('Time at which the payment went back. Null unless it did.'),
    ),
    assessorCapId: t.exposeString('assessorCapId', {
      nullable: true,
      description: 'Id of the cap with which the assessor judges. Null without one.',
    }),
    refundTo: t.exposeString('refundTo', {
      nullable: true,
      description:
        'Address that a refund goes to: the one that paid or, if a wallet paid, the address of the wallet. Null before the payment.',
    }),
    refundedTo: t.exposeString('refundedTo', {
      nullable: true,
      description: 'Who got the payment back. Null unless it was refunded.',
    }),
    refundReason: t.exposeString('refundReason', nullable('`cancelled`, `expired` or `rejected`.')),
    walletId: t.exposeString('walletId', { description: 'The wallet that the job was created for.' }),
    wallet: t.field(reference(walletNode, 'walletId', 'The wallet that the job was created for.')),
    agent: t.field(
      reference(
        agentNode,
        'provider',
        'The provider as an agent. Null if it is not listed in the agent registry.',
      ),
    ),
    events: t.field(buildEventsField('job', 'Events of the job', ({ jobId }: { jobId: string }) => jobId)),
  }),
});

builder.queryFields((t) => ({
  job: t.field({
    type: jobNode,
    nullable: true,
    extensions: { statement: 'job' },
    description: 'One job. Null if the index does not know it.',
    args: { ...chainArgs, jobId: t.arg.string({ required: true, description: 'Id of the job.' }) },
    resolve: (_, args, context) =>
      nodeId(chooseNetwork(args, context, 'escrow'), parseAddress(args.jobId, 'jobId')),
  }),
  jobs: t.field({
    type: jobConnection,
    extensions: { statement: 'each' },
    description: 'The jobs of the network that meet all given conditions, newest first.',
    args: {
      ...chainArgs,
      provider: t.arg.string({ description: 'Address that works.' }),
      owner: t.arg.string({ description: 'Address that hired.' }),
      status: t.arg({ type: statusEnum, description: 'Only jobs that are this far.' }),
      ...pagingArgs,
    },
    resolve(_, args, context) {
      const network = chooseNetwork(args, context, 'escrow');
      const parseAddressArgument = (name: 'provider' | 'owner') =>
        args[name] == null ? undefined : parseAddress(args[name], name);
      return loadJobs(context, {
        network,
        provider: parseAddressArgument('provider'),
        owner: parseAddressArgument('owner'),
        state: args.status ?? undefined,
        ...readPaging(args),
      });
    },
  }),
}));
