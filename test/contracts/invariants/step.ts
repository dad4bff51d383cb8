import type { EmittedEvent } from '@adaptor-marketplace/localnet/execution/types';
import type { Program } from './program.ts';
import type { View } from './view.ts';

/** Returns what breaks a rule in a transaction. */
export type Check = (step: Step) => string[];

/** A transaction that succeeded, with all that the chain held before and after. */
export interface Step {
  program: Program;
  before: View;
  after: View;
  events: readonly EmittedEvent[];
  nowMs: bigint;
}

export const sum = (amounts: Iterable<bigint>) => [...amounts].reduce((total, each) => total + each, 0n);
export const least = (...amounts: bigint[]) => amounts.reduce((one, other) => (one < other ? one : other));
export const mapValue = <Value>(fields: ReadonlyMap<string, Value>, name: string, absent: Value) =>
  fields.get(name) ?? absent;
export const text = (value: unknown) =>
  JSON.stringify(value, (_, one: unknown) => {
    if (typeof one === 'bigint') return String(one);
    return one instanceof Map || one instanceof Set ? [...one] : one;
  });

export function grown(
  what: string,
  before: ReadonlyMap<string, bigint>,
  after: ReadonlyMap<string, bigint>,
): string[] {
  return [...after].flatMap(([name, amount]) =>
    amount <= mapValue(before, name, 0n) ? [] : [`the ${what} ${name} grew to ${amount}`],
  );
}

export function changed(what: string, before: unknown, after: unknown): string[] {
  const [had, has] = [text(before), text(after)];
  return had === has ? [] : [`${what} changed from ${had} to ${has}`];
}
