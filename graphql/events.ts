import { parseServiceType } from '@adaptor-marketplace/adaptor';
import { type ChainEvent, type EventSource, eventLists, eventSources } from '../db/queries/events.ts';
import { readIndexState } from '../db/queries/state.ts';
import { nameRegistryEvents } from '../lib/chain/events/registry.ts';
import {
  addressFilter,
  buildListOptions,
  chainArgs,
  checkpointRange,
  chooseNetwork,
  pagingArgs,
  readAddresses,
  readPaging,
  readRange,
  timeMax,
  timeRange,
} from './arguments.ts';
import { builder, chainEnum, nullable, nullableTime, sourceEnum } from './builder.ts';
import { createConnectionLoader, emptyConnection } from './connections.ts';
import {
  actionNode,
  adaptorNode,
  agentNode,
  allowlistNode,
  capNode,
  eventNodes,
  eventTypeNames,
  jobNode,
  listingNode,
  loadShown,
  nodeId,
  type OnNetwork,
  reference,
  registryEventConnection,
  ruleNode,
  sourceNode,
  walletNode,
  withNetwork,
} from './nodes.ts';
import { eventFilter } from './object-events.ts';

const eventInterface = builder.interfaceRef<OnNetwork<ChainEvent>>('Event').implement({
  description: 'An event that the index has read from the chain.',
  interfaces: [builder.nodeInterfaceRef()],
  resolveType: ({ source }) => eventTypeNames[source],
  fields: (t) => ({
    chain: t.expose('network', { type: chainEnum, description: 'Network of the event.' }),
    source: t.expose('source', { type: sourceEnum, description: 'What it was read from.' }),
    eventId: t.exposeString('id', { description: '`<transaction digest>:<event index>`.' }),
    name: t.exposeString('name', { description: 'Last part of its type, such as `Registered`.' }),
    type: t.exposeString('type', { description: 'Full type, with the id of its package.' }),
    sender: t.exposeString('sender', { description: 'Sender of the transaction.' }),
    txDigest: t.exposeString('txDigest', { description: 'Digest of the transaction.' }),
    checkpoint: t.expose('checkpoint', { type: 'Count', description: 'Checkpoint of the transaction.' }),
    timestampMs: t.expose('timestampMs', { type: 'Milliseconds', description: 'Time of the checkpoint.' }),
    data: t.expose('data', {
      type: 'JSON',
      nullable: true,
      description: 'Fields of the event. Null if its bytes could not be decoded.',
    }),
    sourceProgress: t.field(
      reference(
        sourceNode,
        'source',
        'How far its source is read. Null if the source was removed from the index.',
      ),
    ),
  }),
});

const eventWords: Record<EventSource, string> = {
  registry: `An event of the on-chain registry: ${nameRegistryEvents('`')}.`,
  wallet: 'An event of a wallet, its delegates, caps or policy.',
  rules: 'An event of the registry of rules, or of an allowlist.',
  agents: 'An event of the registry of agents.',
  escrow: 'An event of a job.',
};

const buildEventType = (source: EventSource) => ({
  description: eventWords[source],
  interfaces: [eventInterface],
});

/** Returns a field with the object that an event names in a field of its data. */
const buildNamedObjectField = <Node extends { name: string }>(
  node: Node,
  field: string,
  description: string,
) => ({
  ...reference(node, field, description),
  resolve: ({ network, data }: OnNetwork<ChainEvent>): string | null =>
    typeof data?.[field] === 'string' ? nodeId(network, data[field]) : null,
});

/** Returns the canonical form of a type that an event names. Registries accept a type in any form. */
function findCanonicalType({ data }: ChainEvent, field: string): string | undefined {
  const named = parseServiceType(String(data?.[field] ?? ''));
  return 'error' in named ? undefined : named.canonical;
}

eventNodes.registry.implement({
  ...buildEventType('registry'),
  fields: (t) => ({
    adaptor: t.field({
      type: adaptorNode,
      nullable: true,
      description:
        'The entry of the listing as it is now; of an attestation, the entry that the catalog shows for the service. Null ' +
        'without one.',
      extensions: { statement: 'adaptor' },
      resolve(event, _, context) {
        const { network, data } = event;
        const serviceType = findCanonicalType(event, 'serviceType');
        const publisher = typeof data?.publisher === 'string' ? data.publisher : undefined;
        return serviceType === undefined ? null : loadShown(context, { network, serviceType, publisher });
      },
    }),
    listing: t.field({
      type: listingNode,
      nullable: true,
      description:
        'The listing as it is now, whether the catalog shows it or not. Null for an attestation, which is of a service.',
      extensions: { statement: 'listing' },
      resolve(event) {
        const { network, data } = event;
        const { serviceType, publisher } = data ?? {};
        if (typeof serviceType !== 'string' || typeof publisher !== 'string') return null;
        // A type without a canonical form is stored as it was registered.
        return nodeId(network, findCanonicalType(event, 'serviceType') ?? serviceType, publisher);
      },
    }),
  }),
});

eventNodes.wallet.implement({
  ...buildEventType('wallet'),
  fields: (t) => ({
    wallet: t.field(
      buildNamedObjectField(
        walletNode,
        'walletId',
        'The wallet as it is now. Null if the index does not know it.',
      ),
    ),
    cap: t.field(
      buildNamedObjectField(
        capNode,
        'capId',
        'The cap that it is about, as it is now. Null for other events.',
      ),
    ),
    action: t.field({
      type: actionNode,
      nullable: true,
      description: 'The counted use of a service that begins with it. Null for other events.',
      extensions: { statement: 'action' },
      resolve: ({ network, checkpoint, txIndex, eventIndex }) =>
        nodeId(network, checkpoint, txIndex, eventIndex),
    }),
    adaptor: t.field({
      type: adaptorNode,
      nullable: true,
      description: 'The entry that the catalog shows for the service that it names. Null without one.',
      extensions: { statement: 'adaptor' },
      resolve(event, _, context) {
        const serviceType = findCanonicalType(event, 'service');
        return serviceType === undefined ? null : loadShown(context, { network: event.network, serviceType });
      },
    }),
  }),
});

eventNodes.rules.implement({
  ...buildEventType('rules'),
  fields: (t) => ({
    rule: t.field({
      type: ruleNode,
      nullable: true,
      description:
        'The rule as it is now. Null for an event of an allowlist, and if the registry does not show it.',
      extensions: { statement: 'rule' },
      resolve(event) {
        const ruleType = findCanonicalType(event, 'ruleType');
        return ruleType === undefined ? null : nodeId(event.network, ruleType);
      },
    }),
    allowlist: t.field(
      buildNamedObjectField(
        allowlistNode,
        'allowlistId',
        'The allowlist as it is now. Null for an event of a rule.',
      ),
    ),
  }),
});

eventNodes.agents.implement({
  ...buildEventType('agents'),
  fields: (t) => ({
    agent: t.field(
      buildNamedObjectField(agentNode, 'agent', 'The agent as it is now. Null if it is no longer listed.'),
    ),
  }),
});

eventNodes.escrow.implement({
  ...buildEventType('escrow'),
  fields: (t) => ({
    job: t.field(
      buildNamedObjectField(jobNode, 'jobId', 'The job as it is now. Null if the index does not know it.'),
    ),
  }),
});

const eventConnection = builder.connectionObject({ type: eventInterface, name: 'EventConnection' });

const createEventLoader = (source: EventSource) =>
  createConnectionLoader(eventLists[source], withNetwork<ChainEvent>);
const eventLoaders = Object.fromEntries(
  eventSources.map((source) => [source, createEventLoader(source)]),
) as Record<EventSource, ReturnType<typeof createEventLoader>>;

const registryEventFilter = builder.inputType('RegistryEventFilter', {
  description: 'Conditions on events of the registry. An event must meet all of them.',
  fields: (t) => ({
    checkpoint: t.field({ type: checkpointRange, description: 'When, in checkpoints.' }),
    timestampMs: t.field({ type: timeRange, description: 'When.' }),
    sender: t.field({ type: addressFilter, description: 'Sender of the transaction.' }),
  }),
});

builder.queryFields((t) => ({
  registryEvents: t.field({
    type: registryEventConnection,
    extensions: { statement: 'each' },
    description: 'The events of the registry, newest first.',
    args: {
      ...chainArgs,
      filter: t.arg({ type: registryEventFilter, description: 'Conditions.' }),
      ...pagingArgs,
    },
    resolve: (_, { filter, ...args }, context) =>
      eventLoaders.registry(context, {
        network: chooseNetwork(args, context),
        checkpoints: readRange(filter?.checkpoint, 'filter.checkpoint'),
        times: readRange(filter?.timestampMs, 'filter.timestampMs', timeMax),
        senders: readAddresses(filter?.sender, 'filter.sender'),
        ...readPaging(args),
      }),
  }),
  events: t.field({
    type: eventConnection,
    extensions: { statement: 'each' },
    description: 'The events of a source, newest first.',
    args: {
      ...chainArgs,
      source: t.arg({ type: sourceEnum, required: true, description: 'What they were read from.' }),
      filter: t.arg({ type: eventFilter, description: 'Conditions.' }),
      ...pagingArgs,
    },
    resolve(_, { source, filter, ...args }, context) {
      const network = chooseNetwork(args, context, source);
      const checkpoints = readRange(filter?.checkpoint, 'filter.checkpoint');
      return eventLoaders[source](context, { network, checkpoints, ...readPaging(args) });
    },
  }),
}));

/** `true` for a source whose events the graph has. It has none of the source `statements`. */
const hasEvents = (name: string): name is EventSource => eventSources.some((source) => source === name);

sourceNode.implement({
  description: 'Progress of one source of events.',
  fields: (t) => ({
    network: t.exposeString('network', {
      description: 'As `chain`.',
      deprecationReason: 'Use `chain`, whose values are in capitals.',
    }),
    chain: t.expose('network', { type: chainEnum, description: 'Network that it reads.' }),
    name: t.exposeString('name', { description: 'What is read: `registry`, `wallet` and so on.' }),
    chainId: t.exposeString('chainId', { description: 'Id of the chain: of its genesis checkpoint.' }),
    checkpoint: t.expose('checkpoint', {
      type: 'Count',
      nullable: true,
      description: 'Highest checkpoint that is indexed completely. Null before the first.',
    }),
    checkpointMs: t.expose('checkpointAtMs', nullableTime('Its time. Null where that is not known.')),
    chainTip: t.expose('chainTip', {
      type: 'Count',
      nullable: true,
      description: 'Highest checkpoint of the chain, as last heard. Null before that.',
    }),
    secondsLeft: t.expose('secondsLeft', {
      type: 'Count',
      nullable: true,
      description:
        'Estimated seconds until it has caught up with the chain. Null once it has, and while no rate is known.',
    }),
    events: t.expose('eventCount', { type: 'Count', description: 'Events that were read.' }),
    undecodedEvents: t.expose('undecodedCount', {
      type: 'Count',
      description: 'Of these, those whose bytes could not be decoded.',
    }),
    lastError: t.exposeString('lastError', nullable('Why it stopped or is retried. Null while it runs.')),
    stoppedMs: t.expose(
      'stoppedAtMs',
      nullableTime('Time when it stopped because of lastError. Null while it runs or is retried.'),
    ),
    removedMs: t.expose(
      'removedAtMs',
      nullableTime('Time when the operator removed it from the settings. Null while it is indexed.'),
    ),
    latestEvents: t.field({
      ...buildListOptions('events', eventConnection, 'What was read, newest first.'),
      resolve({ network, name }, args, context) {
        const paging = readPaging(args);
        return hasEvents(name)
          ? eventLoaders[name](context, { network, ...paging })
          : emptyConnection(paging);
      },
    }),
  }),
});

builder.queryFields((t) => ({
  sources: t.field({
    type: [sourceNode],
    description: 'Progress of each source of events.',
    extensions: { statement: 'each' },
    resolve: async (_, __, { db }) =>
      (await readIndexState(db)).sources.map((source) => withNetwork(source, source)),
  }),
  source: t.field({
    type: sourceNode,
    nullable: true,
    description: 'Progress of one source of events. Null if it was never indexed.',
    extensions: { statement: 'each' },
    args: {
      ...chainArgs,
      name: t.arg({ type: sourceEnum, required: true, description: 'What is read.' }),
    },
    resolve: (_, { name, ...args }, context) => nodeId(chooseNetwork(args, context), name),
  }),
}));
