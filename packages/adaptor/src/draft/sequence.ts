import { clockId, type Sequence } from '../infer/sequence.ts';
import type { IntrospectedOp } from '../introspect/types.ts';
import type { CallSpec, StepArgument, StepSpec } from '../manifest/call-spec.ts';
import { typeParamIndex } from '../move-types.ts';

/**
 * True for an op that a manifest can call: alone, or together with the calls that take its result. Past calls show
 * which those are.
 */
export const isDraftable = ({ executable, reason }: Pick<IntrospectedOp, 'executable' | 'reason'>) =>
  executable || reason?.code === 'returns_hot_potato' || reason?.code === 'returns_value';

interface DraftedSequence {
  calls?: StepSpec[];
  /** Clauses that each say what is missing. Empty exactly if there are calls. */
  missing: string[];
  /** Ids of objects in the calls that come from past calls, which all used them. */
  mined: string[];
}

/**
 * Drafts the calls of an op that past transactions always combined in one way.
 * @param own the drafted call of the op itself
 */
export function draftSequence({ calls }: Sequence, own: CallSpec): DraftedSequence {
  const missing: string[] = [];
  const mined = new Set<string>();
  const steps = calls.map(({ packageId, module, entry, isOwn, typeArgs, args }, position): StepSpec => {
    const name = `call ${position} (${module}::${entry})`;
    const types = typeArgs.map((type, at) => {
      const index = type === null ? undefined : typeParamIndex(type);
      const spelled = index === undefined ? type : own.typeArgs[index];
      if (typeof spelled === 'string') return spelled;
      missing.push(`past calls differ in type argument ${at} of ${name}`);
      return '';
    });
    const given = args.map((argument, at): StepArgument => {
      if ('result' in argument) return { role: 'result', ...argument.result };
      const same = 'argument' in argument ? own.args[argument.argument] : undefined;
      if (same) return same;
      if ('objectId' in argument) {
        const { objectId } = argument;
        if (objectId === clockId) return { role: 'clock' };
        mined.add(objectId);
        return { role: 'object', objectId };
      }
      missing.push(
        `argument ${at} of ${name} is unknown: ${'open' in argument ? argument.open : 'it has none'}`,
      );
      return { role: 'clock' };
    });
    const head = { ...(packageId !== null && { packageId }), module, entry };
    // The draft already has the values of the op's own call. Only the sources of its results are new.
    return {
      ...head,
      typeArgs: isOwn ? own.typeArgs : types,
      args: isOwn ? own.args.map((one, at) => (given[at]?.role === 'result' ? given[at] : one)) : given,
    };
  });
  return missing.length > 0 ? { missing, mined: [] } : { calls: steps, missing, mined: [...mined] };
}
