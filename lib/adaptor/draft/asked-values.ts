import type { IntrospectedOp, IntrospectedParam } from '../introspect/types.ts';

/** A value that an op's callers are asked for by name. */
export interface AskedValue {
  /** Of the argument, without TxContext. */
  index: number;
  name: string;
  type: string;
  /** Whether the name is more than the role and a number. */
  telling: boolean;
}

/** A publisher's names for the values of an op do not fit it. */
export class ValueNamesError extends Error {}

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
 * What the ops ask for by the names that their publisher gives, by the op's `fqn`.
 * @param given names in the order of an op's values, by `module::function`
 * @throws ValueNamesError that says what the op asks for
 */
export function nameValues(
  ops: readonly IntrospectedOp[],
  given: Readonly<Record<string, readonly string[]>>,
): Map<string, AskedValue[]> {
  const asked = new Map(ops.map((op) => [op.fqn, askedValues(op)]));
  for (const [of, names] of Object.entries(given)) {
    const op = ops.find(({ module, entry }) => `${module}::${entry}` === of);
    if (!op) throw new ValueNamesError(`${of} is no op of this listing that can be called.`);
    const values = asked.get(op.fqn)!;
    if (values.length !== names.length) {
      const listed = describeValues(values);
      throw new ValueNamesError(`${of} asks for ${values.length} values, not ${names.length}: ${listed}.`);
    }
    asked.set(
      op.fqn,
      values.map((value, at) => ({ ...value, name: names[at]!, telling: true })),
    );
  }
  return asked;
}

export function describeValues(values: readonly AskedValue[]): string {
  return values.map(({ name, type }) => `${name} (${type})`).join(', ') || 'none';
}
