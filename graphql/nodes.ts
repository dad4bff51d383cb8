import { type Network, networks, normalizeAddress, parseServiceType } from '@adaptor-marketplace/adaptor';
import DataLoader from 'dataloader';
import { z } from 'zod';
import { readAgentsAt } from '../db/queries/agents.ts';
import type { EntryExtras } from '../db/queries/catalog/entry.ts';
import { readListedEntries } from '../db/queries/catalog/find.ts';
import { readListingStandings } from '../db/queries/catalog/listing.ts';
import { headKeys } from '../db/queries/catalog/manifests.ts';
import { type EventSource, eventSources, readEventsAt } from '../db/queries/events.ts';
import { readJobs } from '../db/queries/jobs.ts';
import { readIntegrators, readPublishers } from '../db/queries/publishers.ts';
import type { Queryable } from '../db/queries/queryable.ts';
import { readRules } from '../db/queries/rules.ts';
import { readIndexState } from '../db/queries/state.ts';
import { readActionsAt } from '../db/queries/wallets/actions.ts';
import { readAllowlists } from '../db/queries/wallets/allowlists.ts';
import { readCapsById } from '../db/queries/wallets/caps.ts';
import { readPolicies } from '../db/queries/wallets/policies.ts';
import { readWallets } from '../db/queries/wallets/wallets.ts';
import { invalidArgument } from './arguments.ts';
import { builder, type GraphContext, nodeTypes } from './builder.ts';
import { batched, memoizeByContext } from './connections.ts';
import { type Manifests, takeFields } from './manifests.ts';

export type OnNetwork<Item> = Item & { network: Network };

/** An item of a list, in the network of the list. */
export const withNetwork = <Item>(item: Item, { network }: { network: string }): OnNetwork<Item> => ({
  ...item,
  network: network as Network,
});

/** The parts of an id behind the network. */
type IdParts = readonly (string | number)[];

const addressShape = z.string().refine((text) => text.startsWith('0x') && normalizeAddress(text) === text);
const typeShape = z.string().refine((text) => {
  const named = parseServiceType(text);
  return !('error' in named) && named.canonical === text;
});
const textShape = (lengthMax: number) =>
  z
    .string()
    .min(1)
    .max(lengthMax)
    .refine((text) => !text.includes('\0') && text.isWellFormed());
const nameShape = textShape(256);
const checkpointShape = z.int().min(0);
const indexShape = checkpointShape.max(2 ** 31 - 1);
const positionShape = z.tuple([checkpointShape, indexShape, indexShape]);

/** Returns the id of a node: its network and its key in that network. Relations resolve to the same id. */
export const nodeId = (network: string, ...parts: IdParts): string => JSON.stringify([network, ...parts]);

/** Defines a type whose objects have ids. The objects that one level of a query selects share one statement. */
function defineNode<Tuple extends IdParts, Key extends object, Item extends Key>(
  typeName: string,
  node: {
    shape: z.ZodType<Tuple>;
    /** Source that must be indexed. Without it, an empty response would be wrong. */
    source?: EventSource;
    toKey(parts: Tuple): Key;
    toParts(item: Key): Tuple;
    /** Resolves to undefined or null for an object that does not exist. */
    read(
      db: Queryable,
      keys: readonly OnNetwork<NoInfer<Key>>[],
      context: GraphContext,
    ): Promise<readonly (Item | null | undefined)[]>;
  },
) {
  nodeTypes.add(typeName);
  const keyShape = z.tuple([z.enum(networks)], z.unknown());
  function parse(id: string): OnNetwork<Key> {
    const [network, ...parts] = keyShape.parse(JSON.parse(id));
    return { ...node.toKey(node.shape.parse(parts)), network };
  }
  async function load(ids: readonly string[], context: GraphContext) {
    const keys = ids.map(parse);
    const items = await node.read(context.db, keys, context);
    // An object that does not exist is null, which the types of the loader do not allow.
    return items.map(
      (item, at) => (item ? { ...item, network: keys[at]!.network } : null) as OnNetwork<Item>,
    );
  }
  const getLoader = memoizeByContext(
    (context) => new DataLoader((ids: readonly string[]) => load(ids, context)),
  );
  const ref = builder.loadableNodeRef<OnNetwork<Item>>(typeName, {
    id: {
      resolve: (item) => nodeId(item.network, ...node.toParts(item)),
      parse(id, { choose, requireSource }: GraphContext) {
        const key = parseArgument(id);
        choose(key.network);
        if (node.source) requireSource(key.network, node.source);
        return nodeId(key.network, ...node.toParts(key));
      },
    },
    load,
  });
  // The plugin's own function holds the loaders in a WeakMap.
  const getDataloader = getLoader as typeof ref.getDataloader;
  ref.getDataloader = getDataloader;
  ref.updateConfig((config) => ({ ...config, extensions: { ...config.extensions, getDataloader } }));
  return ref;

  /** @throws ProblemError 400 for an id that is not one of this type */
  function parseArgument(id: string) {
    try {
      return parse(id);
    } catch {
      throw invalidArgument([{ path: 'id', message: `expected the id of an object of type ${typeName}` }]);
    }
  }
}

/** Returns the options of a type whose objects have a single text as key in their network. */
const keyedByText = <Field extends string>(field: Field, shape: z.ZodType<string>) => ({
  shape: z.tuple([shape]),
  toKey: ([value]: [string]) => ({ [field]: value }) as Record<Field, string>,
  toParts: (item: Record<Field, string>): [string] => [item[field]],
});

/** Returns a field with the object whose key is in a field of its parent. Null if the key is null. */
export function reference<Node extends { name: string }, Field extends string>(
  node: Node,
  field: Field,
  description: string,
) {
  return {
    type: node,
    nullable: true as const,
    description,
    extensions: { statement: node.name.toLowerCase() },
    resolve(item: OnNetwork<Record<Field, string | null>>) {
      const key = item[field];
      return key === null ? null : nodeId(item.network, key);
    },
  };
}

interface ListingKey {
  serviceType: string;
  publisher: string;
}
const keyedByListing = {
  toKey: ([serviceType, publisher]: [string, string]): ListingKey => ({ serviceType, publisher }),
  toParts: ({ serviceType, publisher }: ListingKey): [string, string] => [serviceType, publisher],
};

export const adaptorNode = defineNode('Adaptor', {
  ...keyedByListing,
  shape: z.tuple([typeShape, nameShape]),
  read: (db, keys, { manifests }) => readEntries(db, keys, manifests, allExtras),
});

/** All that can be read with an entry, for queries whose selection is not known. */
const allExtras: EntryExtras = { fields: headKeys, alikeNames: true };

/** Reads entries of the catalog. Manifest fields that come with them are cached for the resolvers that show them. */
async function readEntries(
  db: Queryable,
  keys: Parameters<typeof readListedEntries>[1],
  manifests: Manifests,
  extras: EntryExtras,
) {
  const entries = await readListedEntries(db, keys, extras);
  return entries.map((entry) => entry && takeFields(manifests, entry));
}

type ShownListingKey = OnNetwork<{ serviceType: string; publisher?: string | undefined }>;

const loadShownEntry = batched(
  async (db, keys: readonly (ShownListingKey & { extras: EntryExtras })[], { manifests }) => {
    const fields = [...new Set(keys.flatMap(({ extras }) => extras.fields))];
    const alikeNames = keys.some(({ extras }) => extras.alikeNames);
    const entries = await readEntries(db, keys, manifests, { fields, alikeNames });
    return entries.map((entry, at) => entry && { ...entry, network: keys[at]!.network });
  },
);

/** Loads the entry of a publisher, or else the one that the catalog shows for the service type. Null without one. */
export const loadShown = async (
  context: GraphContext,
  { network, serviceType, publisher }: ShownListingKey,
  extras = allExtras,
) => (await loadShownEntry(context, { network, serviceType, publisher, extras })) ?? null;

export const shownAdaptor = {
  type: adaptorNode,
  nullable: true,
  description: 'The entry that the catalog shows for the service. Null without one.',
  extensions: { statement: 'adaptor' },
  resolve: ({ network, serviceType }: OnNetwork<{ serviceType: string }>, _: object, context: GraphContext) =>
    loadShown(context, { network, serviceType }),
} as const;

export const listingNode = defineNode('Listing', {
  ...keyedByListing,
  // A service type that cannot be made canonical is stored as it was registered.
  shape: z.tuple([textShape(4_096), nameShape]),
  read: readListingStandings,
});

export const publisherNode = defineNode('Publisher', {
  ...keyedByText('address', addressShape),
  read: readPublishers,
});

export const integratorNode = defineNode('Integrator', {
  ...keyedByText('name', nameShape),
  read: readIntegrators,
});

export const walletNode = defineNode('Wallet', {
  ...keyedByText('walletId', addressShape),
  source: 'wallet',
  read: readWallets,
});

export const walletField = reference(
  walletNode,
  'walletId',
  'The wallet. Null if the index does not know it.',
);

export const capNode = defineNode('Cap', {
  ...keyedByText('capId', addressShape),
  source: 'wallet',
  read: readCapsById,
});

/** Loads the policies of wallets, with one statement per network. */
async function loadPolicies(db: Queryable, keys: readonly OnNetwork<{ walletId: string }>[]) {
  const perNetwork = [...Map.groupBy(keys, ({ network }) => network)].map(async ([network, keysThere]) => {
    const walletIds = keysThere.map(({ walletId }) => walletId);
    return [network, await readPolicies(db, { network, walletIds, capIds: [] })] as const;
  });
  const policiesByNetwork = new Map(await Promise.all(perNetwork));
  return keys.map(({ network, walletId }) => {
    const { policies, tooLong } = policiesByNetwork.get(network)!;
    const policy = policies.get(walletId);
    if (!policy) return null;
    /** Null if the list is too long for one answer. */
    const recipients = tooLong.has(walletId) ? null : (policy.allowlist?.recipients ?? null);
    return { ...policy, recipients };
  });
}

export const policyNode = defineNode('Policy', {
  ...keyedByText('walletId', addressShape),
  source: 'wallet',
  read: loadPolicies,
});

export const allowlistNode = defineNode('Allowlist', {
  ...keyedByText('allowlistId', addressShape),
  source: 'wallet',
  read: readAllowlists,
});

export const ruleNode = defineNode('Rule', {
  ...keyedByText('ruleType', typeShape),
  source: 'rules',
  read: readRules,
});

export const agentNode = defineNode('Agent', {
  ...keyedByText('address', addressShape),
  source: 'agents',
  read: readAgentsAt,
});

export const jobNode = defineNode('Job', {
  ...keyedByText('jobId', addressShape),
  source: 'escrow',
  read: readJobs,
});

type PositionParts = [checkpoint: number, txIndex: number, eventIndex: number];
interface Position {
  checkpoint: number;
  txIndex: number;
  eventIndex: number;
}
const keyedByPosition = {
  shape: positionShape,
  toKey: ([checkpoint, txIndex, eventIndex]: PositionParts): Position => ({
    checkpoint,
    txIndex,
    eventIndex,
  }),
  toParts: ({ checkpoint, txIndex, eventIndex }: Position): PositionParts => [
    checkpoint,
    txIndex,
    eventIndex,
  ],
};

export const actionNode = defineNode('ServiceAction', {
  ...keyedByPosition,
  source: 'wallet',
  read: readActionsAt,
});

export const eventTypeNames: Readonly<Record<EventSource, string>> = {
  registry: 'RegistryEvent',
  wallet: 'WalletEvent',
  rules: 'RuleEvent',
  agents: 'AgentEvent',
  escrow: 'EscrowEvent',
};

const defineEventNode = (source: EventSource) =>
  defineNode(eventTypeNames[source], {
    ...keyedByPosition,
    source,
    async read(db: Queryable, keys: readonly OnNetwork<Position>[]) {
      const events = await readEventsAt(db, keys);
      return events.map((event) => (event?.source === source ? event : null));
    },
  });

export const eventNodes = Object.fromEntries(
  eventSources.map((source) => [source, defineEventNode(source)]),
) as Record<EventSource, ReturnType<typeof defineEventNode>>;

/** The field `event` of objects that an event of the given source created. */
export const buildEventField = (source: EventSource, description = 'The event that it was read from.') => ({
  type: eventNodes[source],
  nullable: true as const,
  description,
  extensions: { statement: 'event' },
  resolve: ({ network, checkpoint, txIndex, eventIndex }: OnNetwork<Position>) =>
    nodeId(network, checkpoint, txIndex, eventIndex),
});

export const sourceNode = defineNode('Source', {
  ...keyedByText('name', nameShape),
  async read(db: Queryable, keys: readonly OnNetwork<{ name: string }>[]) {
    const { sources } = await readIndexState(db);
    return keys.map(({ network, name }) =>
      sources.find((source) => source.network === network && source.name === name),
    );
  },
});

export const adaptorConnection = builder.connectionObject({
  type: adaptorNode,
  name: 'AdaptorConnection',
  fields: (t) => ({
    // The field has no statement of its own: the statement of the page counts too.
    totalCount: t.int({
      description:
        'Number of matching entries on all pages, counted up to 10,000; of a search in a catalog with more than 10,000 entries, up to 1,000. Counted only if you request it.',
      resolve: ({ total }) => total(),
    }),
  }),
});
export const walletConnection = builder.connectionObject({ type: walletNode, name: 'WalletConnection' });
export const jobConnection = builder.connectionObject({ type: jobNode, name: 'JobConnection' });
export const listingConnection = builder.connectionObject({ type: listingNode, name: 'ListingConnection' });
export const ruleConnection = builder.connectionObject({ type: ruleNode, name: 'RuleConnection' });
export const actionConnection = builder.connectionObject({
  type: actionNode,
  name: 'ServiceActionConnection',
});
export const registryEventConnection = builder.connectionObject({
  type: eventNodes.registry,
  name: 'RegistryEventConnection',
});
