import { type Network, parseServiceType } from '@adaptor-marketplace/adaptor';
import type { ChangedListing } from '../db/queries/catalog/changes.ts';
import type { FollowedEvent, FollowedSource } from '../db/queries/registry-events.ts';
import type { RunStep } from '../lib/agent/shapes.ts';
import type { SourceName } from '../lib/config/networks.ts';
import { invalidArgument, parseAddress, parseIdentity, parseServiceTypes } from './arguments.ts';
import { builder, chainEnum, type GraphContext } from './builder.ts';
import { adaptorNode, eventNodes, jobNode, nodeId, walletNode } from './nodes.ts';
import { firstMax } from './query-limits.ts';

/** Source of a subscription: the matching items of a log, or the steps of a run. */
export type SubscriptionSource =
  | {
      kind: 'events';
      network: Network;
      source: FollowedSource;
      after: string | undefined;
      matches(event: FollowedEvent): boolean;
    }
  | {
      kind: 'catalog';
      network: Network;
      after: string | undefined;
      matches(change: ChangedListing): boolean;
      /** `true` to give entries that the catalog does not show by default. */
      includesHidden: boolean;
    }
  | { kind: 'run'; id: string; after: string | undefined };

/** Resolves the source of a subscription from the arguments of its field, as the field's `extensions.follow`. */
export type SourceResolver = (
  args: Record<string, unknown>,
  context: Pick<GraphContext, 'choose' | 'requireSource'>,
) => SubscriptionSource;

/** Root values of subscriptions, by the kind of their source. */
interface LiveItem {
  cursor: string;
  network: Network;
}
type LiveEvent = LiveItem & { event: FollowedEvent };
type LiveChange = LiveItem & { change: ChangedListing; includesHidden: boolean };
interface LiveStep {
  cursor: string;
  step: RunStep;
}

/** Statements that the selection of a subscription may cause. All subscribers to an item share them. */
export const liveStatements: ReadonlySet<string> = new Set(['adaptor', 'manifest head', 'job', 'wallet']);

builder.subscriptionType({
  description: 'Live data over server-sent events. Each value has a cursor to resume after.',
});

const cursorDescription = 'Send it as `after` to get what comes next.';
const chainArg = {
  type: chainEnum,
  description: 'Default: the network that the host has set, normally `TESTNET`.',
};
const changeChain = { type: chainEnum, description: 'Network of the change.' };
const afterArg = { description: 'Cursor of the last value that you have. Default: from now on.' };

/** Types the arguments of `follow` as those of its field, which validation guarantees. */
const follow = <Args>(
  resolve: (args: Args, context: Parameters<SourceResolver>[1]) => SubscriptionSource,
) => ({
  follow: resolve as unknown as SourceResolver,
});

interface StreamArgs {
  chain?: Network | null;
  after?: string | null;
}

/** Follows the events of a source with an object id in a field, or only those of the object in the argument. */
const followObjects = <Field extends string>(source: FollowedSource & SourceName, field: Field) =>
  follow<StreamArgs & Partial<Record<Field, string | null>>>((args, { choose, requireSource }) => {
    const network = choose(args.chain ?? undefined);
    requireSource(network, source);
    const id = args[field];
    const objectId = id == null ? undefined : parseAddress(id, field);
    return {
      kind: 'events',
      network,
      source,
      after: args.after ?? undefined,
      matches({ data }: FollowedEvent) {
        const named = data?.[field];
        return named !== undefined && (objectId === undefined || named === objectId);
      },
    };
  });

const eventAdded = builder.objectRef<LiveEvent>('EventAdded').implement({
  description: 'An event that was indexed.',
  fields: (t) => ({
    cursor: t.exposeString('cursor', { description: cursorDescription }),
    chain: t.expose('network', changeChain),
    event: t.field({
      type: eventNodes.registry,
      description: 'The event.',
      resolve: ({ network, event: { position, event: name, ...event } }) => ({
        ...event,
        network,
        source: 'registry' as const,
        name,
        checkpoint: position[0],
        txIndex: position[1],
        eventIndex: position[2],
      }),
    }),
  }),
});

const adaptorChanged = builder.objectRef<LiveChange>('AdaptorChanged').implement({
  description: 'A listing whose entry in the catalog changed. Several changes at once come as one.',
  fields: (t) => ({
    cursor: t.exposeString('cursor', { description: cursorDescription }),
    chain: t.expose('network', changeChain),
    serviceType: t.string({
      description: 'Service type of the listing.',
      resolve: ({ change }) => change.position[1],
    }),
    publisher: t.string({
      description: 'Address that registered it.',
      resolve: ({ change }) => change.position[2],
    }),
    adaptor: t.field({
      type: adaptorNode,
      nullable: true,
      extensions: { statement: 'adaptor' },
      description:
        'The entry as it is now. Null if the catalog does not have it any more, or shows it only with `includeUnverified`.',
      resolve: ({ network, change: { position, state }, includesHidden }) =>
        state === 'left' && !includesHidden ? null : nodeId(network, position[1], position[2]),
    }),
  }),
});

type EventFieldBuilder = PothosSchemaTypes.ObjectFieldBuilder<typeof builder.$inferSchemaTypes, LiveEvent>;

/** Fields of every payload that is an event. */
const eventFields = (t: EventFieldBuilder) => ({
  cursor: t.exposeString('cursor', { description: cursorDescription }),
  chain: t.expose('network', changeChain),
  eventName: t.string({
    description: 'Last part of the type of the event.',
    resolve: ({ event }) => event.event,
  }),
  eventId: t.string({
    description: '`<transaction digest>:<event index>`.',
    resolve: ({ event }) => event.id,
  }),
  timestampMs: t.field({
    type: 'Milliseconds',
    description: 'Time of the checkpoint.',
    resolve: ({ event }) => event.timestampMs,
  }),
});

const getText = (event: FollowedEvent, field: string): string => String(event.data?.[field] ?? '');

const jobChanged = builder.objectRef<LiveEvent>('JobChanged').implement({
  description: 'An event of a job.',
  fields: (t) => ({
    ...eventFields(t),
    jobId: t.string({
      description: 'Id of the job.',
      resolve: ({ event }) => getText(event, 'jobId'),
    }),
    job: t.field({
      type: jobNode,
      nullable: true,
      extensions: { statement: 'job' },
      description: 'The job as it is now.',
      resolve: ({ network, event }) => nodeId(network, getText(event, 'jobId')),
    }),
  }),
});

const walletChanged = builder.objectRef<LiveEvent>('WalletChanged').implement({
  description: 'An event of a wallet.',
  fields: (t) => ({
    ...eventFields(t),
    data: t.field({
      type: 'JSON',
      nullable: true,
      resolve: ({ event }) => event.data,
      description: 'Fields of the event. Null if its bytes could not be decoded.',
    }),
    wallet: t.field({
      type: walletNode,
      nullable: true,
      extensions: { statement: 'wallet' },
      description: 'The wallet as it is now.',
      resolve: ({ network, event }) => nodeId(network, getText(event, 'walletId')),
    }),
  }),
});

const runProgress = builder.objectRef<LiveStep>('RunProgress').implement({
  description: 'A line of the stream of a run: a step that begins, ends or fails.',
  fields: (t) => ({
    cursor: t.exposeString('cursor', { description: cursorDescription }),
    step: t.string({ description: 'Name of the step.', resolve: ({ step }) => step.step }),
    status: t.string({ resolve: ({ step }) => step.status, description: '`active`, `done` or `error`.' }),
    code: t.string({
      nullable: true,
      resolve: ({ step }) => step.code,
      description: 'Code of what went wrong. Null unless the status is `error`.',
    }),
    detail: t.string({
      nullable: true,
      description: 'What happened, in words.',
      resolve: ({ step }) => step.detail,
    }),
    digest: t.string({
      nullable: true,
      resolve: ({ step }) => step.digest,
      description: 'Digest of the transaction, once it is known.',
    }),
  }),
});

builder.subscriptionFields((t) => ({
  eventAdded: t.field({
    type: eventAdded,
    description: 'Events of the adaptor registry, in the order of the chain.',
    args: {
      chain: t.arg(chainArg),
      names: t.arg.stringList({ description: 'Event names, such as `Registered`. Default: all.' }),
      serviceType: t.arg.string({ description: 'Only events of this service type.' }),
      after: t.arg.string(afterArg),
    },
    extensions: follow<StreamArgs & { names?: string[] | null; serviceType?: string | null }>(
      ({ chain, names, serviceType, after }, { choose }) => {
        const type = serviceType == null ? undefined : parseIdentity({ serviceType }).serviceType;
        // Each event is compared with every name, for each subscriber.
        if (names != null && names.length > firstMax) {
          throw invalidArgument([{ path: 'names', message: `expected ${firstMax} names at most` }]);
        }
        return {
          kind: 'events',
          network: choose(chain ?? undefined),
          source: 'registry',
          after: after ?? undefined,
          matches: (event) =>
            (names == null || names.includes(event.event)) &&
            (type === undefined || parseCanonicalType(event) === type),
        };
      },
    ),
    subscribe: failOutsideTransport,
    resolve: (live) => live as unknown as LiveEvent,
  }),
  adaptorChanged: t.field({
    type: adaptorChanged,
    description:
      'Changes of the catalog: listings that appear, change or disappear, their manifests, usage and reviews.',
    args: {
      chain: t.arg(chainArg),
      serviceType: t.arg.string({ description: 'Only listings of this service type.' }),
      serviceTypes: t.arg.stringList({
        description:
          'Only listings of these service types, such as those that a wallet granted to; at most 100.',
      }),
      publisher: t.arg.string({ description: 'Only listings of this publisher.' }),
      includeUnverified: t.arg.boolean({
        description: 'Include listings that the catalog does not show by default.',
      }),
      after: t.arg.string(afterArg),
    },
    extensions: follow<
      StreamArgs & {
        serviceType?: string | null;
        serviceTypes?: readonly string[] | null;
        publisher?: string | null;
        includeUnverified?: boolean | null;
      }
    >(({ chain, serviceType, serviceTypes, publisher, includeUnverified, after }, { choose }) => {
      const type = serviceType == null ? undefined : parseIdentity({ serviceType }).serviceType;
      const types =
        serviceTypes == null ? undefined : new Set(parseServiceTypes(serviceTypes, 'serviceTypes'));
      const address = publisher == null ? undefined : parseAddress(publisher, 'publisher');
      const includesHidden = includeUnverified === true;
      return {
        kind: 'catalog',
        network: choose(chain ?? undefined),
        after: after ?? undefined,
        includesHidden,
        matches: ({ position: [, changedType, changedPublisher], state }) =>
          (state !== 'hidden' || includesHidden) &&
          (type === undefined || type === changedType) &&
          (types === undefined || types.has(changedType)) &&
          (address === undefined || address === changedPublisher),
      };
    }),
    subscribe: failOutsideTransport,
    resolve: (live) => live as unknown as LiveChange,
  }),
  jobChanged: t.field({
    type: jobChanged,
    description: 'Events of escrow jobs, each with the job.',
    args: {
      chain: t.arg(chainArg),
      jobId: t.arg.string({ description: 'Only events of this job.' }),
      after: t.arg.string(afterArg),
    },
    extensions: followObjects('escrow', 'jobId'),
    subscribe: failOutsideTransport,
    resolve: (live) => live as unknown as LiveEvent,
  }),
  walletChanged: t.field({
    type: walletChanged,
    description: 'Events of a wallet, each with the wallet.',
    args: {
      chain: t.arg(chainArg),
      walletId: t.arg.string({ required: true, description: 'Id of the wallet.' }),
      after: t.arg.string(afterArg),
    },
    extensions: followObjects('wallet', 'walletId'),
    subscribe: failOutsideTransport,
    resolve: (live) => live as unknown as LiveEvent,
  }),
  runProgress: t.field({
    type: runProgress,
    description:
      'The steps of a run of `POST /api/agent/run`, recorded and new, until it ends. Needs a credential of its wallet: an ' +
      'executor key or a session, as that request does.',
    args: {
      runId: t.arg.id({ required: true, description: 'From the header `x-run-id` or the list of runs.' }),
      after: t.arg.string({ description: 'Cursor of the last step that you have. Default: from the first.' }),
    },
    extensions: follow<{ runId: string; after?: string | null }>(({ runId, after }) => {
      if (!/^[1-9]\d{0,17}$/.test(runId)) {
        throw invalidArgument([{ path: 'runId', message: 'expected the id of a run' }]);
      }
      return { kind: 'run', id: runId, after: after ?? undefined };
    }),
    subscribe: failOutsideTransport,
    resolve: (live) => live as unknown as LiveStep,
  }),
}));

function parseCanonicalType(event: FollowedEvent): string | undefined {
  const named = parseServiceType(getText(event, 'serviceType'));
  return 'error' in named ? undefined : named.canonical;
}

/** Always throws: the transport reads the logs itself, so that each item is rendered once for all subscribers. */
function failOutsideTransport(): never {
  throw new Error('a subscription is executed for each of its items');
}
