import { type ChangeSentence, changesTextBounds } from '@adaptor-marketplace/adaptor/certify';
import {
  type ClaimChanges,
  type FunctionChanges,
  readChangesAt,
  readClaimChanges,
} from '../db/queries/claim-changes.ts';
import { builder, nullable } from './builder.ts';
import { describeFirst, namedPackageType, takeFirst, verdictText } from './certificate.ts';
import { batched } from './connections.ts';
import { versionType } from './listing.ts';
import { adaptorNode } from './nodes.ts';

/** Functions of a version in an answer. */
const functionsMax = 10;

/** Cost of reading a comparison of up to 128 KiB, beside what the query selects. */
const diffCost = 200;

const stateEnum = builder.enumType('CertificateDiffState', {
  description: 'State of the comparison of a version with the one before it.',
  values: {
    FIRST: { value: 'first', description: 'The catalog showed no version before it.' },
    PENDING: { value: 'pending', description: 'To be compared, as soon as both versions are analyzed.' },
    COMPUTED: { value: 'computed', description: 'Compared.' },
  } as const,
});

const changeEnum = builder.enumType('ClaimChange', {
  description: 'Difference of a claim between two versions of a function.',
  values: {
    NEW: { value: 'new', description: 'Only the later version has it.' },
    WIDER: { value: 'wider', description: 'It allows more.' },
    NARROWER: { value: 'narrower', description: 'It allows less.' },
    GONE: { value: 'gone', description: 'Only the earlier version has it.' },
  } as const,
});

const widensText = 'True if the later code may do more, checks less, or gives back less.';

const sentenceType = builder.objectRef<ChangeSentence>('CertificateChange').implement({
  description:
    'A difference between two versions of a function, in words. Names come from bytecode: escape them.',
  fields: (t) => ({
    kind: t.exposeString('kind', { description: 'Kind of its claims, such as `takes` or `goesTo`.' }),
    change: t.expose('change', { type: changeEnum, description: 'What differs.' }),
    widens: t.exposeBoolean('widens', { description: widensText }),
    verdict: t.exposeString('verdict', { description: verdictText }),
    text: t.exposeString('text', {
      description: `Words of the later version, and of the earlier one for what is gone: at most ${changesTextBounds.text} characters.`,
    }),
    formerText: t.exposeString(
      'formerText',
      nullable('Words of the earlier version for what is wider or narrower. Null for others.'),
    ),
  }),
});

const functionType = builder.objectRef<FunctionChanges>('FunctionCertificateDiff').implement({
  description:
    'A function that operations call, and what differs from the one that the version before called.',
  fields: (t) => ({
    packageId: t.exposeString('packageId', { description: 'Package that the operations call.' }),
    formerPackageId: t.exposeString(
      'formerPackageId',
      nullable('Package whose function of this name the version before called. Null if it called none.'),
    ),
    module: t.exposeString('module', { description: 'Its module.' }),
    name: t.exposeString('function', { description: 'Its name.' }),
    operations: t.exposeIntList('ops', { description: 'Positions in `operations` of those that call it.' }),
    reason: t.exposeString(
      'reason',
      nullable('The reason why it has no certificate. Null if it was compared.'),
    ),
    widens: t.exposeBoolean('widens', {
      description: 'True if it may do more, checks less, gives back less, or was not compared.',
    }),
    unread: t.exposeBoolean('unread', {
      description: 'True if some of its code was not read: it may differ in other ways.',
    }),
    sentences: t.field({
      type: [sentenceType],
      description: 'What differs: first what may do more.',
      args: {
        first: t.arg.int({ description: describeFirst(changesTextBounds.sentences) }),
      },
      resolve: ({ sentences }, { first }) => takeFirst(sentences, first, changesTextBounds.sentences),
    }),
    sentenceCount: t.exposeInt('sentenceCount', { description: 'All its sentences.' }),
    packages: t.field({
      type: [namedPackageType],
      description: 'The other packages that the sentences name `@P1`, `@P2` and so on.',
      complexity: { field: 1, multiplier: changesTextBounds.packages },
      resolve: ({ packages }) => packages,
    }),
  }),
});

const diffType = builder.objectRef<ClaimChanges>('CertificateDiff').implement({
  description:
    'What the functions of a version can do that those of the version before could not. It errs to one side: what may do more ' +
    'is said to. `GET /api/adaptors/{serviceType}/certificate/changes` has all functions.',
  fields: (t) => ({
    state: t.expose('state', { type: stateEnum, description: 'State of the comparison.' }),
    reason: t.exposeString('reason', nullable('What the comparison waits for.')),
    formerVersion: t.exposeInt(
      'formerVersion',
      nullable('The version that the catalog showed before. Null unless computed.'),
    ),
    widens: t.exposeBoolean(
      'widens',
      nullable(
        'True if one of its functions may do more, checks less, or gives back less. Null unless computed.',
      ),
    ),
    analysis: t.exposeInt(
      'analysis',
      nullable('Version of the analysis whose claims were compared. Null unless computed.'),
    ),
    functions: t.field({
      type: [functionType],
      description: `The functions that differ, first those that may do more: the first ${functionsMax}.`,
      complexity: { field: 1, multiplier: functionsMax },
      resolve: ({ functions }) => functions.slice(0, functionsMax),
    }),
    hasMoreFunctions: t.boolean({
      description: `True if more than ${functionsMax} functions differ, or some were not compared.`,
      resolve: ({ functions, hasMoreFunctions }) => hasMoreFunctions || functions.length > functionsMax,
    }),
  }),
});

const loadChangesAt = batched(readChangesAt);
const loadChanges = batched(readClaimChanges);

builder.objectField(versionType, 'certificateDiff', (t) =>
  t.field({
    type: diffType,
    nullable: true,
    description:
      'What its code can do that the version before could not. Null for an unlisting, and for a version that the catalog never showed.',
    complexity: { field: diffCost },
    extensions: { statement: 'claim changes by position' },
    resolve: ({ network, listed, checkpoint, txIndex, eventIndex }, _, context) =>
      listed ? loadChangesAt(context, { network, checkpoint, txIndex, eventIndex }) : null,
  }),
);

builder.objectField(adaptorNode, 'certificateDiff', (t) =>
  t.field({
    type: diffType,
    description: 'What its code can do that the version before could not.',
    complexity: { field: diffCost },
    extensions: { statement: 'claim changes' },
    resolve: ({ network, serviceType, publisher, version }, _, context) =>
      loadChanges(context, { network, serviceType, publisher, version }),
  }),
);
