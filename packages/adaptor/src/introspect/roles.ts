import type { FunctionHandle } from './code/module.ts';
import { type Datatype, findCoinType, isSystemType, type MoveType, referent } from './code/move-type.ts';
import type { Fact, Summary } from './flow/summary.ts';
import { firstResult, flatten, nothing, type Value } from './flow/value.ts';
import { isPure } from './pure.ts';
import type { Confidence, ParamRole } from './types.ts';

/** A guess about one parameter. `name` is a word for the meaning of a pure value. */
export interface Guess {
  role: ParamRole;
  confidence: Confidence;
  name?: string;
  /** Type of the coin that an amount or a minimum counts. */
  coin?: MoveType;
}

/**
 * Guesses the role of each parameter of a function from its type. For numbers, it uses what the code does with them.
 * @param isOwnWallet checks the original id of a wallet type's package against the network's own wallet package
 */
export function guessRoles(
  { parameters, returns }: FunctionHandle,
  summary: Summary,
  isOwnWallet: (address: string) => boolean,
): Guess[] {
  const evidence = collectEvidence(returns, summary);
  let numbers = 0;
  return parameters.map((type, i) => {
    const byType = inferTypeRole(type, i === parameters.length - 1, isOwnWallet);
    if (byType) return byType;
    const isNumber = type.kind === 'primitive' && type.name === 'u64';
    const found = isNumber ? inferNumberRole(i, evidence, numbers++) : undefined;
    if (found) return found;
    const name = findName(i, summary.facts);
    return { role: 'pure', confidence: 'high', ...(name !== undefined && { name }) };
  });
}

/** Returns the role that follows from the type alone; undefined for plain values. */
function inferTypeRole(
  type: MoveType,
  isLast: boolean,
  isOwnWallet: (address: string) => boolean,
): Guess | undefined {
  const held = referent(type);
  if (isSystemType(held, '0x2::clock::Clock')) return { role: 'clock', confidence: 'high' };
  if (isLast && isSystemType(held, '0x2::tx_context::TxContext')) return { role: 'ctx', confidence: 'high' };
  if (isWallet(held)) {
    return { role: 'wallet', confidence: isOwnWallet(held.address) ? 'high' : 'medium' };
  }
  if (isPure(held)) return undefined;
  return { role: 'object', confidence: 'high' };
}

/** Recognizes wallets by these names, which wallet packages use whichever publisher they have. */
export function isWallet(type: MoveType): type is Datatype & { name: 'Wallet' } {
  return type.kind === 'datatype' && type.module === 'wallet' && type.name === 'Wallet';
}

interface Evidence {
  takes: Fact[];
  least: Fact[];
  /** Money that comes out: into the wallet, to an address, or as a result. */
  out: Fact[];
  /** The facts of `out` by the origins of their values. */
  outByOrigin: Map<number, Fact>;
  splits: Fact[];
  compares: Fact[];
  escapes: Fact[];
  /**
   * True if some parameter itself is the money that is paid or comes out. Other parameters in the calculation are then
   * fees, rates and bounds.
   */
  isGiven: boolean;
}

function collectEvidence(returns: readonly MoveType[], { facts, returns: values }: Summary): Evidence {
  const filterFacts = (...kinds: Fact['kind'][]) => facts.filter(({ kind }) => kinds.includes(kind));
  const results = returns.flatMap((type, i): Fact[] => {
    const coin = findCoinType(type);
    return coin && type.kind !== 'reference'
      ? [{ kind: 'gives', value: flatten(values[i] ?? nothing), coin }]
      : [];
  });
  const out = [...filterFacts('brings', 'gives'), ...results];
  const outByOrigin = new Map(out.flatMap((fact) => fact.value.same.map((origin) => [origin, fact])));
  const takes = filterFacts('takes');
  return {
    takes,
    least: filterFacts('least'),
    out,
    outByOrigin,
    splits: filterFacts('splits'),
    compares: filterFacts('compares'),
    escapes: filterFacts('escapes'),
    isGiven: [...takes, ...out].some(({ value }) => value.same.some((origin) => origin < firstResult)),
  };
}

function inferNumberRole(index: number, evidence: Evidence, position: number): Guess | undefined {
  const { takes, least, out, outByOrigin, splits, compares, escapes, isGiven } = evidence;
  const bit = 1n << BigInt(index);
  const is = ({ value }: Fact) => value.same.includes(index);
  const counts = ({ value }: Fact) => (value.from & bit) !== 0n;
  const guess = (role: ParamRole, confidence: Confidence, fact?: Fact): Guess => ({
    role,
    confidence,
    ...(fact?.coin && { coin: fact.coin }),
  });

  const minimum = least.find(is);
  if (minimum) return guess('minOut', 'high', minimum);
  const amount = takes.find(is) ?? out.find(is);
  if (amount) return guess('amount', 'high', amount);
  const bounded = compares
    .flatMap((fact) => comparedWith(index, fact))
    .find((origin) => outByOrigin.has(origin));
  if (bounded !== undefined) return guess('minOut', 'high', outByOrigin.get(bounded));
  const split = splits.find(is);
  if (split) return guess('amount', 'medium', split);
  const computed = isGiven ? [] : [...takes, ...out].filter(counts);
  if (computed[0]) return guess('amount', 'medium', computed.length === 1 ? computed[0] : undefined);
  if (!escapes.some(is) || position > 1) return undefined;
  return guess(position === 0 ? 'amount' : 'minOut', 'low');
}

/** Returns the origins of the value that a comparison compares this parameter with. */
function comparedWith(index: number, { value, other }: Fact): readonly number[] {
  const is = (side: Value | undefined) => side?.same.length === 1 && side.same[0] === index;
  if (is(value)) return other?.same ?? [];
  return is(other) ? value.same : [];
}

/** Names a value after the first field that receives exactly this value. */
function findName(index: number, facts: readonly Fact[]): string | undefined {
  const named = facts.find(
    ({ kind, value }) => kind === 'names' && value.same.length === 1 && value.same[0] === index,
  );
  return named?.name;
}
