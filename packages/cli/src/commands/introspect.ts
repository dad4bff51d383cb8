import { warningSchema } from '@adaptor-marketplace/adaptor/draft';
import {
  type InferredArgument,
  inferenceSchema,
  type PureCandidate,
} from '@adaptor-marketplace/adaptor/infer';
import { z } from 'zod';
import { parseResponse } from '../api.ts';
import { formatWarningLines } from '../draft.ts';
import { formatTable, type Io, shortenType } from '../io.ts';
import {
  type ApiOptions,
  addExamples,
  addressArgument,
  answer,
  createApiCommand,
  createMarketplaceClient,
  functionArgument,
  pickNetwork,
} from '../options.ts';

const introspection = z.object({
  witnesses: z.array(z.object({ serviceType: z.string(), warnings: z.array(warningSchema).default([]) })),
  ops: z.array(
    z.object({
      module: z.string(),
      entry: z.string(),
      executable: z.boolean(),
      reason: z.object({ code: z.string(), detail: z.string() }).optional(),
      params: z.array(
        z.object({
          role: z.string(),
          confidence: z.string(),
          type: z.string(),
          name: z.string().optional(),
        }),
      ),
      typeParams: z.array(z.object({ role: z.string().optional() })),
    }),
  ),
});

type Op = z.infer<typeof introspection>['ops'][number];

/** `introspect`: shows the witnesses and functions of a package. */
export function createIntrospectCommand(io: Io) {
  const command = createApiCommand(
    'introspect',
    'Shows the witnesses and functions of a package, and the roles of their arguments.',
  )
    .argument('<package>', 'id of the package', addressArgument)
    .option('--all', 'include functions that no transaction can call')
    .action(async (packageId: string, options: ApiOptions & { all?: boolean }) => {
      const { api } = await createMarketplaceClient(io, options);
      const body = await api.introspectPackage({ body: { packageId, ...pickNetwork(options) } });
      const found = parseResponse(introspection, body);
      answer(io, options, body, () => formatIntrospection(found, options.all ?? false, io.columns));
    });
  return addExamples(command, 'introspect 0xbfc9...', 'introspect 0xbfc9... --all --json');
}

function formatIntrospection(
  { witnesses, ops }: z.infer<typeof introspection>,
  all: boolean,
  columns: number | undefined,
): string[] {
  const shown = ops.filter(({ reason }) => all || reason?.code !== 'not_callable');
  const guessed = shown.some(({ params }) => params.some(({ confidence }) => confidence === 'low'));
  return [
    ...(witnesses.length === 0 ? ['No witness: the package names no service.'] : []),
    ...witnesses.flatMap(({ serviceType, warnings }) => [
      `witness  ${serviceType}`,
      ...formatWarningLines(warnings),
    ]),
    ...(shown.length === 0 ? ['No function that a transaction can call.'] : ['']),
    ...(shown.length === 0 ? [] : formatTable(['FUNCTION', 'CALL', 'ARGUMENTS'], shown.map(toRow), columns)),
    ...(guessed ? ['', '? is a guess from the position alone.'] : []),
  ];
}

function toRow({ module, entry, executable, reason, params, typeParams }: Op): string[] {
  const types = typeParams.map(({ role }, index) => role ?? `T${index}`).join(', ');
  const args = params.filter(({ role }) => role !== 'ctx').map(describeParameter);
  return [
    `${module}::${entry}`,
    executable ? 'whole' : (reason?.code ?? 'no'),
    `${types && `<${types}> `}${args.join(', ')}`,
  ];
}

function describeParameter({ role, confidence, type, name }: Op['params'][number]): string {
  const described = role === 'object' || role === 'pure' ? `${name ?? role}: ${shortenType(type)}` : role;
  return confidence === 'low' ? `${described}?` : described;
}

/** Bound on the candidates of one argument in the table. `--json` prints all candidates of the response. */
const shownMax = 4;

/** `infer`: shows the arguments of a function's past calls. */
export function createInferCommand(io: Io) {
  const command = createApiCommand(
    'infer',
    'Shows the objects, values and types that past calls of a function used.',
  )
    .argument('<package>', 'id of the package', addressArgument)
    .argument('<function>', 'name, or module::function', functionArgument)
    .option('--all-versions', 'include calls of other versions of the package')
    .action(async (packageId: string, entry: string, options: ApiOptions & { allVersions?: boolean }) => {
      const { allVersions } = options;
      const { api } = await createMarketplaceClient(io, options);
      const body = await api.inferCall({
        body: { packageId, entry, ...pickNetwork(options), ...(allVersions && { allVersions }) },
      });
      const inference = parseResponse(inferenceSchema, body);
      answer(io, options, body, () => formatInference(inference, io.columns));
    });
  return addExamples(command, 'infer 0xbfc9... deposit', 'infer 0xbfc9... nest_egg::deposit --all-versions');
}

function formatInference(inference: z.infer<typeof inferenceSchema>, columns: number | undefined): string[] {
  const { module, entry, samples, truncated, args, typeArgCandidates } = inference;
  const heading = `${samples} ${samples === 1 ? 'call' : 'calls'} of ${module}::${entry}`;
  if (samples === 0) return [`${heading}.`];
  const rows = [
    ...typeArgCandidates.flatMap((candidates, index) =>
      candidates
        .slice(0, shownMax)
        .map(({ type, count, lastMs }) => [`T${index}`, ...formatUse(count, lastMs), type]),
    ),
    ...args.flatMap((one, index) => toRows(one).map((row) => [String(index), ...row])),
  ];
  return [
    `${heading}${truncated ? '; older ones may be missing' : ''}`,
    ...formatTable(['ARGUMENT', 'CALLS', 'LAST', 'USED'], rows, columns),
  ];
}

function toRows(argument: InferredArgument) {
  const { objectCandidates, singleton, singletonFrom, pureCandidates, distinct, owned, results } = argument;
  const suffix = singletonFrom && objectCandidates.length === 0 ? ' (all calls)' : '';
  const rows = [
    ...objectCandidates.map(({ objectId, type = '', count, lastMs }) => [
      ...formatUse(count, lastMs),
      `${objectId} ${shortenType(type)}${objectId === singleton ? ' (all calls)' : ''}`,
    ]),
    ...pureCandidates.map((one) => [...formatUse(one.count, one.lastMs), `${formatValue(one)}${suffix}`]),
  ].slice(0, shownMax);
  return [
    ...rows,
    ...(distinct > rows.length ? [['', '', `and ${distinct - rows.length} more`]] : []),
    ...(owned > 0 ? [[String(owned), '', "an object of the sender's"]] : []),
    ...(results > 0 ? [[String(results), '', 'what an earlier command had made']] : []),
  ];
}

const formatUse = (count: number, lastMs: number) => [
  String(count),
  new Date(lastMs).toISOString().slice(0, 19),
];

const formatValue = (candidate: PureCandidate) =>
  'value' in candidate
    ? `${JSON.stringify(candidate.value)} ${candidate.type}`
    : `${candidate.bytes} (${candidate.type}, ${candidate.reason})`;
