import { Refusal } from '../api/ask.ts';
import type { Op } from './trial.ts';

/** Whether an operation has an argument of a role. */
export const has = ({ call }: Op, role: string): boolean =>
  call?.args.some((one) => one.role === role) ?? false;

export interface Asked {
  name: string;
  type: string;
}

/** The values that callers provide by name. */
export const asked = (op: Op): Asked[] =>
  (op.call?.args ?? []).flatMap((one) =>
    one.role === 'pure' && one.value === undefined ? [{ name: one.name ?? one.type, type: one.type }] : [],
  );

/** @throws Refusal for what cannot be read as the value of a type */
export function enteredValue({ name, type }: Asked, entered: string | undefined): unknown {
  const text = (entered ?? '').trim();
  if (text === '' && !type.endsWith('String'))
    throw new Refusal(`${name} is missing`, `Enter a value of the type ${type}.`);
  if (/^(u\d+|address|.*::ID|.*String)$/.test(type)) return text;
  try {
    return JSON.parse(text);
  } catch {
    throw new Refusal(
      `${name} is not valid`,
      `Enter it as JSON, for example true or [1, 2]. Its type is ${type}.`,
    );
  }
}
