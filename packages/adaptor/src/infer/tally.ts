import { fromBase64 } from '@mysten/sui/utils';
import type { IntrospectedParam } from '../introspect/types.ts';
import { instantiate } from '../move-types.ts';
import { decodePure } from './decode-pure.ts';
import type { Inference, InferredArgument, ObjectCandidate } from './inference.ts';
import type { PastArgument, PastCall } from './past-call.ts';

/** The parameters of the function whose calls are counted, without TxContext. */
export type CountedParam = Pick<IntrospectedParam, 'type' | 'reference' | 'role'>;

/** What the counted calls say. */
export type Counts = Pick<Inference, 'args' | 'sampleTypeArgs' | 'typeArgCandidates' | 'samples'>;

export interface Tally {
  /** Calls are added latest first. One of another shape is not counted: another version's function may have it. */
  add(call: PastCall): void;
  counts(): Counts;
}

/** Of each argument and type parameter. */
const candidatesMax = 16;
/** A call spec takes no longer type. */
const typeLengthMax = 512;

interface Use {
  count: number;
  lastMs: number;
}

/** Counts what past calls were given. */
export function tallyOf(params: readonly CountedParam[], typeParamCount: number): Tally {
  const args = params.map(argumentTally);
  const types = Array.from({ length: typeParamCount }, () => new Map<string, Use & { type: string }>());
  let sampleTypeArgs: string[] | undefined;
  let samples = 0;
  return {
    add(call) {
      const { typeArguments, atMs } = call;
      if (call.args.length !== params.length || typeArguments.length !== typeParamCount) return;
      if (typeArguments.some((type) => type.length > typeLengthMax)) return;
      samples++;
      sampleTypeArgs ??= typeArguments;
      call.args.forEach((argument, index) => {
        args[index]!.add(argument, call);
      });
      typeArguments.forEach((type, index) => {
        count(types[index]!, type, atMs, () => ({ type }));
      });
    },
    counts: () => ({
      args: args.map((argument) => argument.counts(samples)),
      sampleTypeArgs: sampleTypeArgs ?? [],
      typeArgCandidates: types.map((seen) => firstOf(seen)),
      samples,
    }),
  };
}

interface PureUse extends Use {
  type: string;
  base64: string;
}

function argumentTally({ type, reference, role }: CountedParam) {
  const objects = new Map<string, ObjectCandidate>();
  const pures = new Map<string, PureUse>();
  const others = { owned: 0, results: 0 };
  const isGeneric = instantiate(type, []) === undefined;

  function add(argument: PastArgument, { typeArguments, atMs }: PastCall): void {
    if (argument.kind === 'owned') others.owned++;
    if (argument.kind === 'result') others.results++;
    // Whose wallet it is, each caller knows: those of others are nobody's candidates.
    if (role === 'wallet') return;
    if (argument.kind === 'object') {
      count(objects, argument.objectId, atMs, () => candidateOf(argument, reference));
    }
    if (argument.kind === 'pure') {
      const given = isGeneric ? (instantiate(type, typeArguments) ?? type) : type;
      const key = isGeneric ? `${given} ${argument.base64}` : argument.base64;
      count(pures, key, atMs, () => ({ type: given, base64: argument.base64 }));
    }
  }

  function counts(samples: number): InferredArgument {
    const [only] = objects.values();
    return {
      objectCandidates: firstOf(objects),
      singleton: only && only.count === samples ? only.objectId : null,
      pureCandidates: firstOf(pures).map(({ base64, ...use }) => ({
        ...decodePure(use.type, fromBase64(base64)),
        ...use,
      })),
      distinct: objects.size + pures.size,
      ...others,
    };
  }

  return { add, counts };
}

function candidateOf(
  { objectId, initialSharedVersion, type }: Extract<PastArgument, { kind: 'object' }>,
  reference: CountedParam['reference'],
): Omit<ObjectCandidate, keyof Use> {
  return {
    objectId,
    kind: initialSharedVersion === undefined ? 'immutable' : 'shared',
    ...(type !== undefined && type.length <= typeLengthMax && { type }),
    ...(initialSharedVersion !== undefined && { initialSharedVersion }),
    mutable: reference !== 'immutable',
  };
}

/** Calls come latest first, so that the first one to use a thing was the last one to. */
function count<T extends Use>(
  seen: Map<string, T>,
  key: string,
  atMs: number,
  thing: () => Omit<T, keyof Use>,
) {
  const found = seen.get(key);
  if (found) found.count++;
  else seen.set(key, { ...thing(), count: 1, lastMs: atMs } as T);
}

function firstOf<T extends Use>(seen: ReadonlyMap<string, T>): T[] {
  return seen
    .entries()
    .toArray()
    .sort(([aKey, a], [bKey, b]) => b.count - a.count || b.lastMs - a.lastMs || (aKey < bKey ? -1 : 1))
    .slice(0, candidatesMax)
    .map(([, use]) => use);
}
