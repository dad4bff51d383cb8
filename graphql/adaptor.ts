import { parseServiceType } from '@adaptor-marketplace/adaptor';
import type { GraphQLResolveInfo } from 'graphql';
import type { EntryExtras, EntryWithHead } from '../db/queries/catalog/entry.ts';
import {
  type AlikeName,
  alikeName,
  catalogEntry,
  pendingVersion,
} from '../db/queries/catalog/entry-schema.ts';
import { readListed } from '../db/queries/catalog/list.ts';
import { readListingStandings } from '../db/queries/catalog/listing.ts';
import { headKeys } from '../db/queries/catalog/manifests.ts';
import { catalogFilter, sourceMatchesDescription } from '../db/queries/catalog/query.ts';
import { parseCatalogCursor } from '../db/queries/catalog/sorts.ts';
import { readAhead } from './ahead.ts';
import {
  chainArgs,
  chooseNetwork,
  pagingArgs,
  parseAddress,
  parseFilter,
  parseIdentity,
  readPaging,
} from './arguments.ts';
import { builder, networkEnum, orderEnum, sortEnum } from './builder.ts';
import { canaryStateEnum } from './canaries.ts';
import { supportedCoinType } from './coins.ts';
import { batched, checkCursor, toConnection } from './connections.ts';
import { readBytesMax } from './execution/answer-size.ts';
import { registeredInterface, registeredLists, reviewsType } from './listing.ts';
import { manifestType, manifestWarningType, operationType, witnessWarningType } from './manifest.ts';
import { takeFields, withChecked } from './manifests.ts';
import {
  adaptorConnection,
  adaptorNode,
  integratorNode,
  listingNode,
  loadShown,
  nodeId,
  withNetwork,
} from './nodes.ts';
import { verdictEnum } from './package-source.ts';
import { publisherDomainType } from './profile.ts';
import { defineSchemaType, exposeFields } from './schema-fields.ts';
import { listSelectedFields } from './selection.ts';
import { usageType, usedInterface } from './usage.ts';

const alikeNameType = builder.objectRef<AlikeName & { network: string }>('AlikeName').implement({
  description: alikeName.description!,
  fields: (t) => ({
    ...exposeFields(t, alikeName, { usage: usageType }),
    adaptor: t.field({
      type: adaptorNode,
      nullable: true,
      description: 'Its entry.',
      extensions: { statement: 'adaptor' },
      resolve: ({ network, serviceType, publisher }) => nodeId(network, serviceType, publisher),
    }),
  }),
});

/** Coins of an entry that the graph shows with their metadata. */
const coinsMax = 32;

/** Fields of an entry that have a field of their own below, or that an interface declares. */
const omittedFields = {
  serviceType: true,
  publisher: true,
  manifest: true,
  manifestWarnings: true,
  publishedFields: true,
  notExecutable: true,
  opCoins: true,
  alikeNames: true,
} as const;

adaptorNode.implement({
  description: 'An adaptor in the catalog.',
  interfaces: [registeredInterface, usedInterface],
  fields: (t) => ({
    network: t.expose('network', {
      type: networkEnum,
      description: 'As `chain`.',
      deprecationReason: 'Use `chain`, whose values are in capitals.',
    }),
    ...exposeFields(t, catalogEntry.omit(omittedFields), {
      usage: usageType,
      reviews: reviewsType,
      warnings: [witnessWarningType],
      pending: defineSchemaType('PendingVersion', pendingVersion),
      publisherDomain: publisherDomainType,
      sourceVerdict: verdictEnum,
      canaryState: canaryStateEnum,
    }),
    manifest: t.field({
      type: manifestType,
      description: 'What the publisher says about the adaptor.',
      resolve: ({ manifestHash: hash, misfits, settledCoins }) => ({ hash, misfits, settledCoins }),
    }),
    manifestWarnings: t.field({
      type: [manifestWarningType],
      description: 'Fields of the manifest that are shown otherwise than published. Empty if there are none.',
      resolve: ({ manifestWarnings }) => manifestWarnings ?? [],
    }),
    coins: t.field({
      type: [supportedCoinType],
      description: `The first ${coinsMax} coins that the manifest names, with how amounts of them are shown. Empty if it takes any coin.`,
      extensions: { statement: 'manifest head' },
      async resolve({ network, manifestHash }, _, { manifests }) {
        const named = (await manifests.field(manifestHash, 'supportedCoins')) ?? [];
        if (named.includes('*')) return [];
        return named.slice(0, coinsMax).map((coinType) => ({ network, coinType }));
      },
    }),
    operations: t.field({
      type: [operationType],
      description: 'The operations of the manifest.',
      extensions: { statement: 'manifest ops' },
      resolve: async ({ manifestHash: hash, ...checked }, _, { manifests }) =>
        withChecked(await manifests.ops(hash), hash, checked),
    }),
    alikeNames: t.field({
      type: [alikeNameType],
      description: catalogEntry.shape.alikeNames.description!,
      resolve: ({ alikeNames, network }) => alikeNames.map((name) => ({ ...name, network })),
    }),
    integrator: t.field({
      type: integratorNode,
      nullable: true,
      description: 'The partner that the manifest names. Null if it names none.',
      extensions: { statement: 'integrator' },
      async resolve({ network, manifestHash }, _, { manifests }) {
        const integrator = await manifests.field(manifestHash, 'integrator');
        return integrator == null ? null : nodeId(network, integrator);
      },
    }),
    successor: t.field({
      type: adaptorNode,
      nullable: true,
      description:
        'The adaptor that the catalog shows for the successor in the manifest. Null if the adaptor is not deprecated, names ' +
        'no other one, or the catalog does not show that one, and for a publisher that is not verified: anyone can list a ' +
        'service type of another one, and name a successor.',
      extensions: { statement: 'adaptor' },
      async resolve({ network, serviceType, publisherVerified, manifestHash }, _, context) {
        if (!publisherVerified) return null;
        const { manifests } = context;
        if ((await manifests.field(manifestHash, 'deprecated')) == null) return null;
        const named = parseServiceType((await manifests.field(manifestHash, 'successor')) ?? '');
        if ('error' in named || named.canonical === serviceType) return null;
        return await loadShown(context, { network, serviceType: named.canonical });
      },
    }),
    listing: t.field({
      type: listingNode,
      description: 'The listing as registered, with its newest version.',
      extensions: { statement: 'listing' },
      resolve: ({ network, serviceType, publisher }) => nodeId(network, serviceType, publisher),
    }),
  }),
});

const filterInput = builder.inputType('AdaptorFilter', {
  description: 'Conditions on listings. A listing must meet all of them.',
  fields: (t) => ({
    q: t.string({
      description:
        'Words to search for in name, summary, integrator, service type, names of the publisher and of coins, with one typo ' +
        'from five letters on. All must occur. The id of a package or a publisher is a word too.',
    }),
    category: t.string({ description: 'Exact category, such as Swap or Lend.' }),
    coin: t.string({
      description: 'Coin type that the adaptor supports, by name or because it takes any coin.',
    }),
    publisher: t.string({ description: 'Address that registered the listing.' }),
    integrator: t.string({ description: 'Exact integrator id.' }),
    serviceTypes: t.stringList({ description: 'Any of these service types, at most 100.' }),
    alike: t.string({
      description:
        'A name. Finds listings whose names look like it, with characters that are easily confused.',
    }),
    sourceMatches: t.boolean({ description: sourceMatchesDescription }),
    canary: t.field({ type: canaryStateEnum, description: catalogFilter.shape.canary.description! }),
    includeUnverified: t.boolean({
      description:
        'Include listings whose publisher is not verified, and listings that come after one of the same service type by ' +
        'another verified publisher.',
    }),
  }),
});

const unfiltered = parseFilter({});

/** Manifest field by GraphQL field, for fields that have another name in the manifest. */
const manifestNames: Readonly<Record<string, string>> = { chains: 'networks' };

/**
 * Finds the selected fields of an adaptor that the statement of the entry can read along with it.
 * @param path fields from the field of `info` to the adaptor
 */
function findExtras(info: GraphQLResolveInfo, path: readonly string[]): EntryExtras {
  const selected = listSelectedFields(info, path);
  const fields = [...listSelectedFields(info, [...path, 'manifest'])].map(
    (name) => manifestNames[name] ?? name,
  );
  if (selected.has('integrator')) fields.push('integrator');
  if (selected.has('successor')) fields.push('deprecated', 'successor');
  return {
    fields: headKeys.filter((key) => fields.includes(key)),
    alikeNames: selected.has('alikeNames'),
  };
}

builder.queryFields((t) => ({
  adaptors: t.field({
    type: adaptorConnection,
    description:
      'The catalog of one network. Contains listings of verified publishers only, unless the filter includes others.',
    extensions: { statement: 'each' },
    args: {
      ...chainArgs,
      filter: t.arg({ type: filterInput, description: 'Conditions.' }),
      orderBy: t.arg({ type: orderEnum, description: 'Order of the list.' }),
      sort: t.arg({
        type: sortEnum,
        description: 'As `orderBy`.',
        deprecationReason: 'Use `orderBy`, whose values are in capitals.',
      }),
      ...pagingArgs,
    },
    async resolve(_, args, context, info) {
      const network = chooseNetwork(args, context);
      const { first, after, before, backward } = readPaging(args);
      const query = {
        network,
        ...(args.filter ? parseFilter(args.filter) : unfiltered),
        sort: args.orderBy ?? args.sort ?? undefined,
        limit: first,
        cursor: after,
        before,
        backward,
        uncounted: !listSelectedFields(info, []).has('totalCount'),
      };
      if (after !== undefined) checkCursor('after', () => parseCatalogCursor(query, after));
      if (before !== undefined) checkCursor('before', () => parseCatalogCursor(query, before));
      const extras = findExtras(info, ['edges', 'node']);
      const page = await readListed(context.db, query, extras, readBytesMax);
      const toNode = (entry: EntryWithHead) => withNetwork(takeFields(context.manifests, entry), { network });
      return toConnection(
        { items: page.entries, cursorAt: page.cursorAt, hasMore: page.hasMore },
        toNode,
        { after, before, backward },
        () => page.total,
      );
    },
  }),
}));

interface ListingArgs {
  serviceType: string;
  publisher?: string | null | undefined;
}

const loadStanding = batched(readListingStandings);

/**
 * Parses the key of a listing. A service type without a canonical form stays as given: it is stored as it was
 * registered.
 */
function parseListingKey({ serviceType, publisher }: ListingArgs) {
  const named = parseServiceType(serviceType);
  return {
    serviceType: 'error' in named ? serviceType : named.canonical,
    ...(publisher != null && { publisher: parseAddress(publisher, 'publisher') }),
  };
}

builder.queryFields((t) => {
  const args = {
    ...chainArgs,
    serviceType: t.arg.string({ required: true, description: 'Type of the witness, in any spelling.' }),
    publisher: t.arg.string({ description: 'Address that registered it.' }),
  };
  return {
    adaptor: t.field({
      type: adaptorNode,
      nullable: true,
      extensions: { statement: 'adaptor' },
      description:
        'One adaptor. Without a publisher: the adaptor that the catalog shows by default for the service type. With a ' +
        'publisher: its adaptor, even if the catalog does not show it by default (`publisherVerified: false`).',
      args,
      async resolve(_, args, context, info) {
        const key = { network: chooseNetwork(args, context), ...parseIdentity(args) };
        if (key.publisher !== undefined) readAhead('Adaptor', registeredLists, key, context, info);
        return await loadShown(context, key, findExtras(info, []));
      },
    }),
    listing: t.field({
      type: listingNode,
      nullable: true,
      extensions: { statement: 'listing' },
      description:
        'One listing, and why the catalog does not show it. Without a publisher: the one that the catalog shows, else the ' +
        'one that is nearest to it. Null if there never was one.',
      args,
      async resolve(_, args, context) {
        const network = chooseNetwork(args, context);
        const listing = await loadStanding(context, { network, ...parseListingKey(args) });
        return listing ? { ...listing, network } : null;
      },
    }),
  };
});
