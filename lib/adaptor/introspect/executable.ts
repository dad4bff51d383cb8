import type { FunctionHandle } from './code/module.ts';
import { hasAbility, isSystemType, type MoveType, referent } from './code/move-type.ts';
import { isPure } from './pure.ts';
import type { IntrospectedOp, IntrospectedParam, NotExecutable } from './types.ts';

type Callable = Pick<IntrospectedOp, 'visibility' | 'isEntry'>;

/**
 * Why a transaction cannot consist of this call alone, with fixed objects and plain values; undefined when it can.
 * The first reason of several: the function, then what it gives, then its arguments in order.
 */
export function whyNotExecutable(
  { visibility, isEntry }: Callable,
  { parameters, returns, constraints }: FunctionHandle,
  params: readonly IntrospectedParam[],
  write: (type: MoveType) => string,
): NotExecutable | undefined {
  if (visibility !== 'public' && !isEntry) {
    return { code: 'not_callable', detail: `It is ${visibility}, and no entry function.` };
  }
  for (const type of returns) {
    if (type.kind === 'reference') {
      return {
        code: 'returns_reference',
        detail: `It returns ${write(type)}, which only Move code can use.`,
      };
    }
    if (hasAbility(type, 'drop', constraints)) continue;
    return { code: 'returns_value', detail: `It returns ${write(type)}, which another command must take.` };
  }
  for (const [i, type] of parameters.entries()) {
    const found = whyNotGiven(type, params[i]!, constraints);
    if (found) return { code: found.code, detail: `Argument ${i} (${params[i]!.typeStr}) ${found.why}` };
  }
  return undefined;
}

function whyNotGiven(
  type: MoveType,
  { role, reference }: IntrospectedParam,
  constraints: readonly number[],
): { code: NotExecutable['code']; why: string } | undefined {
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
  const potato = !(['copy', 'drop', 'store'] as const).some((name) => hasAbility(held, name, constraints));
  if (potato) return { code: 'takes_hot_potato', why: 'only exists within a transaction that made it.' };
  return { code: 'takes_value', why: 'is a value that only another command can make.' };
}
