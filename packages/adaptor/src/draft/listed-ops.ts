import { isCallable } from '../introspect/executable.ts';
import type { IntrospectedOp, IntrospectedWitness, Introspection } from '../introspect/types.ts';

/**
 * The functions that a listing is about: those that do something with a wallet, and that belong to the service. Of a
 * package with several services each module works for the witness that it defines, since nobody else can make one.
 */
export function listedOps({ ops, witnesses }: Introspection, witness: IntrospectedWitness): IntrospectedOp[] {
  const others = new Set(witnesses.map(({ module }) => module));
  others.delete(witness.module);
  return ops.filter(
    (op) => op.touchesWallet && isCallable(op) && changesSomething(op) && !others.has(op.module),
  );
}

/** A function that borrows all it is given only reads. */
const changesSomething = ({ params }: IntrospectedOp) =>
  params.some(({ role, reference }) => (role === 'wallet' || role === 'object') && reference !== 'immutable');
