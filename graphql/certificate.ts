import {
  type BriefSentence,
  briefBounds,
  type CertificateBrief,
  verdictMeanings,
} from '@adaptor-marketplace/adaptor/certify';
import { listCalledFunctions } from '../db/queries/catalog/called-functions.ts';
import {
  type CertifiedPackage,
  type FunctionCertificate,
  readCertificateBriefs,
  readCertifiedPackages,
} from '../db/queries/certificates.ts';
import { invalidArgument } from './arguments.ts';
import { builder } from './builder.ts';
import { batched } from './connections.ts';
import type { Operation } from './manifests.ts';
import { adaptorNode } from './nodes.ts';

/** Functions of an adaptor in an answer. Each has up to 64 KiB of sentences. */
const functionsMax = 10;

/** Cost of reading their sentences, beside those that the query selects: up to 640 KiB, in about 2 ms. */
const functionsCost = 1_000;

const stateEnum = builder.enumType('CertificateState', {
  description: "State of the certificates of a package's functions.",
  values: {
    PENDING: { value: 'pending', description: 'To be analyzed.' },
    COMPUTED: {
      value: 'computed',
      description: 'Each function that a transaction can call has a certificate.',
    },
    UNREAD: { value: 'unread', description: 'Functions have no certificate, for `reason`.' },
  } as const,
});

interface Step {
  function: string;
  instruction: number;
}

const stepType = builder.objectRef<Step>('CertificateStep').implement({
  description: 'An instruction on the way to what a claim states.',
  fields: (t) => ({
    function: t.exposeString('function', { description: 'Its function, as `0x…::module::function`.' }),
    instruction: t.exposeInt('instruction', { description: 'Its index in the bytecode of the function.' }),
  }),
});

interface Sentence extends BriefSentence {
  /** Names of the functions that the call path leads through, by position. */
  functions: readonly string[];
}

/** Description of a field that has a verdict. */
export const verdictText = Object.entries(verdictMeanings)
  .map(([verdict, meaning]) => `\`${verdict}\`: ${meaning}`)
  .join(' ');

/** Sentences of a function, if the query names no number. */
const sentencesDefault = 20;

/** Describes the argument with the number of sentences of a function. */
export const describeFirst = (max: number): string =>
  `Most sentences: 1 to ${max}. Default: ${sentencesDefault}.`;

/** Returns the first sentences. @throws ProblemError `invalid_argument` for a number that is not 1 to `max` */
export function takeFirst<Sentence>(
  sentences: readonly Sentence[],
  first: number | null | undefined,
  max: number,
): Sentence[] {
  const size = first ?? sentencesDefault;
  if (size < 1 || size > max) throw invalidArgument([{ path: 'first', message: `must be 1 to ${max}` }]);
  return sentences.slice(0, size);
}

const sentenceType = builder.objectRef<Sentence>('CertificateSentence').implement({
  description: 'What the bytecode of a function can do, in words. Names come from bytecode: escape them.',
  fields: (t) => ({
    kind: t.exposeString('kind', { description: 'Kind of its claims, such as `takes` or `goesTo`.' }),
    verdict: t.exposeString('verdict', { description: verdictText }),
    text: t.exposeString('text', {
      description: `The sentence, at most ${briefBounds.text} characters. A longer one has short names and lists.`,
    }),
    path: t.field({
      type: [stepType],
      description:
        `The last ${briefBounds.path} calls down to the instruction that shows its first claim. Empty if no instruction ` +
        'does.',
      complexity: { field: 1, multiplier: briefBounds.path },
      resolve: ({ path, functions }) =>
        path.map(([at, instruction]) => ({ function: functions[at] ?? '?', instruction })),
    }),
    callsBefore: t.exposeInt('callsBefore', { description: 'Calls before `path` that are left out.' }),
  }),
});

type NamedPackage = CertificateBrief['packages'][number];

export const namedPackageType = builder.objectRef<NamedPackage>('CertificatePackage').implement({
  description: 'A package that sentences name in short.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Its name in the sentences: `@P1`, `@P2` and so on.' }),
    packageId: t.string({
      description: 'Version that the code calls.',
      resolve: ({ version }) => version.id,
    }),
    originalId: t.string({
      description: 'Id of its first version, which its types have.',
      resolve: ({ version }) => version.originalId,
    }),
    version: t.string({ description: 'Number of the version.', resolve: ({ version }) => version.version }),
  }),
});

interface CalledCertificate extends FunctionCertificate {
  packageId: string;
  module: string;
  function: string;
  ops: number[];
}

const emptyBrief: CertificateBrief = { sentences: [], sentenceCount: 0, functions: [], packages: [] };

const functionType = builder.objectRef<CalledCertificate>('FunctionCertificate').implement({
  description: 'A function that operations call, and the certificate of its bytecode.',
  fields: (t) => ({
    packageId: t.exposeString('packageId', { description: 'Package that the operations call.' }),
    module: t.exposeString('module', { description: 'Its module.' }),
    name: t.exposeString('function', { description: 'Its name.' }),
    operations: t.exposeIntList('ops', { description: 'Positions in `operations` of those that call it.' }),
    state: t.expose('state', { type: stateEnum, description: 'Result of the analysis.' }),
    reason: t.exposeString('reason', { nullable: true, description: 'The reason why it has none.' }),
    hash: t.exposeString('hash', {
      nullable: true,
      description: 'Lower-case hex sha256 of the canonical JSON of the certificate. Null unless computed.',
    }),
    analysis: t.exposeInt('analysis', {
      nullable: true,
      description: 'Version of the analysis that computed it. Null unless computed.',
    }),
    parameters: t.exposeStringList('parameters', {
      nullable: true,
      description:
        "Types of its parameters in Move's syntax, with `T0`, `T1` for its type parameters. Null unless computed, and if they " +
        'are longer than 16 KiB.',
    }),
    sentences: t.field({
      type: [sentenceType],
      description:
        'What it can do: first what it takes, where that goes and what comes back, last its checks, reads and writes. ' +
        `Those of a function have at most ${briefBounds.bytes / 1024} KiB.`,
      args: {
        first: t.arg.int({ description: describeFirst(briefBounds.sentences) }),
      },
      resolve({ brief }, { first }) {
        const { sentences, functions } = brief ?? emptyBrief;
        return takeFirst(sentences, first, briefBounds.sentences).map((sentence) => ({
          ...sentence,
          functions,
        }));
      },
    }),
    sentenceCount: t.int({
      description: 'All its sentences. `describeCertificate` of the SDK makes them from the claims.',
      resolve: ({ brief }) => (brief ?? emptyBrief).sentenceCount,
    }),
    packages: t.field({
      type: [namedPackageType],
      description: 'The other packages that the sentences name `@P1`, `@P2` and so on.',
      complexity: { field: 1, multiplier: briefBounds.packages },
      resolve: ({ brief }) => (brief ?? emptyBrief).packages,
    }),
  }),
});

const loadFunction = batched(readCertificateBriefs);

interface AdaptorCertificate extends CertifiedPackage {
  network: string;
  packageId: string;
  /** Reads the first functions that the operations call. */
  readCalled(): Promise<ReturnType<typeof listCalledFunctions>>;
}

const packageCertificateType = builder.objectRef<AdaptorCertificate>('PackageCertificate').implement({
  description:
    "The analysis of a package's bytecode. `GET /api/adaptors/{serviceType}/certificate` has its claims.",
  fields: (t) => ({
    state: t.expose('state', { type: stateEnum, description: 'Result of the analysis.' }),
    reason: t.exposeString('reason', {
      nullable: true,
      description: 'The reason of `UNREAD`, or the error of the last attempt of `PENDING`.',
    }),
    analysis: t.exposeInt('analysis', {
      nullable: true,
      description: 'Version of the analysis. Null while it is pending.',
    }),
    functions: t.field({
      type: [functionType],
      description:
        `The functions that the operations call, by package, module and name: the first ${functionsMax}. ` +
        `Their sentences are large, so the field costs ${functionsCost} beside what it selects.`,
      complexity: { field: functionsCost, multiplier: functionsMax },
      extensions: { statement: 'function certificates' },
      async resolve({ network, readCalled }, _, context) {
        const { items } = await readCalled();
        return await Promise.all(
          items.map(async ({ ops, ...called }) => {
            const certificate = await loadFunction(context, { network, ...called });
            return { ...called, ...certificate, ops };
          }),
        );
      },
    }),
    hasMoreFunctions: t.boolean({
      description: `\`true\` if the operations call more than ${functionsMax} functions.`,
      resolve: async ({ readCalled }) => (await readCalled()).hasMore,
    }),
  }),
});

/** Returns an op as its manifest has it. One whose call is not valid has no calls. */
const toListedOp = ({ kind, module, entry, call, calls }: Operation) => ({
  kind: kind ?? undefined,
  module: module ?? undefined,
  entry: entry ?? undefined,
  call: call ?? undefined,
  calls: calls ?? undefined,
});

const loadPackage = batched(readCertifiedPackages);

builder.objectField(adaptorNode, 'certificate', (t) =>
  t.field({
    type: packageCertificateType,
    description: 'The analysis of the bytecode of its package.',
    extensions: { statement: 'certificate' },
    async resolve({ network, packageId, manifestHash }, _, context) {
      const certified = await loadPackage(context, { network, packageId });
      const readCalled = async () => {
        const called = { packageId, ops: (await context.manifests.ops(manifestHash)).map(toListedOp) };
        return listCalledFunctions(called, { first: functionsMax, after: undefined });
      };
      return { ...certified, network, packageId, readCalled };
    },
  }),
);
