import {
  argumentsOf,
  type ExecutableOp,
  type Manifest,
  typeArgsOf,
} from '@adaptor-marketplace/adaptor/manifest';
import { Refusal } from '../api/ask.ts';

type Op = Manifest['ops'][number];

/** An operation of the catalog: only those that are executable can be called. */
export interface ListedOp extends Op {
  executable: boolean;
}

/** The fields that forms read of an operation. */
export const operationFields = 'kind module entry label intentMode executable call calls';

export const canCall = (op: ListedOp): op is ListedOp & ExecutableOp => op.executable;

/** Whether an operation has an argument of a role, in any of its calls. */
export const has = (op: ExecutableOp, role: string): boolean =>
  argumentsOf(op).some((one) => one.role === role);

/** Whether the caller chooses a coin of an operation. */
export const choosesCoin = (op: ExecutableOp, side: 'coinIn' | 'coinOut'): boolean =>
  typeArgsOf(op).includes(side);

/** Whether the amount of an operation leaves the wallet. */
export const pays = (op: ExecutableOp): boolean => Boolean(op.intentMode) || choosesCoin(op, 'coinIn');

export interface Asked {
  name: string;
  type: string;
}

/** The values that callers provide by name: one value for all calls that ask for it. */
export function asked(op: ExecutableOp): Asked[] {
  const values = argumentsOf(op).flatMap((one): [string, Asked][] => {
    if (one.role !== 'pure' || one.value !== undefined) return [];
    const name = one.name ?? one.type;
    return [[name, { name, type: one.type }]];
  });
  return [...new Map(values).values()];
}

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
