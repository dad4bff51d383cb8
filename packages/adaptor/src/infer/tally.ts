import type { IntrospectedParam } from '../introspect/types.ts';
import { instantiate } from '../move-types.ts';
import { type CallerTally, createCallerTally } from './callers.ts';
import { decodePure } from './decode-pure.ts';
import type { Inference, InferredArgument, ObjectCandidate } from './inference.ts';
import { isPresentable, staysOpen } from './open-values.ts';
import type { PastArgument, PastCall } from './past-call.ts';

/** The parameters of the function whose calls are counted, without TxContext. */
type CountedParam = Pick<IntrospectedParam, 'type' | 'reference' | 'role' | 'name'>;

/** The facts that the counted calls show. */
type CallStatistics = Pick<Inference, 'args' | 'sampleTypeArgs' | 'typeArgCandidates' | 'samples'>;

interface Tally {
  /**
   * Adds a call. The order is latest first. Ignores a call of another shape, which a function of another version may
   * have.
   */
  add(call: PastCall): void;
  counts(): CallStatistics;
}

/** Bound on the candidates for each argument and type parameter. */
const candidatesMax = 16;
/** Maximum number of characters of a type in a call spec. */
const typeLengthMax = 512;

interface UseCount {
  count: number;
  lastMs: number;
}

/** Counts the arguments of past calls. */
export function createTally(params: readonly CountedParam[], typeParamCount: number): Tally {
  const args = params.map(createArgumentTally);
  const types = Array.from({ length: typeParamCount }, () => new Map<string, UseCount & { type: string }>());
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
      typeArgCandidates: types.map((seen) => selectMostUsed(seen)),
      samples,
    }),
  };
}

/** Least number of calls and senders that decide a plain value. One caller's habit does not. */
const agreeing = { calls: 3, senders: 2 };

interface ObjectUse extends ObjectCandidate {
  callers: CallerTally;
}

interface PureUse extends UseCount {
  type: string;
  base64: string;
  callers: CallerTally;
}

function createArgumentTally(param: CountedParam) {
  const { type, reference, role } = param;
  const objects = new Map<string, ObjectUse>();
  const pures = new Map<string, PureUse>();
  const others = { owned: 0, results: 0 };
  const isGeneric = instantiate(type, []) === undefined;

  function add(argument: PastArgument, call: PastCall): void {
    const { typeArguments, atMs } = call;
    if (argument.kind === 'owned') others.owned++;
    if (argument.kind === 'result') others.results++;
    // Each caller knows its own wallet, so the wallets of others are not candidates.
    if (role === 'wallet') return;
    if (argument.kind === 'object') {
      const candidate = () => ({ ...toObjectCandidate(argument, reference), callers: createCallerTally() });
      count(objects, argument.objectId, atMs, candidate).callers.add(call);
    }
    if (argument.kind === 'pure') {
      const { base64 } = argument;
      const given = isGeneric ? (instantiate(type, typeArguments) ?? type) : type;
      const key = isGeneric ? `${given} ${base64}` : base64;
      count(pures, key, atMs, () => ({ type: given, base64, callers: createCallerTally() })).callers.add(
        call,
      );
    }
  }

  function counts(samples: number): InferredArgument {
    const pureCandidates = selectMostUsed(pures).map(({ base64, callers: _callers, ...use }) => ({
      ...decodePure(use.type, Buffer.from(base64, 'base64')),
      ...use,
    }));
    return {
      objectCandidates: selectMostUsed(objects).map(({ callers: _callers, ...candidate }) => candidate),
      ...(singletonObject(samples) ?? singletonValue(samples) ?? none),
      pureCandidates,
      distinct: objects.size + pures.size,
      ...others,
    };
  }

  function singletonObject(samples: number): Singleton | undefined {
    const [only] = objects.values();
    if (only?.count !== samples) return undefined;
    return { singleton: only.objectId, singletonFrom: only.callers.counts() };
  }

  function singletonValue(samples: number): Singleton | undefined {
    const [only] = pures.values();
    if (only?.count !== samples || staysOpen({ ...param, type: only.type })) return undefined;
    const callers = only.callers.counts();
    if (callers.calls < agreeing.calls || callers.senders < agreeing.senders) return undefined;
    const bytes = Buffer.from(only.base64, 'base64');
    const decoded = decodePure(only.type, bytes);
    if (!('value' in decoded) || !isPresentable(decoded.value, bytes.length)) return undefined;
    return { singleton: decoded.value, singletonFrom: callers };
  }

  return { add, counts };
}

type Singleton = Pick<InferredArgument, 'singleton' | 'singletonFrom'>;
const none: Singleton = { singleton: null, singletonFrom: null };

function toObjectCandidate(
  { objectId, initialSharedVersion, type }: Extract<PastArgument, { kind: 'object' }>,
  reference: CountedParam['reference'],
): Omit<ObjectCandidate, keyof UseCount> {
  return {
    objectId,
    kind: initialSharedVersion === undefined ? 'immutable' : 'shared',
    ...(type !== undefined && type.length <= typeLengthMax && { type }),
    ...(initialSharedVersion !== undefined && { initialSharedVersion }),
    mutable: reference !== 'immutable',
  };
}

/** Counts a use. Calls come latest first, so the call that creates an entry is the last one that used the value. */
function count<T extends UseCount>(
  seen: Map<string, T>,
  key: string,
  atMs: number,
  thing: () => Omit<T, keyof UseCount>,
): T {
  const found = seen.get(key);
  if (found) {
    found.count++;
    return found;
  }
  const first = { ...thing(), count: 1, lastMs: atMs } as T;
  seen.set(key, first);
  return first;
}

function selectMostUsed<T extends UseCount>(seen: ReadonlyMap<string, T>): T[] {
  return seen
    .entries()
    .toArray()
    .sort(([aKey, a], [bKey, b]) => b.count - a.count || b.lastMs - a.lastMs || (aKey < bKey ? -1 : 1))
    .slice(0, candidatesMax)
    .map(([, use]) => use);
}
