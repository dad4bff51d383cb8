import { z } from 'zod';
import { normalizeAddress } from '../chain/names.ts';
import type { LinkedCall, PastArgument, PastCall } from './past-call.ts';

const position = z.int().min(0);

const sequenceArgument = z.union([
  z.object({ result: z.object({ call: position, index: position }) }).meta({
    description: 'A result of an earlier call of the sequence.',
  }),
  z.object({ argument: position }).meta({ description: "The same as this argument of the op's own call." }),
  z
    .object({ objectId: z.string() })
    .meta({ description: 'A shared or immutable object, the same in all samples.' }),
  z.object({ open: z.string() }).meta({ description: 'Why nothing is known of it.' }),
]);

/** Schema of the calls that past transactions combined a call with: those that it exchanged results with. */
export const sequenceSchema = z.object({
  calls: z.array(
    z.object({
      packageId: z.string().nullable().meta({ description: 'Null: the package itself.' }),
      module: z.string(),
      entry: z.string(),
      isOwn: z.boolean().meta({ description: "The op's own call." }),
      typeArgs: z.array(z.string().nullable()).meta({
        description:
          "A Move type, `T0` for the first type argument of the op's own call, or null where samples differ.",
      }),
      args: z.array(sequenceArgument),
    }),
  ),
  samples: z.int().min(1).meta({ description: 'Calls that were combined so.' }),
});

export type Sequence = z.infer<typeof sequenceSchema>;
type SequenceArgument = z.infer<typeof sequenceArgument>;

/** Id of the clock, which a sequence may use even if the op's own call does not take it. */
export const clockId = normalizeAddress('0x6');

/** A call of one sample. `same` lists the arguments of the op's own call that have the same value. */
interface SequenceStep extends Omit<LinkedCall, 'args' | 'typeArguments'> {
  typeArguments: { type: string | null; same: Set<number> }[];
  args: { given: PastArgument | { kind: 'differs' }; same: Set<number> }[];
}

interface SequenceTally {
  add(call: PastCall): void;
  /** Null if calls were made alone, or combined in more than one way. */
  sequence(): Sequence | null;
}

/** Counts the combinations of past calls with others. */
export function createSequenceTally(versionIds: ReadonlySet<string>): SequenceTally {
  let steps: SequenceStep[] | undefined;
  let shape: string | undefined;
  let samples = 0;
  let differs = false;
  return {
    add(call) {
      if (differs) return;
      const linked = call.linked();
      const found = linked && serializeShape(linked, versionIds);
      if (!linked || (shape !== undefined && shape !== found)) {
        differs = true;
        return;
      }
      shape = found;
      samples++;
      const sample = linked.map((one) => toStep(one, call));
      if (steps) mergeInto(steps, sample);
      else steps = sample;
    },
    sequence() {
      if (differs || !steps) return null;
      return { calls: steps.map((step) => toCall(step, versionIds)), samples };
    },
  };
}

/** The part of a sequence that must be equal in all samples: the functions, and the flow of results. */
const serializeShape = (linked: readonly LinkedCall[], versionIds: ReadonlySet<string>) =>
  JSON.stringify(
    linked.map(({ packageId, module, name, args, isSubject, typeArguments }) => [
      versionIds.has(packageId) ? null : packageId,
      module,
      name,
      isSubject,
      typeArguments.length,
      args.map((one) => (one.kind === 'result' ? [one.command ?? null, one.index ?? 0] : null)),
    ]),
  );

function toStep({ typeArguments, args, ...call }: LinkedCall, subject: PastCall): SequenceStep {
  const findPositions = <T>(all: readonly T[], accepts: (one: T) => boolean) =>
    new Set(all.flatMap((one, at) => (accepts(one) ? [at] : [])));
  return {
    ...call,
    typeArguments: typeArguments.map((type) => ({
      type,
      same: findPositions(subject.typeArguments, (other) => other === type),
    })),
    args: args.map((given) => ({
      given,
      same: findPositions(subject.args, (other) => isSame(other, given)),
    })),
  };
}

function isSame(a: PastArgument, b: PastArgument): boolean {
  if (a.kind === 'pure' && b.kind === 'pure') return a.base64 === b.base64;
  return a.kind === 'object' && b.kind === 'object' && a.objectId === b.objectId;
}

function mergeInto(steps: SequenceStep[], sample: readonly SequenceStep[]): void {
  for (const [at, step] of steps.entries()) {
    step.typeArguments.forEach((one, index) => {
      const other = sample[at]!.typeArguments[index]!;
      one.same = one.same.intersection(other.same);
      if (one.type !== other.type) one.type = null;
    });
    step.args.forEach((one, index) => {
      const other = sample[at]!.args[index]!;
      one.same = one.same.intersection(other.same);
      const { given } = one;
      const { given: another } = other;
      if (given.kind === 'result' || given.kind === 'differs' || another.kind === 'differs') return;
      const areOwned = given.kind === 'owned' && another.kind === 'owned';
      if (!areOwned && !isSame(given, another)) one.given = { kind: 'differs' };
    });
  }
}

function toCall(
  { packageId, module, name, isSubject, typeArguments, args }: SequenceStep,
  versionIds: ReadonlySet<string>,
): Sequence['calls'][number] {
  return {
    packageId: versionIds.has(packageId) ? null : packageId,
    module,
    entry: name,
    isOwn: isSubject,
    typeArgs: typeArguments.map(({ type, same }) => {
      const [first] = same;
      return first === undefined ? type : `T${first}`;
    }),
    args: args.map(toSequenceArgument),
  };
}

function toSequenceArgument({ given, same }: SequenceStep['args'][number]): SequenceArgument {
  if (given.kind === 'result') {
    const { command, index = 0 } = given;
    return command === undefined ? { open: 'it was the gas coin' } : { result: { call: command, index } };
  }
  if (given.kind === 'object' && given.objectId === clockId) return { objectId: clockId };
  const [first] = same;
  if (first !== undefined) return { argument: first };
  if (given.kind === 'object') return { objectId: given.objectId };
  if (given.kind === 'owned') return { open: "it was an object of the sender's" };
  return { open: given.kind === 'pure' ? 'it is a value of its own' : 'it differed between past calls' };
}
