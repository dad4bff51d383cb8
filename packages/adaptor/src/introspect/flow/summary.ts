import { type MoveType, substitute } from '../code/move-type.ts';
import { firstResult, flat, nothing, origins, type Value } from './value.ts';

/**
 * How an op takes money from a wallet. A: a payment on the sender's account, B: on a payer's, C: on nobody's,
 * D: a swap with a minimum that comes back.
 */
export type IntentMode = 'A' | 'B' | 'C' | 'D';

/**
 * Something that a function does with a value.
 *
 * - `takes`: has the wallet pay this much; `least`: has it accept no less than this in return;
 * - `brings`: puts a coin of this worth into the wallet; `gives`: transfers one;
 * - `splits`: makes a coin of this worth out of another or of nothing;
 * - `compares`: with `other`, by order;
 * - `names`: puts it into a field of this name;
 * - `asset`: moves an asset in or out of the wallet;
 * - `escapes`: hands it to code that is not read.
 */
export interface Fact {
  kind: 'takes' | 'least' | 'brings' | 'gives' | 'splits' | 'compares' | 'names' | 'asset' | 'escapes';
  value: Value;
  other?: Value;
  /** Of `takes`, `least` and `brings`: the coin's type, where known. */
  coin?: MoveType | undefined;
  /** Of `takes` through an intent. */
  mode?: IntentMode;
  name?: string;
}

/** What calls of a function do and give, in terms of its parameters and type parameters. */
export interface Summary {
  returns: readonly Value[];
  facts: readonly Fact[];
  /** Whether the analysis gave up before its end. */
  cut: boolean;
}

/** A function that does little is known by all it does; of one that does much, this much. */
export const factsMax = 128;

/** Where code stands for its caller: arguments for parameters, and results renumbered. */
interface CallSite {
  args: readonly Value[];
  typeArgs: readonly (MoveType | undefined)[];
  /** The caller's number for a result of the callee's. */
  resultAt(origin: number): number;
}

/** A callee's value as its caller has it. */
export function valueAt(site: CallSite, value: Value): Value {
  const { args } = site;
  let from = 0n;
  for (let rest = value.from, i = 0; rest > 0n; rest >>= 1n, i++) {
    if (rest & 1n) from |= args[i]?.from ?? 0n;
  }
  const same = value.same.flatMap((origin) =>
    origin >= firstResult ? [site.resultAt(origin)] : flat(args[origin] ?? nothing).same,
  );
  const fields = value.fields?.map((field) => valueAt(site, field));
  return { same: origins(same), from, ...(fields && { fields, size: value.size }) };
}

/** What a callee does, as done by its caller. */
export function factAt(site: CallSite, fact: Fact): Fact {
  return {
    ...fact,
    value: valueAt(site, fact.value),
    ...(fact.other && { other: valueAt(site, fact.other) }),
    ...(fact.coin && { coin: substitute(fact.coin, site.typeArgs) }),
  };
}

/** Whether the value is one parameter and nothing else. */
function isOnly(value: Value | undefined): boolean {
  return value?.same.length === 1 && value.same[0]! < firstResult;
}

/** Whether the fact is of use: of what is compared or named only parameters tell anything, here and to callers. */
export function isTelling({ kind, value, other }: Fact): boolean {
  switch (kind) {
    case 'compares':
      return isOnly(value) || isOnly(other);
    case 'names':
      return isOnly(value);
    case 'splits':
    case 'escapes':
      return value.same.some((origin) => origin < firstResult);
    case 'gives':
      return value.same.length > 0 || value.from !== 0n;
    default:
      return true;
  }
}
