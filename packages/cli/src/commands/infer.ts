import {
  type InferredArgument,
  inferenceSchema,
  type PureCandidate,
} from '@adaptor-marketplace/adaptor/infer/inference';
import type { z } from 'zod';
import { read } from '../api/read.ts';
import { addressArgument, functionArgument } from '../arguments.ts';
import type { Io } from '../io.ts';
import { type ApiOptions, answer, apiCommand, apiOf, withExamples } from '../options.ts';
import { shortType } from '../output/short-type.ts';
import { table } from '../output/table.ts';

/** Candidates of one argument that people are shown; `--json` has all that were answered. */
const shownMax = 4;

/** What past calls of a function were given. */
export function inferCommand(io: Io) {
  const command = apiCommand('infer', 'The objects, values and types that past calls of a function used.')
    .argument('<package>', 'id of the package', addressArgument)
    .argument('<function>', 'its name, or module::function', functionArgument)
    .option('--all-versions', 'calls of other versions of the package count too')
    .action(async (packageId: string, entry: string, options: ApiOptions & { allVersions?: boolean }) => {
      const { network, allVersions } = options;
      const request = { packageId, entry, network, allVersions };
      const api = await apiOf(io, options);
      const { body } = await api.post('/api/adaptors/infer', request);
      answer(io, options, body, () => linesOf(read(inferenceSchema, body)));
    });
  return withExamples(command, 'infer 0xbfc9... deposit', 'infer 0xbfc9... nest_egg::deposit --all-versions');
}

function linesOf(inference: z.infer<typeof inferenceSchema>): string[] {
  const { module, entry, samples, truncated, args, typeArgCandidates } = inference;
  const heading = `${samples} ${samples === 1 ? 'call' : 'calls'} of ${module}::${entry}`;
  if (samples === 0) return [`${heading}.`];
  const rows = [
    ...typeArgCandidates.flatMap((candidates, index) =>
      candidates
        .slice(0, shownMax)
        .map(({ type, count, lastMs }) => [`T${index}`, ...use(count, lastMs), type]),
    ),
    ...args.flatMap((one, index) => rowsOf(one).map((row) => [String(index), ...row])),
  ];
  return [
    `${heading}${truncated ? '; older ones may be missing' : ''}`,
    ...table(['ARGUMENT', 'CALLS', 'LAST', 'USED'], rows),
  ];
}

function rowsOf(argument: InferredArgument) {
  const { objectCandidates, singleton, singletonFrom, pureCandidates, distinct, owned, results } = argument;
  const agreed = singletonFrom && objectCandidates.length === 0 ? ' (all calls)' : '';
  const rows = [
    ...objectCandidates.map(({ objectId, type = '', count, lastMs }) => [
      ...use(count, lastMs),
      `${objectId} ${shortType(type)}${objectId === singleton ? ' (all calls)' : ''}`,
    ]),
    ...pureCandidates.map((one) => [...use(one.count, one.lastMs), `${shownValue(one)}${agreed}`]),
  ].slice(0, shownMax);
  return [
    ...rows,
    ...(distinct > rows.length ? [['', '', `and ${distinct - rows.length} more`]] : []),
    ...(owned > 0 ? [[String(owned), '', "an object of the sender's"]] : []),
    ...(results > 0 ? [[String(results), '', 'what an earlier command had made']] : []),
  ];
}

const use = (count: number, lastMs: number) => [String(count), new Date(lastMs).toISOString().slice(0, 19)];

const shownValue = (candidate: PureCandidate) =>
  'value' in candidate
    ? `${JSON.stringify(candidate.value)} ${candidate.type}`
    : `${candidate.bytes} (${candidate.type}, ${candidate.reason})`;
