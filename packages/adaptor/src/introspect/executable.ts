import type { FunctionHandle } from './code/module.ts';
import { hasAbility, isSystemType, type MoveType, referent } from './code/move-type.ts';
import { isPure } from './pure.ts';
import type { IntrospectedOp, IntrospectedParam, NotExecutableReason } from './types.ts';

/** Visibilities by their names in bytecode. */
export const visibilities = { Public: 'public', Friend: 'friend', Private: 'private' } as const;

type FunctionAccess = Pick<IntrospectedOp, 'visibility' | 'isEntry'>;

/** Returns `true` if transactions can call the function. */
export const isCallable = ({ visibility, isEntry }: FunctionAccess) => visibility === 'public' || isEntry;

/**
 * Explains why a transaction cannot consist of this call alone, with fixed objects and plain values. Returns undefined
 * if it can. Of several reasons, returns the first: the function, then its results, then its arguments in order.
 */
export function explainNotExecutable(
  callable: FunctionAccess,
  { parameters, returns, constraints }: FunctionHandle,
  params: readonly IntrospectedParam[],
  write: (type: MoveType) => string,
): NotExecutableReason | undefined {
  if (!isCallable(callable)) {
    return { code: 'not_callable', detail: `It is ${callable.visibility}, and no entry function.` };
  }
  const takesWallet = params.some(({ role }) => role === 'wallet');
  if (takesWallet && parameters.some((type) => isSystemType(referent(type), '0x2::random::Random'))) {
    const detail =
      'It takes the wallet and Random, after which the chain allows no further call, so no action can call it.';
    return { code: 'takes_random', detail };
  }
  // The chain refuses to pass such a function a value that is entangled with a hot potato of the transaction, such as
  // an action's ticket.
  if (callable.visibility !== 'public' && takesWallet) {
    const detail =
      'It takes the wallet and is an entry function that is not public, so no action can call it: make it public fun.';
    return { code: 'needs_public', detail };
  }
  const reference = returns.find(({ kind }) => kind === 'reference');
  if (reference) {
    const detail = `It returns ${write(reference)}, which only Move code can use.`;
    return { code: 'returns_reference', detail };
  }
  const potato = returns.find((type) => isHotPotato(type, constraints));
  if (potato) {
    const detail = `It returns ${write(potato)}, which another call of the same transaction must take.`;
    return { code: 'returns_hot_potato', detail };
  }
  const kept = returns.find((type) => !hasAbility(type, 'drop', constraints));
  if (kept) {
    return { code: 'returns_value', detail: `It returns ${write(kept)}, which another command must take.` };
  }
  for (const [i, type] of parameters.entries()) {
    const found = explainUnusableParameter(type, params[i]!, constraints);
    if (found) return { code: found.code, detail: `Argument ${i} (${params[i]!.typeStr}) ${found.why}` };
  }
  return undefined;
}

function explainUnusableParameter(
  type: MoveType,
  { role, reference }: IntrospectedParam,
  constraints: readonly number[],
): { code: NotExecutableReason['code']; why: string } | undefined {
  const held = referent(type);
  if (role === 'ctx' || isPure(type)) return undefined;
  if (role === 'clock') {
    if (reference === 'immutable') return undefined;
    return { code: 'takes_mutable_clock', why: 'is the clock, which transactions may only read.' };
  }
  if (held.kind === 'parameter' && !hasAbility(held, 'key', constraints)) {
    return { code: 'takes_generic_value', why: 'is a value of a type that the caller chooses.' };
  }
  if (hasAbility(held, 'key', constraints)) {
    if (reference !== 'none') return undefined;
    return { code: 'takes_owned_object', why: "is an object of the caller's own that the call uses up." };
  }
  if (isSystemType(held, '0x2::transfer::Receiving')) {
    return { code: 'takes_owned_object', why: 'is an object that was sent to another one.' };
  }
  if (isHotPotato(held, constraints)) {
    return { code: 'takes_hot_potato', why: 'only exists within a transaction that made it.' };
  }
  return { code: 'takes_value', why: 'is a value that only another command can make.' };
}

/** Returns `true` for a value that can be neither stored nor dropped: a call must take it apart. */
export function isHotPotato(type: MoveType, constraints: readonly number[]): boolean {
  if (type.kind !== 'datatype') return false;
  return !(['copy', 'drop', 'store', 'key'] as const).some((name) => hasAbility(type, name, constraints));
}
