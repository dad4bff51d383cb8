import { type Network, networks } from '@adaptor-marketplace/adaptor';
import type { WitnessWarning } from '@adaptor-marketplace/adaptor/introspect';
import { type OpFault, type OpMisfit, opFaultCodes } from '@adaptor-marketplace/adaptor/manifest';
import { z } from 'zod';
import type { AlikeName, ListedEntry, PendingVersion } from '../db/queries/catalog/entry.ts';
import { type EntryKey, readListedEntries } from '../db/queries/catalog/find.ts';
import {
  type HistoryKey,
  type ListingVersion,
  type RegistryEvent,
  readEvents,
  readVersions,
} from '../db/queries/history.ts';
import { readUsage, type Usage, type UsageKey } from '../db/queries/usage.ts';
import { pagingArgs, parseIdentity, readPaging, toConnection } from './arguments.ts';
import { builder, type GraphContext, networkEnum } from './builder.ts';
import { type ManifestHead, type Operation, withReasons } from './manifests.ts';

export const witnessWarningType = builder.objectRef<WitnessWarning>('WitnessWarning').implement({
  description: 'A reason not to grant to a witness.',
  fields: (t) => ({
    code: t.exposeString('code', {
      description:
        '`witness_returned`, `witness_has_more_than_drop`, `witness_not_usable` or `witness_unchecked`. Others may be added.',
    }),
    detail: t.exposeString('detail', { description: 'Explanation, and what to do.' }),
  }),
});

const usageType = builder.objectRef<Usage>('Usage').implement({
  description: 'Use by wallets, counted on chain.',
  fields: (t) => ({
    actions: t.expose('actions', { type: 'Count' }),
    uniqueVaults: t.expose('uniqueVaults', { type: 'Count' }),
    lastActionMs: t.expose('lastActionMs', { type: 'Milliseconds', nullable: true }),
  }),
});

builder.queryFields((t) => ({
  usage: t.loadable({
    type: usageType,
    extensions: { statement: 'usage' },
    description: 'Use of a service, which need not be in the catalog.',
    args: { network: t.arg({ type: networkEnum }), serviceType: t.arg.string({ required: true }) },
    loaderOptions: { cacheKeyFn: (key: UsageKey) => JSON.stringify(Object.values(key)) },
    resolve: (_, { network, serviceType }, { choose }) => ({
      network: choose(network ?? undefined),
      serviceType: parseIdentity({ serviceType }).serviceType,
    }),
    load: (keys: UsageKey[], { db }) => readUsage(db, keys),
  }),
}));

const versionType = builder.objectRef<ListingVersion>('AdaptorVersion').implement({
  description: 'State of a listing after a registration, an update or an unlisting.',
  fields: (t) => ({
    version: t.exposeInt('version'),
    listed: t.exposeBoolean('listed', { description: 'False after an unlisting.' }),
    packageId: t.exposeString('packageId', { nullable: true }),
    manifestUri: t.exposeString('manifestUri', { nullable: true }),
    manifestHash: t.exposeString('manifestHash', { nullable: true }),
    timestampMs: t.expose('timestampMs', { type: 'Milliseconds' }),
    checkpoint: t.expose('checkpoint', { type: 'Count' }),
  }),
});

const eventType = builder.objectRef<RegistryEvent>('RegistryEvent').implement({
  description: 'An event of the on-chain registry.',
  fields: (t) => ({
    eventId: t.exposeString('id', { description: '`<transaction digest>:<event index>`.' }),
    name: t.exposeString('name', { description: '`Registered`, `Updated`, `Unlisted` or `Attested`.' }),
    type: t.exposeString('type'),
    sender: t.exposeString('sender'),
    txDigest: t.exposeString('txDigest'),
    checkpoint: t.expose('checkpoint', { type: 'Count' }),
    timestampMs: t.expose('timestampMs', { type: 'Milliseconds' }),
    data: t.expose('data', {
      type: 'JSON',
      nullable: true,
      description: 'Fields of the event. Null if its bytes could not be decoded.',
    }),
  }),
});

const versionConnection = builder.connectionObject({
  type: versionType,
  name: 'AdaptorVersionConnection',
});
const eventConnection = builder.connectionObject({ type: eventType, name: 'RegistryEventConnection' });

const opFaultType = builder.objectRef<OpFault>('OpFault').implement({
  description: 'Why an operation is not executable.',
  fields: (t) => ({
    code: t.exposeString('code', { description: `One of ${opFaultCodes.join(', ')}. Others may be added.` }),
    detail: t.exposeString('detail', { description: 'The field, and what is wrong with it.' }),
  }),
});

const operation = builder.objectRef<Operation>('Operation').implement({
  description: 'An operation of an adaptor. A field that is missing or invalid in the manifest is null.',
  fields: (t) => ({
    kind: t.exposeString('kind', { nullable: true }),
    module: t.exposeString('module', { nullable: true }),
    entry: t.exposeString('entry', { nullable: true, description: 'Function name.' }),
    label: t.exposeString('label', { nullable: true }),
    intentMode: t.exposeString('intentMode', { nullable: true }),
    call: t.expose('call', {
      type: 'JSON',
      nullable: true,
      description: 'How to call the function. Null if the operation is not executable.',
    }),
    executable: t.boolean({ resolve: ({ reason }) => reason === null }),
    reason: t.expose('reason', {
      type: opFaultType,
      nullable: true,
      description: 'Why it is not executable. Null if it is.',
    }),
  }),
});

/** A manifest by its hash. Its fields load only the parts that a query requests. */
interface ManifestKey {
  hash: string;
  /** Faults of its ops that only the package shows. */
  misfits: readonly OpMisfit[];
}

/** Resolves a field of the manifest's head. All of them share one statement. */
const fromHead =
  <Key extends keyof ManifestHead>(key: Key) =>
  async ({ hash }: ManifestKey, _args: object, { manifests }: GraphContext): Promise<ManifestHead[Key]> =>
    (await manifests.head(hash))[key];

const byHead = { extensions: { statement: 'manifest head' } };
const optional = { ...byHead, nullable: true } as const;

const manifestType = builder.objectRef<ManifestKey>('Manifest').implement({
  description: 'The description of the adaptor by its publisher. Its bytes match the hash in the registry.',
  fields: (t) => ({
    name: t.string({ ...byHead, resolve: fromHead('name') }),
    category: t.string({
      ...byHead,
      description: '1 to 40 characters.',
      resolve: fromHead('category'),
    }),
    summary: t.string({ ...byHead, resolve: fromHead('summary') }),
    serviceType: t.string({ ...byHead, resolve: fromHead('serviceType') }),
    packageId: t.string({ ...byHead, resolve: fromHead('packageId') }),
    ops: t.field({
      type: [operation],
      extensions: { statement: 'manifest ops' },
      resolve: async ({ hash, misfits }, _, { manifests }) =>
        withReasons(await manifests.ops(hash), hash, misfits),
    }),
    supportedCoins: t.stringList({ ...optional, resolve: fromHead('supportedCoins') }),
    feeBps: t.int({ ...optional, resolve: fromHead('feeBps') }),
    feeRecipient: t.string({ ...optional, resolve: fromHead('feeRecipient') }),
    integrator: t.string({ ...optional, resolve: fromHead('integrator') }),
    networks: t.field({ ...optional, type: [networkEnum], resolve: fromHead('networks') }),
    docsUrl: t.string({ ...optional, resolve: fromHead('docsUrl') }),
    repoUrl: t.string({ ...optional, resolve: fromHead('repoUrl') }),
    auditUrl: t.string({ ...optional, resolve: fromHead('auditUrl') }),
    appUrl: t.string({ ...optional, resolve: fromHead('appUrl') }),
    glyph: t.string({ ...optional, resolve: fromHead('glyph') }),
    json: t.field({
      type: 'JSON',
      description: 'The whole manifest as hashed, with the keys that have no field here.',
      extensions: { statement: 'manifest' },
      resolve: ({ hash }, _, { manifests }) => manifests.whole(hash),
    }),
  }),
});

type Adaptor = ListedEntry & { network: Network };

const reviewsType = builder.objectRef<ListedEntry['reviews']>('Reviews').implement({
  description:
    'The latest score of each attester, 1 to 5. Verified scores are from attesters who used the service before.',
  fields: (t) => ({
    count: t.exposeInt('count'),
    avg: t.exposeFloat('avg', { nullable: true }),
    verifiedCount: t.exposeInt('verifiedCount'),
    verifiedAvg: t.exposeFloat('verifiedAvg', { nullable: true }),
    lastMs: t.expose('lastMs', { type: 'Milliseconds', nullable: true }),
  }),
});

const alikeNameType = builder.objectRef<AlikeName>('AlikeName').implement({
  description: 'An adaptor of another service type with a similar name.',
  fields: (t) => ({
    serviceType: t.exposeString('serviceType'),
    publisher: t.exposeString('publisher'),
    name: t.exposeString('name'),
    firstListedAtMs: t.expose('firstListedAtMs', { type: 'Milliseconds' }),
    usage: t.expose('usage', { type: usageType }),
  }),
});

const pendingVersionType = builder.objectRef<PendingVersion>('PendingVersion').implement({
  description: 'A registered version that is not verified yet.',
  fields: (t) => ({
    version: t.exposeInt('version'),
    packageId: t.exposeString('packageId'),
    manifestUri: t.exposeString('manifestUri'),
    state: t.exposeString('state', {
      description:
        '`pending`: to be fetched and checked. `unreachable`: its manifest could not be fetched. Others may be added.',
    }),
  }),
});

const idShape = z.tuple([z.enum(networks), z.string().max(256), z.string().max(66)]);

/** Parses a node id. An invalid id becomes a key without an adaptor, like the id of a removed adaptor. */
function parseId(id: string): EntryKey {
  try {
    const [network, serviceType, publisher] = idShape.parse(JSON.parse(id));
    return { network, serviceType, publisher };
  } catch {
    return { network: '', serviceType: '' };
  }
}

/** Loads adaptors in one round trip. Null for keys without an adaptor in the catalog. */
export async function loadAdaptors(
  keys: readonly EntryKey[],
  { db }: GraphContext,
): Promise<(Adaptor | null)[]> {
  const entries = await readListedEntries(db, keys);
  return entries.map((entry, at) => {
    const network = networks.find((name) => name === keys[at]?.network);
    return entry && network ? { ...entry, network } : null;
  });
}

type HistoryArgs = Parameters<typeof readPaging>[0];

const historyKey = ({ network, serviceType, publisher }: Adaptor, args: HistoryArgs): HistoryKey => ({
  network,
  serviceType,
  publisher,
  ...readPaging(args),
});
const loaderOptions = { cacheKeyFn: (key: HistoryKey) => JSON.stringify(Object.values(key)) };

export const adaptorType = builder.node(builder.objectRef<Adaptor>('Adaptor'), {
  description: 'An adaptor in the catalog.',
  id: {
    resolve: ({ network, serviceType, publisher }) => JSON.stringify([network, serviceType, publisher]),
  },
  loadMany: (ids: string[], context) => loadAdaptors(ids.map(parseId), context),
  fields: (t) => ({
    network: t.expose('network', { type: networkEnum }),
    serviceType: t.exposeString('serviceType'),
    packageId: t.exposeString('packageId'),
    publisher: t.exposeString('publisher'),
    publisherVerified: t.exposeBoolean('publisherVerified', {
      description: 'The publisher published the package or owns its UpgradeCap.',
    }),
    manifestUri: t.exposeString('manifestUri'),
    manifestHash: t.exposeString('manifestHash'),
    version: t.exposeInt('version'),
    updatedAtMs: t.expose('updatedAtMs', { type: 'Milliseconds' }),
    manifest: t.field({
      type: manifestType,
      resolve: ({ manifestHash: hash, misfits }) => ({ hash, misfits }),
    }),
    manifestVerified: t.exposeBoolean('manifestVerified'),
    source: t.exposeString('source'),
    usage: t.expose('usage', { type: usageType }),
    reviews: t.expose('reviews', { type: reviewsType }),
    warnings: t.expose('warnings', {
      type: [witnessWarningType],
      description: 'Reasons in the bytecode not to grant to the service. Empty if there are none.',
    }),
    firstListedAtMs: t.expose('firstListedAtMs', {
      type: 'Milliseconds',
      description: 'First registration by this publisher.',
    }),
    alikeNames: t.expose('alikeNames', {
      type: [alikeNameType],
      description:
        'Entries of verified publishers with names similar to this one: the five that were listed first. Compare their ' +
        'first listing and their usage.',
    }),
    pending: t.expose('pending', {
      type: pendingVersionType,
      nullable: true,
      description:
        'A newer version. The entry shows the last verified one until the newer one is verified too.',
    }),
    versions: t.loadable({
      type: versionConnection,
      description: 'All versions, newest first.',
      extensions: { statement: 'versions' },
      args: pagingArgs,
      loaderOptions,
      resolve: (adaptor, args) => historyKey(adaptor, args),
      load: async (keys: HistoryKey[], { db }) =>
        (await readVersions(db, keys)).map((page, at) => toConnection(page, keys[at]?.after)),
    }),
    events: t.loadable({
      type: eventConnection,
      description: 'Events of the listing and its attestations, newest first.',
      extensions: { statement: 'events' },
      args: pagingArgs,
      loaderOptions,
      resolve: (adaptor, args) => historyKey(adaptor, args),
      load: async (keys: HistoryKey[], { db }) =>
        (await readEvents(db, keys)).map((page, at) => toConnection(page, keys[at]?.after)),
    }),
  }),
});
