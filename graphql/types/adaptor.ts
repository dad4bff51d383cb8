import { type Network, networks } from '@adaptor-marketplace/adaptor/networks';
import { z } from 'zod';
import type { AlikeName, ListedEntry } from '../../db/queries/catalog/entry.ts';
import { type EntryKey, readListedEntries } from '../../db/queries/catalog/find.ts';
import { type HistoryKey, readEvents, readVersions } from '../../db/queries/history.ts';
import { builder } from '../builder.ts';
import type { GraphContext } from '../context.ts';
import { pagingArgs, readPaging, toConnection } from '../paging.ts';
import { networkEnum } from './enums.ts';
import { eventConnection, versionConnection } from './history.ts';
import { manifestType } from './manifest.ts';
import { usageType } from './usage.ts';
import { witnessWarningType } from './witness-warning.ts';

export type Adaptor = ListedEntry & { network: Network };

const reviewsType = builder.objectRef<ListedEntry['reviews']>('Reviews').implement({
  description:
    "Each attester's latest score, 1 to 5; verified ones are by those who used the service before.",
  fields: (t) => ({
    count: t.exposeInt('count'),
    avg: t.exposeFloat('avg', { nullable: true }),
    verifiedCount: t.exposeInt('verifiedCount'),
    verifiedAvg: t.exposeFloat('verifiedAvg', { nullable: true }),
    lastMs: t.expose('lastMs', { type: 'Milliseconds', nullable: true }),
  }),
});

const alikeNameType = builder.objectRef<AlikeName>('AlikeName').implement({
  description: 'An adaptor by another service type, whose name looks like that of the one that shows it.',
  fields: (t) => ({
    serviceType: t.exposeString('serviceType'),
    publisher: t.exposeString('publisher'),
    name: t.exposeString('name'),
    firstListedAtMs: t.expose('firstListedAtMs', { type: 'Milliseconds' }),
    usage: t.expose('usage', { type: usageType }),
  }),
});

const idShape = z.tuple([z.enum(networks), z.string().max(256), z.string().max(66)]);

/** An id that is none of ours names no adaptor, as any id of one that is gone. */
function parseId(id: string): EntryKey {
  try {
    const [network, serviceType, publisher] = idShape.parse(JSON.parse(id));
    return { network, serviceType, publisher };
  } catch {
    return { network: '', serviceType: '' };
  }
}

/** Reads many adaptors in one round trip; null where the catalog has none. */
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
      description: 'What the bytecode says against granting to the service; empty where nothing does.',
    }),
    firstListedAtMs: t.expose('firstListedAtMs', {
      type: 'Milliseconds',
      description: 'First registration by this publisher.',
    }),
    alikeNames: t.expose('alikeNames', {
      type: [alikeNameType],
      description:
        'Entries of verified publishers whose names look like this one: the five first listed. Compare when each was first ' +
        'listed, and how much it is used.',
    }),
    versions: t.loadable({
      type: versionConnection,
      description: 'Every version, the newest first.',
      extensions: { statement: 'versions' },
      args: pagingArgs,
      loaderOptions,
      resolve: (adaptor, args) => historyKey(adaptor, args),
      load: async (keys: HistoryKey[], { db }) =>
        (await readVersions(db, keys)).map((page, at) => toConnection(page, keys[at]?.after)),
    }),
    events: t.loadable({
      type: eventConnection,
      description: "The listing's events and its attestations, the newest first.",
      extensions: { statement: 'events' },
      args: pagingArgs,
      loaderOptions,
      resolve: (adaptor, args) => historyKey(adaptor, args),
      load: async (keys: HistoryKey[], { db }) =>
        (await readEvents(db, keys)).map((page, at) => toConnection(page, keys[at]?.after)),
    }),
  }),
});
