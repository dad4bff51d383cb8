import { type MoveType, substitute } from '../code/move-type.ts';
import { firstResult, flatten, nothing, origins, type Value } from './value.ts';

/**
 * Ways in which an op takes money from a wallet. A: a payment on the sender's account. B: a payment on a payer's
 * account. C: an unmetered payment, on no account. D: a swap with a minimum that comes back.
 */
export type IntentMode = 'A' | 'B' | 'C' | 'D';

/**
 * An effect of a function on a value.
 *
 * - `takes`: has the wallet pay this much; `least`: has it accept no less than this in return;
 * - `brings`: puts a coin of this worth into the wallet; `gives`: transfers one;
 * - `splits`: makes a coin of this worth out of another or of nothing;
 * - `compares`: with `other`, by order;
 * - `names`: puts it into a field of this name;
 * - `asset`: moves an asset in or out of the wallet;
 * - `binds`: binds an account elsewhere to the wallet;
 * - `escapes`: hands it to code that is not read.
 */
export interface Fact {
  kind:
    | 'takes'
    | 'least'
    | 'brings'
    | 'gives'
    | 'splits'
    | 'compares'
    | 'names'
    | 'asset'
    | 'binds'
    | 'escapes';
  value: Value;
  other?: Value;
  /** Type of the coin for `takes`, `least` and `brings`; undefined if it is not known. */
  coin?: MoveType | undefined;
  /** Type of the witness that acts. Absent where none does; undefined if it is not known. */
  service?: MoveType | undefined;
  /** Present for `takes` through an intent. */
  mode?: IntentMode;
  name?: string;
}

/** Results and effects of a function's calls, in terms of its parameters and type parameters. */
export interface Summary {
  returns: readonly Value[];
  facts: readonly Fact[];
  /** True if the analysis gave up before its end. */
  cut: boolean;
}

/** Bound on the facts of one function. Further facts are dropped, and the summary is `cut`. */
export const factsMax = 128;

/** A place in the caller's code. It maps a callee's parameters to arguments, and renumbers its results. */
interface CallSite {
  args: readonly Value[];
  typeArgs: readonly (MoveType | undefined)[];
  /** Returns the caller's number for a result of the callee. */
  resultAt(origin: number): number;
}

/** Translates a callee's value to its caller's terms. */
export function translateValue(site: CallSite, value: Value): Value {
  const { args } = site;
  let from = 0n;
  for (let rest = value.from, i = 0; rest > 0n; rest >>= 1n, i++) {
    if (rest & 1n) from |= args[i]?.from ?? 0n;
  }
  const same = value.same.flatMap((origin) =>
    origin >= firstResult ? [site.resultAt(origin)] : flatten(args[origin] ?? nothing).same,
  );
  const fields = value.fields?.map((field) => translateValue(site, field));
  return { same: origins(same), from, ...(fields && { fields, size: value.size }) };
}

/** Translates a callee's fact to its caller's terms. */
export function translateFact(site: CallSite, fact: Fact): Fact {
  return {
    ...fact,
    value: translateValue(site, fact.value),
    ...(fact.other && { other: translateValue(site, fact.other) }),
    ...(fact.coin && { coin: substitute(fact.coin, site.typeArgs) }),
    ...(fact.service && { service: substitute(fact.service, site.typeArgs) }),
  };
}

/** Returns `true` if the value is exactly one parameter. */
function isOnly(value: Value | undefined): boolean {
  return value?.same.length === 1 && value.same[0]! < firstResult;
}

/**
 * Returns `true` if the fact can be useful. A comparison or a name is only useful for a parameter, here and to callers.
 */
export function isUseful({ kind, value, other }: Fact): boolean {
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
