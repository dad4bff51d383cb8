import { isCallable } from '../introspect/executable.ts';
import type { IntrospectedOp, Introspection } from '../introspect/types.ts';

/**
 * The result of a search. `unknown`: no such function. `uncallable`: no transaction can call it. `ambiguous`: several
 * modules have the name.
 */
export type FoundOp =
  | { status: 'found'; op: IntrospectedOp }
  | { status: 'unknown' }
  | { status: 'uncallable' | 'ambiguous'; names: string[] };

/** Finds a function by `function` or `module::function` among those that transactions can call. */
export function findOp({ ops }: Introspection, entry: string): FoundOp {
  const named = ops.filter((op) => op.entry === entry || formatOpName(op) === entry);
  const [op, ...others] = named.filter(isCallable);
  if (op && others.length === 0) return { status: 'found', op };
  if (op) return { status: 'ambiguous', names: [op, ...others].map(formatOpName) };
  return named.length === 0
    ? { status: 'unknown' }
    : { status: 'uncallable', names: named.map(formatOpName) };
}

const formatOpName = ({ module, entry }: IntrospectedOp) => `${module}::${entry}`;
