import { clockId, type Sequence } from '../infer/sequence.ts';
import type { IntrospectedOp } from '../introspect/types.ts';
import type { CallSpec, StepArgument, StepSpec } from '../manifest/call-spec.ts';
import { typeParamIndex } from '../move-types.ts';

/**
 * Whether a call of an op may stand in a manifest: alone, or with others of its transaction, which past calls show, where
 * it hands out what another call must take.
 */
export const isDraftable = ({ executable, reason }: Pick<IntrospectedOp, 'executable' | 'reason'>) =>
  executable || reason?.code === 'returns_hot_potato' || reason?.code === 'returns_value';

interface DraftedSequence {
  calls?: StepSpec[];
  /** Clauses that each say what is missing; empty exactly where there are calls. */
  missing: string[];
  /** Objects that stand in it because all past calls used them. */
  mined: string[];
}

/**
 * Drafts the calls of an op that past transactions always combined in one way.
 * @param own the op's own call, as drafted
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
    // What past calls gave the op's own call is drafted already; only where its results come from is new.
    return {
      ...{ ...head, typeArgs: isOwn ? own.typeArgs : types },
      args: isOwn ? own.args.map((one, at) => (given[at]?.role === 'result' ? given[at] : one)) : given,
    };
  });
  return missing.length > 0 ? { missing, mined: [] } : { calls: steps, missing, mined: [...mined] };
}
