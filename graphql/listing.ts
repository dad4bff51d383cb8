import { registration, reviews } from '../db/queries/catalog/entry-schema.ts';
import {
  type Attestation,
  attestationList,
  type Quarantine,
  type Review,
  reviewList,
} from '../db/queries/catalog/listing.ts';
import { deriveStanding, type ListingStatus, statuses } from '../db/queries/catalog/standing.ts';
import {
  comparedVersionList,
  type ListingVersion,
  listingEventList,
  versionList,
} from '../db/queries/history.ts';
import { serviceActionList } from '../db/queries/wallets/actions.ts';
import { createTurns } from '../lib/concurrency/turns.ts';
import { type FieldChange, findChanges } from '../lib/manifests/changes.ts';
import {
  addressFilter,
  checkpointRange,
  pagingArgs,
  readAddresses,
  readPaging,
  readRange,
} from './arguments.ts';
import { builder, chainEnum } from './builder.ts';
import { createConnectionLoader } from './connections.ts';
import { manifestType } from './manifest.ts';
import {
  actionConnection,
  adaptorNode,
  buildEventField,
  listingNode,
  nodeId,
  type OnNetwork,
  publisherNode,
  registryEventConnection,
  withNetwork,
} from './nodes.ts';
import { defineSchemaType } from './schema-fields.ts';
import { listSelectedFields } from './selection.ts';
import { loadUsage, noUsage, usageType, usedInterface } from './usage.ts';

const changeType = builder.objectRef<FieldChange>('FieldChange').implement({
  description: 'A field that differs between two versions.',
  fields: (t) => ({
    path: t.exposeString('path', {
      description: 'The field, such as `version`, `manifest.name` or `manifest.ops[0].label`.',
    }),
    before: t.expose('before', { type: 'JSON', nullable: true, description: 'Null if it was not there.' }),
    after: t.expose('after', { type: 'JSON', nullable: true, description: 'Null if it is not there.' }),
  }),
});

/** Maximum changes of one version in a response. */
const changesMax = 200;

/** Runs one comparison of manifests in each turn of the event loop: each parses two of at most 256 KiB. */
const compareInTurn = createTurns();

export const versionType = builder.objectRef<OnNetwork<ListingVersion>>('AdaptorVersion').implement({
  description: 'State of a listing after a registration, an update or an unlisting.',
  fields: (t) => ({
    version: t.exposeInt('version', { description: 'Counted by the registry.' }),
    listed: t.exposeBoolean('listed', { description: 'False after an unlisting.' }),
    packageId: t.exposeString('packageId', {
      nullable: true,
      description: 'Package of the service. Null after an unlisting.',
    }),
    manifestUri: t.exposeString('manifestUri', {
      nullable: true,
      description: 'Where the manifest is. Null after an unlisting.',
    }),
    manifestHash: t.exposeString('manifestHash', {
      nullable: true,
      description: 'Lower-case hex sha256 of the manifest. Null after an unlisting.',
    }),
    timestampMs: t.expose('timestampMs', { type: 'Milliseconds', description: 'Time of the checkpoint.' }),
    checkpoint: t.expose('checkpoint', { type: 'Count', description: 'Checkpoint of the event.' }),
    event: t.field(buildEventField('registry')),
    manifest: t.field({
      type: manifestType,
      nullable: true,
      description: 'The manifest of the version. Null unless the indexer has fetched it with this hash.',
      resolve: ({ manifestHash: hash, known }) =>
        hash !== null && known.includes(hash) ? { hash, misfits: [], settledCoins: [] } : null,
    }),
    changes: t.field({
      type: [changeType],
      description:
        `What differs from the version before, field by field: at most ${changesMax}. Fields of the manifest are compared ` +
        'if the indexer has both manifests. Empty for the first version.',
      extensions: { statement: 'manifest' },
      async resolve({ previous, known, ...version }, _, { manifests }) {
        if (previous === null) return [];
        const pickFields = ({ listed, packageId, manifestUri, manifestHash, version }: typeof previous) => ({
          version,
          listed,
          packageId,
          manifestUri,
          manifestHash,
        });
        const changes = [...findChanges(pickFields(previous), pickFields(version), '')];
        const hashes = [previous.manifestHash, version.manifestHash];
        if (!hashes.every((hash) => hash !== null && known.includes(hash))) return changes;
        if (previous.manifestHash === version.manifestHash) return changes;
        const [before, after] = await Promise.all(hashes.map((hash) => manifests.whole(hash!)));
        const manifestChanges = await compareInTurn(() =>
          findChanges(JSON.parse(before!.text), JSON.parse(after!.text), 'manifest')
            .take(changesMax - changes.length)
            .toArray(),
        );
        return [...changes, ...manifestChanges];
      },
    }),
  }),
});

const attestationFields = {
  attester: 'Address that rated the service.',
  score: '1 to 5.',
  commentUri: 'Where the comment is. May be empty.',
  timestampMs: 'Time of the checkpoint.',
  checkpoint: 'Checkpoint of the event.',
} as const;

const attestationInterface = builder.interfaceRef<OnNetwork<Attestation>>('Rating').implement({
  description: 'A score for a service.',
  fields: (t) => ({
    attester: t.exposeString('attester', { description: attestationFields.attester }),
    score: t.exposeInt('score', { description: attestationFields.score }),
    commentUri: t.exposeString('commentUri', { description: attestationFields.commentUri }),
    timestampMs: t.expose('timestampMs', {
      type: 'Milliseconds',
      description: attestationFields.timestampMs,
    }),
    checkpoint: t.expose('checkpoint', { type: 'Count', description: attestationFields.checkpoint }),
    event: t.field(buildEventField('registry')),
  }),
});

const attestationType = builder.objectRef<OnNetwork<Attestation>>('Attestation').implement({
  description: 'An attestation of a service, which a later one by the same address replaces.',
  interfaces: [attestationInterface],
});

const reviewType = builder.objectRef<OnNetwork<Review>>('Review').implement({
  description: 'The latest attestation of an address.',
  interfaces: [attestationInterface],
  fields: (t) => ({
    verified: t.exposeBoolean('verified', { description: 'The attester used the service before.' }),
    text: t.exposeString('text', {
      nullable: true,
      description:
        'Text of the Walrus blob that `commentUri` names, at most 4 kB. A stranger wrote it: show it as plain text. Null ' +
        'without one, until it was read, and if the operator hid it.',
    }),
  }),
});

const attestationFilter = builder.inputType('AttestationFilter', {
  description: 'Conditions on attestations. An attestation must meet all of them.',
  fields: (t) => ({
    attester: t.field({ type: addressFilter, description: 'Who attested.' }),
    checkpoint: t.field({ type: checkpointRange, description: 'When, in checkpoints.' }),
  }),
});

const reviewFilter = builder.inputType('ReviewFilter', {
  description: 'Conditions on reviews.',
  fields: (t) => ({
    verified: t.boolean({ description: 'Whether the attester used the service before.' }),
  }),
});

export const reviewsType = defineSchemaType('Reviews', reviews);

const versionConnection = builder.connectionObject({ type: versionType, name: 'AdaptorVersionConnection' });
const attestationConnection = builder.connectionObject({
  type: attestationType,
  name: 'AttestationConnection',
});
const reviewConnection = builder.connectionObject({ type: reviewType, name: 'ReviewConnection' });

/** Key of a listing, whether or not the catalog shows the listing. */
type ListingRef = OnNetwork<{ serviceType: string; publisher: string }>;

const toKey = ({ network, serviceType, publisher }: ListingRef) => ({ network, serviceType, publisher });

const loadVersions = createConnectionLoader(versionList, withNetwork, {
  list: comparedVersionList,
  isRequired: ({ compared }) => compared === true,
});
const loadEvents = createConnectionLoader(listingEventList, withNetwork);
const loadAttestations = createConnectionLoader(attestationList, withNetwork);
const loadReviews = createConnectionLoader(reviewList, withNetwork);
const loadActions = createConnectionLoader(serviceActionList, withNetwork);

/** Lists of a listing that need only its key. */
export const registeredLists: ReadonlySet<string> = new Set([
  'versions',
  'events',
  'attestations',
  'latestReviews',
  'actions',
]);

/** Fields of every listing, whether or not the catalog shows it. */
export const registeredInterface = builder.interfaceRef<ListingRef>('Registered').implement({
  description: 'What a publisher registered for a service type.',
  fields: (t) => ({
    chain: t.expose('network', { type: chainEnum, description: 'Network of the registry.' }),
    serviceType: t.exposeString('serviceType', {
      description: 'Type of the witness, which wallets grant to.',
    }),
    publisher: t.exposeString('publisher', { description: 'Address that registered it.' }),
    publishedBy: t.field({
      type: publisherNode,
      description: 'The publisher, with all that it registered.',
      extensions: { statement: 'publisher' },
      resolve: ({ network, publisher }) => nodeId(network, publisher),
    }),
    versions: t.field({
      type: versionConnection,
      description: 'All versions, newest first.',
      extensions: { statement: 'versions' },
      args: pagingArgs,
      resolve(listing, args, context, info) {
        const selected = listSelectedFields(info, ['edges', 'node']);
        const compared = selected.has('changes') || selected.has('manifest');
        return loadVersions(context, { ...toKey(listing), ...readPaging(args), compared });
      },
    }),
    events: t.field({
      type: registryEventConnection,
      description: 'Events of the listing and its attestations, newest first.',
      extensions: { statement: 'events' },
      args: pagingArgs,
      resolve: (listing, args, context) => loadEvents(context, { ...toKey(listing), ...readPaging(args) }),
    }),
    attestations: t.field({
      type: attestationConnection,
      description: 'Every attestation of the service, also those that were replaced, newest first.',
      extensions: { statement: 'attestations' },
      args: { filter: t.arg({ type: attestationFilter, description: 'Conditions.' }), ...pagingArgs },
      resolve: ({ network, serviceType }, { filter, ...args }, context) =>
        loadAttestations(context, {
          network,
          serviceType,
          attesters: readAddresses(filter?.attester, 'filter.attester'),
          checkpoints: readRange(filter?.checkpoint, 'filter.checkpoint'),
          ...readPaging(args),
        }),
    }),
    latestReviews: t.field({
      type: reviewConnection,
      description:
        'The latest attestation of each address since the first registration by a publisher that is or was verified, newest ' +
        'first. None for the listing of another publisher.',
      extensions: { statement: 'reviews' },
      args: { filter: t.arg({ type: reviewFilter, description: 'Conditions.' }), ...pagingArgs },
      resolve: (listing, { filter, ...args }, context) =>
        loadReviews(context, {
          ...toKey(listing),
          verified: filter?.verified ?? undefined,
          ...readPaging(args),
        }),
    }),
    actions: t.field({
      type: actionConnection,
      description: 'Counted uses of the service, newest first.',
      extensions: { statement: 'actions' },
      args: {
        checkpoint: t.arg({ type: checkpointRange, description: 'When, in checkpoints.' }),
        ...pagingArgs,
      },
      resolve: ({ network, serviceType }, { checkpoint, ...args }, context) =>
        loadActions(context, {
          network,
          serviceType,
          checkpoints: readRange(checkpoint, 'checkpoint'),
          ...readPaging(args),
        }),
    }),
  }),
});

const statusWords: Record<ListingStatus, string> = {
  shown: 'The catalog shows it by default.',
  quarantined: 'An operator of this marketplace holds it in quarantine.',
  unlisted: 'The publisher has unlisted it.',
  name_invalid: 'The service type is not valid.',
  manifest_mismatch: 'The file at the uri of the manifest does not have the registered hash.',
  manifest_invalid: 'The manifest is not valid, or belongs to another listing.',
  manifest_unreachable: 'The manifest cannot be fetched. The indexer tries again.',
  manifest_pending: 'The indexer has not fetched the manifest yet.',
  witness_invalid: 'The package has no usable witness of this name.',
  witness_pending: 'The indexer has not checked the witness yet.',
  publisher_unverified: 'The publisher neither published the package nor owns its UpgradeCap.',
  publisher_pending: 'The indexer has not checked the publisher yet.',
  other_publisher_shown: 'An earlier listing by another verified publisher is shown.',
};

const statusEnum = builder.enumType('ListingStatus', {
  description:
    'Whether the catalog shows a listing by default, or the first reason why not. Others may be added.',
  values: Object.fromEntries(
    statuses.map((value) => [value.toUpperCase(), { value, description: statusWords[value] }]),
  ) as Record<string, { value: ListingStatus }>,
});

const quarantineType = builder.objectRef<Quarantine>('Quarantine').implement({
  description: 'A quarantine by an operator of this marketplace. It does not change the chain.',
  fields: (t) => ({
    reason: t.exposeString('reason', { description: 'Reason of the operator, in words.' }),
    sinceMs: t.expose('sinceMs', { type: 'Milliseconds', description: 'Start of the quarantine.' }),
  }),
});

listingNode.implement({
  description: 'A listing as registered, whether the catalog shows it or not.',
  interfaces: [registeredInterface, usedInterface],
  fields: (t) => ({
    status: t.field({
      type: statusEnum,
      description: 'Whether the catalog shows it by default, or the first reason why not.',
      resolve: (listing) => deriveStanding(listing).status,
    }),
    reason: t.string({
      nullable: true,
      description: 'The same in words. Null if it is shown.',
      resolve: (listing) => deriveStanding(listing).reason,
    }),
    quarantined: t.expose('quarantined', {
      type: quarantineType,
      nullable: true,
      description:
        'The quarantine of the service type or of the publisher that is in force. Null without one.',
    }),
    registered: t.field({
      type: defineSchemaType('Registration', registration),
      description: 'The newest version as registered, verified or not.',
      resolve: (listing) => listing,
    }),
    firstListedAtMs: t.expose('registeredAtMs', {
      type: 'Milliseconds',
      description: 'First registration by this publisher.',
    }),
    usage: t.field({
      type: usageType,
      description: 'Use of the service. None unless the publisher is or was verified.',
      extensions: { statement: 'usage' },
      resolve: (listing, _, context) =>
        listing.publisherEverVerified ? loadUsage(context, listing) : noUsage,
    }),
    publisherEverVerified: t.exposeBoolean('publisherEverVerified', {
      description:
        'The publisher is or was verified, with a verified manifest, and is among the first 20 of the service type that were. ' +
        'Use and reviews of the service count for the listing.',
    }),
    adaptor: t.field({
      type: adaptorNode,
      nullable: true,
      description: 'The entry of the catalog, also one that is not shown by default. Null without one.',
      extensions: { statement: 'adaptor' },
      resolve: ({ hasEntry, network, serviceType, publisher }) =>
        hasEntry ? nodeId(network, serviceType, publisher) : null,
    }),
  }),
});
