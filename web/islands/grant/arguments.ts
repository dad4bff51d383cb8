import { canonicalType } from '@adaptor-marketplace/adaptor';
import {
  type ExecutableOp,
  listOpTypeArgs,
  listRequiredValues,
  type Manifest,
} from '@adaptor-marketplace/adaptor/manifest';
import { ActionFailedError } from '../api/ask.ts';

type Op = Manifest['ops'][number];

/** An operation of the catalog. It can be called only if it is executable. */
export interface ListedOp extends Op {
  executable: boolean;
  /** Types of the coins that leave and enter the wallet; null if the operation's fixed objects do not determine them. */
  coinIn: string | null;
  coinOut: string | null;
}

/** An operation that a transaction can call. */
export type CallableOp = ListedOp & ExecutableOp;

/** GraphQL fields that forms read of an operation. */
export const listedOpFields = 'kind module entry label intentMode executable call calls coinIn coinOut';

export const canCall = (op: ListedOp): op is CallableOp => op.executable;

/** Returns the types of the coins that a manifest names, as the chain writes them; none if it supports any coin. */
export const listSupportedCoins = (supportedCoins: readonly string[] | null): string[] =>
  (supportedCoins ?? []).filter((coin) => coin !== '*').map((coin) => canonicalType(coin) ?? coin);

/** Returns the types of the coins that the fixed objects of operations determine. */
export const listSettledCoins = (ops: readonly ListedOp[]): string[] =>
  ops.flatMap(({ coinIn, coinOut }) => [coinIn, coinOut].filter((coin) => coin !== null));

/** Returns `true` if the type of the coin on this side is an argument of the operation. */
export const canChooseCoin = (op: ExecutableOp, side: 'coinIn' | 'coinOut'): boolean =>
  listOpTypeArgs(op).includes(side);

/** Returns the text that the caller entered for a value; empty before. A publisher may name a value `constructor`. */
export const getEntered = (entered: Readonly<Record<string, string>>, name: string): string =>
  Object.hasOwn(entered, name) ? entered[name]! : '';

/** Parses the texts that the caller entered, by name. @throws ActionFailedError if a text is not a value of its type */
export const parseEnteredValues = (op: ExecutableOp, entered: Readonly<Record<string, string>>) =>
  Object.fromEntries(
    [...listRequiredValues(op)].map(([name, type]) => [
      name,
      parseValue(name, type, getEntered(entered, name).trim()),
    ]),
  );

function parseValue(name: string, type: string, text: string): unknown {
  if (text === '' && !type.endsWith('String'))
    throw new ActionFailedError(`${name} is missing`, `Enter a value of the type ${type}.`);
  if (/^(u\d+|address|.*::ID|.*String)$/.test(type)) return text;
  try {
    return JSON.parse(text);
  } catch {
    throw new ActionFailedError(
      `${name} is not valid`,
      `Enter it as JSON, for example true or [1, 2]. Its type is ${type}.`,
    );
  }
}
