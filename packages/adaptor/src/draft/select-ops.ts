import { isCallable } from '../introspect/executable.ts';
import type { IntrospectedOp, IntrospectedWitness, Introspection } from '../introspect/types.ts';

/** Functions of a package, as the listing of one of its witnesses treats them. */
interface SelectedOps {
  /** They do something with a wallet and belong to the service. */
  listed: IntrospectedOp[];
  /** They would belong to the service, but act in the wallet only with the witnesses of others. */
  foreign: IntrospectedOp[];
}

/**
 * Selects the functions for a listing. The bytecode shows the witness with which a function acts in a wallet. Where it
 * does not, each module of a package with several services works for the witness that it defines, since no other
 * module can make one.
 */
export function selectOps({ ops, witnesses }: Introspection, witness: IntrospectedWitness): SelectedOps {
  const others = new Set(witnesses.map(({ module }) => module));
  others.delete(witness.module);
  const isOwn = (service: string) => service === witness.serviceType;
  const selected: SelectedOps = { listed: [], foreign: [] };
  for (const op of ops) {
    if (!op.touchesWallet || !isCallable(op) || !changesSomething(op)) continue;
    const { services = [] } = op;
    if (others.has(op.module)) {
      if (services.length > 0 && services.every(isOwn)) selected.listed.push(op);
    } else if (services.length === 0 || services.some(isOwn)) selected.listed.push(op);
    else selected.foreign.push(op);
  }
  return selected;
}

/** A function that only borrows its arguments immutably is a read. */
const changesSomething = ({ params }: IntrospectedOp) =>
  params.some(({ role, reference }) => (role === 'wallet' || role === 'object') && reference !== 'immutable');
