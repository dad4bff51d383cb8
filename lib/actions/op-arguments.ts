import type { ExecutableOp } from '@adaptor-marketplace/adaptor/op';
import { type OpValue, opValueOf } from '@adaptor-marketplace/adaptor/op-values';
import type { Wanted } from './requirements.ts';
import type { SlotSetting } from './slot-settings.ts';

/**
 * The values for the arguments that the manifest leaves open, by the manifest's names.
 * @param named what a slot's setting says that the manifest calls them
 */
export function valuesFor(
  { call }: ExecutableOp,
  values: Record<string, unknown> = {},
  named: SlotSetting['values'] = {},
): Record<string, unknown> {
  return Object.fromEntries(
    call.args.flatMap((argument) => {
      if (argument.role !== 'pure' || argument.value !== undefined) return [];
      const name = argument.name ?? argument.type;
      const meaning = meaningOf(name, named);
      return meaning !== undefined && Object.hasOwn(values, meaning) ? [[name, values[meaning]]] : [];
    }),
  );
}

/**
 * Whether an op takes every value that the request states, by an argument that is open for it or fixed to the same. One
 * that does not would place a short order as a long one, or an order with a limit at any price.
 */
export function takesStated(
  { call }: ExecutableOp,
  { values = {}, stated = [] }: Pick<Wanted, 'values' | 'stated'>,
  named: SlotSetting['values'] = {},
): boolean {
  return stated.every((meaning) => {
    const places = call.args.flatMap((one) =>
      one.role === 'pure' && meaningOf(one.name ?? one.type, named) === meaning ? [one.value] : [],
    );
    const agrees = (fixed: unknown) => fixed === undefined || String(fixed) === String(values[meaning]);
    return places.length > 0 && places.every(agrees);
  });
}

const meaningOf = (name: string, named: NonNullable<SlotSetting['values']>): OpValue | undefined =>
  Object.hasOwn(named, name) ? named[name] : opValueOf(name);
