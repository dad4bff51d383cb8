import { integratorEntryList } from '../db/queries/catalog/find.ts';
import { publisherListingList } from '../db/queries/catalog/listing.ts';
import {
  integratorList,
  type PublisherPackage,
  packageList,
  publisherList,
} from '../db/queries/publishers.ts';
import { ruleList } from '../db/queries/rules.ts';
import {
  buildListOptions,
  chainArgs,
  chooseNetwork,
  invalidArgument,
  pagingArgs,
  parseAddress,
  readPaging,
} from './arguments.ts';
import { builder, chainEnum, nullableTime } from './builder.ts';
import { createConnectionLoader } from './connections.ts';
import { reviewsType } from './listing.ts';
import {
  adaptorConnection,
  integratorNode,
  listingConnection,
  nodeId,
  publisherNode,
  ruleConnection,
  withNetwork,
} from './nodes.ts';
import { publisherDomainType, publisherProfileType } from './profile.ts';

const packageType = builder.objectRef<PublisherPackage>('PublisherPackage').implement({
  description: 'A package that a publisher registered adaptors of.',
  fields: (t) => ({
    packageId: t.exposeString('packageId', { description: 'Id of the package.' }),
    listings: t.exposeInt('listings', { description: 'Listings of the publisher that name it.' }),
    verified: t.exposeBoolean('verified', {
      description: 'The publisher published it or owns its UpgradeCap.',
    }),
    firstSeenMs: t.expose('firstSeenMs', {
      type: 'Milliseconds',
      description: 'First registration that names it.',
    }),
  }),
});

const packageConnection = builder.connectionObject({ type: packageType, name: 'PublisherPackageConnection' });
const publisherConnection = builder.connectionObject({ type: publisherNode, name: 'PublisherConnection' });
const integratorConnection = builder.connectionObject({ type: integratorNode, name: 'IntegratorConnection' });

const loadListings = createConnectionLoader(publisherListingList, withNetwork);
const loadAdaptors = createConnectionLoader(integratorEntryList, withNetwork);
const loadRules = createConnectionLoader(ruleList, withNetwork);
const loadPackages = createConnectionLoader(packageList, (item) => item);
// The page has keys only. One more statement reads their requested fields.
const loadPublishers = createConnectionLoader(publisherList, (address, { network }) =>
  nodeId(network, address),
);
const loadIntegrators = createConnectionLoader(integratorList, (name, { network }) => nodeId(network, name));

publisherNode.implement({
  description: 'An address that registered adaptors, with its record.',
  fields: (t) => ({
    chain: t.expose('network', { type: chainEnum, description: 'Network of the registry.' }),
    address: t.exposeString('address', { description: 'The address.' }),
    firstSeenMs: t.expose('firstSeenMs', { type: 'Milliseconds', description: 'Its first registration.' }),
    verified: t.boolean({
      description: 'It published the package of at least one of its listings, or owns its UpgradeCap.',
      resolve: ({ verified }) => verified > 0,
    }),
    registeredCount: t.exposeInt('registered', { description: 'Listings that it ever registered.' }),
    listedCount: t.exposeInt('listed', { description: 'Of these, those that it has not unlisted.' }),
    verifiedCount: t.exposeInt('verified', { description: 'Of these, those of packages that are its own.' }),
    shownCount: t.exposeInt('shown', { description: 'Of these, those that the catalog shows by default.' }),
    packageCount: t.exposeInt('packages', { description: 'Packages that its listings name.' }),
    actions: t.expose('actions', { type: 'Count', description: 'Counted uses of its adaptors.' }),
    lastActionMs: t.expose('lastActionMs', nullableTime('Time of the last one. Null without any.')),
    reviews: t.expose('reviews', {
      type: reviewsType,
      description: 'What the latest attestations of all its adaptors add up to.',
    }),
    name: t.exposeString('name', {
      nullable: true,
      description: 'Its SuiNS name: its default name, which resolves to the address. Null without one.',
    }),
    profile: t.expose('profile', {
      type: publisherProfileType,
      nullable: true,
      description:
        'The profile of its latest entry that has one, of those for packages that are its own. Null without one.',
    }),
    icon: t.string({
      nullable: true,
      description:
        'Path of the icon of this profile on this host: a PNG, JPEG or WebP picture that the publisher chose. Null without one.',
      resolve: ({ network, address, hasIcon }) => (hasIcon ? `/publishers/${network}/${address}/icon` : null),
    }),
    domain: t.expose('domain', {
      type: publisherDomainType,
      nullable: true,
      description: 'The domain of the profile. Null without one, and while it is not proven.',
    }),
    listings: t.field({
      ...buildListOptions(
        'listings',
        listingConnection,
        'All that it registered, shown or not, newest first.',
      ),
      resolve: ({ network, address: publisher }, args, context) =>
        loadListings(context, { network, publisher, ...readPaging(args) }),
    }),
    packages: t.field({
      ...buildListOptions(
        'packages',
        packageConnection,
        'The packages that its listings name, sorted by id.',
      ),
      resolve: ({ network, address }, args, context) =>
        loadPackages(context, { network, address, ...readPaging(args) }),
    }),
    rules: t.field({
      ...buildListOptions(
        'rules',
        ruleConnection,
        'Rules in the rule registry that it registered, sorted by type.',
      ),
      resolve({ network, address }, args, context) {
        context.requireSource(network, 'rules');
        return loadRules(context, { network, publisher: address, ...readPaging(args) });
      },
    }),
  }),
});

integratorNode.implement({
  description: 'A partner that manifests name. Any publisher can name any partner.',
  fields: (t) => ({
    chain: t.expose('network', { type: chainEnum, description: 'Network of the catalog.' }),
    name: t.exposeString('name', { description: 'Its id, as manifests name it.' }),
    adaptorCount: t.exposeInt('adaptors', { description: 'Adaptors in the catalog that name it.' }),
    actions: t.expose('actions', { type: 'Count', description: 'Counted uses of these adaptors.' }),
    lastActionMs: t.expose('lastActionMs', nullableTime('Time of the last one. Null without any.')),
    adaptors: t.field({
      ...buildListOptions(
        'adaptors',
        adaptorConnection,
        'Adaptors in the catalog that name it, most used first.',
      ),
      resolve: async ({ network, name: integrator, adaptors }, args, context) => ({
        ...(await loadAdaptors(context, { network, integrator, ...readPaging(args) })),
        total: () => adaptors,
      }),
    }),
  }),
});

builder.queryFields((t) => ({
  publisher: t.field({
    type: publisherNode,
    nullable: true,
    extensions: { statement: 'publisher' },
    description: 'One publisher. Null if the address never registered an adaptor.',
    args: {
      ...chainArgs,
      address: t.arg.string({ required: true, description: 'Address of the publisher.' }),
    },
    resolve: (_, args, context) =>
      nodeId(chooseNetwork(args, context), parseAddress(args.address, 'address')),
  }),
  publishers: t.field({
    type: publisherConnection,
    extensions: { statement: 'each' },
    description: 'All addresses that ever registered an adaptor, sorted.',
    args: { ...chainArgs, ...pagingArgs },
    resolve: (_, args, context) =>
      loadPublishers(context, { network: chooseNetwork(args, context), ...readPaging(args) }),
  }),
  integrator: t.field({
    type: integratorNode,
    nullable: true,
    extensions: { statement: 'integrator' },
    description: 'One integrator. Null if no adaptor in the catalog names it.',
    args: { ...chainArgs, name: t.arg.string({ required: true, description: 'Exact id.' }) },
    resolve(_, args, context) {
      const network = chooseNetwork(args, context);
      const { name } = args;
      if (name === '' || name.length > 128 || name.includes('\0') || !name.isWellFormed()) {
        throw invalidArgument([{ path: 'name', message: 'expected 1 to 128 characters without U+0000' }]);
      }
      return nodeId(network, name);
    },
  }),
  integrators: t.field({
    type: integratorConnection,
    extensions: { statement: 'each' },
    description: 'All integrators that adaptors in the catalog name, sorted.',
    args: { ...chainArgs, ...pagingArgs },
    resolve: (_, args, context) =>
      loadIntegrators(context, { network: chooseNetwork(args, context), ...readPaging(args) }),
  }),
}));
