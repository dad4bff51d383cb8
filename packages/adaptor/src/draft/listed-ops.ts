import { isCallable } from '../introspect/executable.ts';
import type { IntrospectedOp, IntrospectedWitness, Introspection } from '../introspect/types.ts';

/**
 * Selects the functions that belong to a listing: those that do something with a wallet and belong to the service. In a
 * package with several services, each module works for the witness that it defines, since no other module can make one.
 */
export function listedOps({ ops, witnesses }: Introspection, witness: IntrospectedWitness): IntrospectedOp[] {
  const others = new Set(witnesses.map(({ module }) => module));
  others.delete(witness.module);
  return ops.filter(
    (op) => op.touchesWallet && isCallable(op) && changesSomething(op) && !others.has(op.module),
  );
}

/** A function that only borrows its arguments immutably is a read. */
const changesSomething = ({ params }: IntrospectedOp) =>
  params.some(({ role, reference }) => (role === 'wallet' || role === 'object') && reference !== 'immutable');
