import type { IntrospectedOp, IntrospectedParam } from '../introspect/types.ts';

/** A value that an op's callers are asked for by name. */
export interface AskedValue {
  /** Of the argument, without TxContext. */
  index: number;
  name: string;
  type: string;
  /** Whether the name is more than the role and a number. */
  telling: boolean;
  /** Its fixed value; callers do not provide it. */
  fixed?: unknown;
  /** The publisher named it: what past calls agree on does not stand in the place of that. */
  told?: true;
}

/** What a publisher says of a value: its name, and what it always is where callers have no choice. */
export type ToldValue = string | { name: string; value: unknown };

/** What a publisher says of the values of an op does not fit it. */
export class ToldValuesError extends Error {}

/** A call spec takes 64 characters; the rest is for a number. */
const wordLengthMax = 60;

/**
 * What an op asks its callers for by name, in its order. Its only amount and its only minimum have roles of their own;
 * of several, none is *the* amount. Bytecode has no parameter names, so a name is what introspection found out, or the
 * role, counted where it is repeated.
 */
export function askedValues(op: IntrospectedOp): AskedValue[] {
  const params = op.params.filter(({ role }) => role !== 'ctx');
  const asked = params.flatMap((param, index) => (isAskedFor(param, params) ? [{ index, param }] : []));
  const words = asked.map(({ param }) => wordFor(param));
  const used = new Set<string>();
  return asked.map(({ index, param }, at) => {
    const word = words[at]!;
    const repeated = words.filter((other) => other === word).length > 1;
    let name = repeated ? `${word}1` : word;
    for (let count = 2; used.has(name); count++) name = `${word}${count}`;
    used.add(name);
    return { index, name, type: param.type, telling: param.name !== undefined };
  });
}

function isAskedFor({ role, type }: IntrospectedParam, params: readonly IntrospectedParam[]): boolean {
  if (role === 'pure') return true;
  if (role !== 'amount' && role !== 'minOut') return false;
  return type !== 'u64' || params.filter((other) => other.role === role).length > 1;
}

const wordFor = ({ role, name }: IntrospectedParam) =>
  (name ?? (role === 'pure' ? 'value' : role)).slice(0, wordLengthMax);

/**
 * What the ops ask for, as their publisher tells it, by the op's `fqn`.
 * @param told the values of an op in its order, by `module::function`
 * @throws ToldValuesError that says what the op asks for
 */
export function toldValues(
  ops: readonly IntrospectedOp[],
  told: Readonly<Record<string, readonly ToldValue[]>>,
): Map<string, AskedValue[]> {
  const asked = new Map(ops.map((op) => [op.fqn, askedValues(op)]));
  for (const [of, list] of Object.entries(told)) {
    const op = ops.find(({ module, entry }) => `${module}::${entry}` === of);
    if (!op) throw new ToldValuesError(`${of} is not a callable op of this listing.`);
    const values = asked.get(op.fqn)!;
    if (values.length !== list.length) {
      const listed = describeValues(values);
      throw new ToldValuesError(`${of} takes ${values.length} values, not ${list.length}: ${listed}.`);
    }
    const said = list.map((one) =>
      typeof one === 'string' ? { name: one } : { name: one.name, fixed: one.value },
    );
    asked.set(
      op.fqn,
      values.map((value, at) => ({ ...value, ...said[at], telling: true, told: true })),
    );
  }
  return asked;
}

export function describeValues(values: readonly AskedValue[]): string {
  return values.map(({ name, type }) => `${name} (${type})`).join(', ') || 'none';
}
