import {
  type CallPath,
  type CertificateText,
  type Claim,
  type ClaimSentence,
  describeCertificate,
} from '@adaptor-marketplace/adaptor/certify';
import { listCalledFunctions } from '../db/queries/catalog/called-functions.ts';
import {
  type CertifiedPackage,
  type FunctionCertificate,
  readCertificates,
  readCertifiedPackages,
} from '../db/queries/certificates.ts';
import { invalidArgument } from './arguments.ts';
import { builder } from './builder.ts';
import { batched } from './connections.ts';
import { type Operation, withReasons } from './manifests.ts';
import { adaptorNode } from './nodes.ts';

/** Functions of an adaptor in an answer. A certificate has up to 256 KiB. */
const functionsMax = 10;

/** Cost of reading them: a query reads those of three adaptors at most. */
const functionsCost = 5_000;

/** Sentences of a function: the default and the maximum. */
const [sentencesDefault, sentencesMax] = [20, 100];

/** Characters of a sentence. One about stored fields can name thousands. */
const textMax = 600;

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

interface Sentence extends ClaimSentence {
  /** Names of the functions that call paths lead through, by position. */
  functions: readonly string[];
}

const sentenceType = builder.objectRef<Sentence>('CertificateSentence').implement({
  description: 'What the bytecode of a function can do, in words. Names come from bytecode: escape them.',
  fields: (t) => ({
    kind: t.exposeString('kind', { description: 'Kind of its claims, such as `takes` or `goesTo`.' }),
    verdict: t.exposeString('verdict', {
      description:
        '`cannot`: no execution does it. `always`: each execution that does not abort does it. `may`: the code has a path ' +
        'that looks like it. `unread`: some code was not read, so nothing follows.',
    }),
    text: t.string({
      description: `The sentence, at most ${textMax} characters. A longer one ends with an ellipsis.`,
      resolve: ({ text }) =>
        text.length <= textMax ? text : `${text.slice(0, textMax - 1).toWellFormed()}…`,
    }),
    path: t.field({
      type: [stepType],
      description:
        'The calls down to the instruction that shows its first claim. Empty if no instruction does.',
      resolve: ({ claims, functions }) =>
        findPath(claims).map(([at, instruction]) => ({ function: functions[at] ?? '?', instruction })),
    }),
  }),
});

/** Returns the first call path of some claims, which all belong to one sentence. */
function findPath(claims: readonly Claim[]): CallPath {
  const [claim] = claims;
  if (claim === undefined || !('evidence' in claim)) return [];
  const [first] = claim.evidence;
  return Array.isArray(first?.[0]) ? (first as CallPath) : (claim.evidence as CallPath);
}

/** Kinds in the order of what a reader asks first. Reads, writes and checks name many fields, and come last. */
const kindOrder: readonly Claim['kind'][] = [
  'takes',
  'goesTo',
  'comesBack',
  'witnessLeak',
  'droppedCheck',
  'upgrade',
  'steers',
  'notRead',
  'gate',
  'touches',
];

type NamedPackage = CertificateText['packages'][number];

const namedPackageType = builder.objectRef<NamedPackage>('CertificatePackage').implement({
  description: 'A package that sentences name in short.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Its name in the sentences: `P1`, `P2` and so on.' }),
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

interface CalledCertificate extends FunctionCertificate, CertificateText {
  packageId: string;
  module: string;
  function: string;
  ops: number[];
}

/** Returns the sentences of a certificate by kind, as `kindOrder` has them. */
function describe({ certificate }: FunctionCertificate): CertificateText {
  if (!certificate) return { sentences: [], packages: [] };
  const { sentences, packages } = describeCertificate(certificate);
  const rank = ({ kind }: ClaimSentence) => kindOrder.indexOf(kind);
  return { sentences: sentences.toSorted((a, b) => rank(a) - rank(b)), packages };
}

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
    sentences: t.field({
      type: [sentenceType],
      description:
        'What it can do: first what it takes, where that goes and what comes back, last its checks, reads and writes.',
      args: {
        first: t.arg.int({
          description: `Most sentences: 1 to ${sentencesMax}. Default: ${sentencesDefault}.`,
        }),
      },
      resolve({ certificate, sentences }, { first }) {
        const size = first ?? sentencesDefault;
        if (size < 1 || size > sentencesMax)
          throw invalidArgument([{ path: 'first', message: `must be 1 to ${sentencesMax}` }]);
        const functions = certificate?.functions ?? [];
        return sentences.slice(0, size).map((sentence) => ({ ...sentence, functions }));
      },
    }),
    sentenceCount: t.int({
      description: 'All its sentences.',
      resolve: ({ sentences }) => sentences.length,
    }),
    packages: t.expose('packages', {
      type: [namedPackageType],
      description: 'The other packages that the sentences name `P1`, `P2` and so on.',
    }),
  }),
});

const loadFunction = batched(readCertificates);

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
        `Their certificates are large, so the field costs ${functionsCost}.`,
      complexity: { field: functionsCost, multiplier: functionsMax },
      extensions: { statement: 'function certificates' },
      async resolve({ network, readCalled }, _, context) {
        const { items } = await readCalled();
        return await Promise.all(
          items.map(async ({ ops, ...called }) => {
            const key = { network, ...called };
            const found = await loadFunction(context, key);
            return { ...called, ...found, ...describe(found), ops };
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

/** Returns an op as its manifest has it. One that is not executable has no calls. */
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
    async resolve({ network, packageId, manifestHash, misfits }, _, context) {
      const found = await loadPackage(context, { network, packageId });
      const readCalled = async () => {
        const operations = withReasons(await context.manifests.ops(manifestHash), manifestHash, misfits);
        const called = { packageId, ops: operations.map(toListedOp) };
        return listCalledFunctions(called, { first: functionsMax, after: undefined });
      };
      return { ...found, network, packageId, readCalled };
    },
  }),
);
