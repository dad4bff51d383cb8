import type { Tape } from '../../support/tape.ts';

/** Types that stand for the type parameters of the contracts, by the parameter's name. */
const candidates: Readonly<Record<string, readonly string[]>> = {
  ServiceT: ['S', 'T'],
  AccountT: ['S', 'T'],
  CoinT: ['A', 'B'],
  CoinIn: ['A', 'B'],
  Asset: ['Toy'],
  T: ['S', 'A'],
  AssessorT: ['CapAssessor', 'S'],
};
const authRules = ['ScopedAuth', 'CapAuth', 'S'];
const caveatRules = ['ScopedBudget', 'RecipientAllowlist', 'S'];

/** Types that the calls of a program mostly share. */
export interface TypePreference {
  coin: string;
  service: string;
  authRule: string;
}

export function preferTypes(tape: Tape): TypePreference {
  return {
    coin: tape.next(4) > 0 ? 'A' : 'B',
    service: tape.next(4) > 0 ? 'S' : 'T',
    authRule: tape.pick(authRules),
  };
}

/** @param types those that were chosen before */
export function pickType(
  tape: Tape,
  parameter: string,
  functionName: string,
  types: ReadonlyMap<string, string>,
  { coin, service, authRule }: TypePreference,
): string {
  if (parameter === 'AuthT' || (parameter === 'RuleT' && functionName.includes('auth_rule'))) {
    return tape.once(8) ? tape.pick(authRules) : authRule;
  }
  if (/^wallet::policy::(set_rule_object|add_\w+_receipt)$/.test(functionName)) return tape.pick(['S', 'T']);
  if (functionName === 'escrow::job::judge') return 'S';
  if (parameter === 'RuleT') {
    return tape.pick(types.get('AuthT') === 'CapAuth' ? ['RecipientAllowlist', ...caveatRules] : caveatRules);
  }
  if (parameter === 'CoinOut' || functionName === 'wallet::action::must_bring')
    return coin === 'A' ? 'B' : 'A';
  const list = candidates[parameter]!;
  const preferred = list.find((each) => each === coin || each === service);
  return preferred === undefined || parameter === 'AssessorT' || tape.once(8) ? tape.pick(list) : preferred;
}

/** Returns the full name of a type of the contracts or of the market. */
export function nameFully(
  { wallet, rules, escrow, market }: Readonly<Record<string, string>>,
  short: string,
): string {
  const modules: Record<string, string> = {
    CapAuth: `${wallet}::cap_auth`,
    ScopedAuth: `${wallet}::sub_delegate`,
    ScopedBudget: `${wallet}::sub_delegate`,
    RecipientAllowlist: `${rules}::rule`,
    CapAssessor: `${escrow}::cap_assessor`,
  };
  return `${modules[short] ?? `${market}::market`}::${short}`;
}

/** The type without a reference. */
export const bare = (type: string) => type.replace(/^&(mut )?/, '');

/** Short types by the full ones. They are asked for each object of a chain, and there are few. */
const shortened = new Map<string, string>();

/** The type without packages and modules. */
export function shorten(type: string): string {
  const known = shortened.get(type);
  if (known !== undefined) return known;
  const short = type.replace(/0x[0-9a-f]{64}::\w+::/g, '');
  shortened.set(type, short);
  return short;
}

/** The type with others in the place of type parameters. */
export const substitute = (type: string, types: ReadonlyMap<string, string>) =>
  type.replace(/\w+/g, (word) => types.get(word) ?? word);
