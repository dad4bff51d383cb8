import type { InferredArgument } from '../infer/inference.ts';
import type { IntrospectedParam } from '../introspect/types.ts';
import { typeArgsFrom } from '../move-types.ts';

/** An object that the publisher named for the draft, as it is on chain. */
export interface NamedObject {
  objectId: string;
  type: string;
  isImmutable: boolean;
}

/** The only object that an argument can be, or the reason why there is none. */
export type FixedObject =
  | { objectId: string; type?: string | undefined; from: 'network' | 'publisher' | 'past calls' }
  | { missing: string };

/**
 * Finds the only object that an argument can be: one with the same address on every network, else one that the
 * publisher named, else the one that all past calls used. Past calls that differ decide nothing, however often they
 * used one object: anyone can make calls.
 */
export function fixObject(
  param: IntrospectedParam,
  past: InferredArgument | undefined,
  named: readonly NamedObject[],
): FixedObject {
  if (param.objectId) return { objectId: param.objectId, from: 'network' };
  const ofType = named.filter(({ type }) => typeArgsFrom(param.type, type));
  const fitting = ofType.filter(({ isImmutable }) => param.reference !== 'mutable' || !isImmutable);
  const [one, another] = fitting;
  if (one && !another) return { objectId: one.objectId, type: one.type, from: 'publisher' };
  if (another) {
    return { missing: `${fitting.length} of the named objects are a ${param.type}; name one of them alone` };
  }
  const [frozen] = ofType;
  if (frozen) {
    const { objectId } = frozen;
    return { missing: `${objectId} is immutable, and the function changes it; name a shared ${param.type}` };
  }
  const candidates = past?.objectCandidates ?? [];
  const single = candidates.find(({ objectId }) => objectId === past?.singleton);
  if (single) return { objectId: single.objectId, type: single.type, from: 'past calls' };
  if (candidates.length > 0) {
    const shown = candidates.slice(0, candidatesShownMax).map(({ objectId }) => objectId);
    return {
      missing: `past calls used ${past?.distinct} objects as ${param.type}; name one: ${shown.join(', ')}`,
    };
  }
  if (past && past.owned > 0)
    return { missing: `a ${param.type} of the caller's own cannot stand in a manifest` };
  return { missing: `no past call shows which ${param.type} it is; name its object id` };
}

const candidatesShownMax = 5;
