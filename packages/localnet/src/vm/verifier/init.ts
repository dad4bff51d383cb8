import { suiVerificationError } from '../errors.ts';
import { isFrameworkType } from '../framework.ts';
import type { LoadedFunction, LoadedModule } from '../loader/module.ts';
import type { FunctionBody } from './body.ts';
import { calleeName, calleeOf } from './effects.ts';
import { oneTimeWitnessOf } from './one-time-witness.ts';

/**
 * `init`, which runs when its module is published: it is private, no entry, without type parameters and results,
 * takes the transaction's context as its last parameter, and before it the module's one-time witness exactly when
 * there is one.
 */
export function checkInit(module: LoadedModule): void {
  const init = module.function('init');
  if (init === undefined) return;
  const { parameters } = init;
  const witness = oneTimeWitnessOf(module);
  const [first] = parameters;
  const witnessIsRight =
    witness === undefined ||
    (first?.kind === 'datatype' && first.datatype === witness && first.args.length === 0);
  const isRight =
    init.visibility === 'Private' &&
    !init.isEntry &&
    init.constraints.length === 0 &&
    init.returns.length === 0 &&
    parameters.length === (witness === undefined ? 1 : 2) &&
    takesContext(init) &&
    witnessIsRight;
  if (!isRight) throw suiVerificationError(`${module.name}::init must be init([WITNESS,] &mut TxContext)`);
}

function takesContext({ parameters }: LoadedFunction): boolean {
  const last = parameters.at(-1);
  return last?.kind === 'reference' && isFrameworkType(last.to, 'sui', 'tx_context', 'TxContext');
}

/** No code calls an `init`. */
export function checkInitNotCalled(body: FunctionBody): void {
  for (const [pc, { name, operand }] of body.instructions.entries()) {
    if (name !== 'Call' && name !== 'CallGeneric') continue;
    const callee = calleeName(body.module, calleeOf(body.module.json, name, Number(operand)));
    if (callee.function !== 'init') continue;
    throw suiVerificationError(`${callee.module}::init is called`).at(body.place(pc));
  }
}
