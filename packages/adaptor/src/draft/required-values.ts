import type { IntrospectedOp, IntrospectedParam } from '../introspect/types.ts';

/** A value that an op's callers provide by name. */
export interface RequiredValue {
  /** Index of the argument, without TxContext. */
  index: number;
  name: string;
  type: string;
  /** True if the name says more than the role and a number. */
  telling: boolean;
  /** Its fixed value; callers do not provide it. */
  fixed?: unknown;
  /** The publisher named the value, which takes precedence over past calls. */
  provided?: true;
}

/** The publisher's description of a value: its name, and its fixed value if callers have no choice. */
export type ProvidedValue = string | { name: string; value: unknown };

/** The publisher's description of the values does not fit the op. */
export class ProvidedValuesInvalidError extends Error {}

/** Number of ops that an error names. */
const opsNamedMax = 16;

/** A call spec allows 64 characters. The rest is for a number. */
const wordLengthMax = 60;

/**
 * Lists the values that an op's callers must provide by name, in its order. Its only amount and its only minimum have
 * roles of their own. Of several amounts, none is *the* amount, so all are listed. Bytecode has no parameter names, so
 * a name is the one that introspection found, or the role, with a number if it is repeated.
 */
export function requiredValues(op: IntrospectedOp): RequiredValue[] {
  const params = op.params.filter(({ role }) => role !== 'ctx');
  const required = params.flatMap((param, index) => (isRequired(param, params) ? [{ index, param }] : []));
  const words = required.map(({ param }) => describeWord(param));
  const used = new Set<string>();
  return required.map(({ index, param }, at) => {
    const word = words[at]!;
    const repeated = words.filter((other) => other === word).length > 1;
    let name = repeated ? `${word}1` : word;
    for (let count = 2; used.has(name); count++) name = `${word}${count}`;
    used.add(name);
    return { index, name, type: param.type, telling: param.name !== undefined };
  });
}

function isRequired({ role, type }: IntrospectedParam, params: readonly IntrospectedParam[]): boolean {
  if (role === 'pure') return true;
  if (role !== 'amount' && role !== 'minOut') return false;
  return type !== 'u64' || params.filter((other) => other.role === role).length > 1;
}

const describeWord = ({ role, name }: IntrospectedParam) =>
  (name ?? (role === 'pure' ? 'value' : role)).slice(0, wordLengthMax);

/**
 * The required values of each op, with what the publisher provided, by the op's `fqn`.
 * @param provided the values of an op in its order, by `module::function`
 * @throws ProvidedValuesInvalidError that lists what the op requires
 */
export function collectProvidedValues(
  ops: readonly IntrospectedOp[],
  provided: Readonly<Record<string, readonly ProvidedValue[]>>,
): Map<string, RequiredValue[]> {
  const required = new Map(ops.map((op) => [op.fqn, requiredValues(op)]));
  for (const [functionName, list] of Object.entries(provided)) {
    const op = ops.find(({ module, entry }) => `${module}::${entry}` === functionName);
    if (!op) {
      const callable =
        ops
          .slice(0, opsNamedMax)
          .map(({ module, entry }) => `${module}::${entry}`)
          .join(', ') || 'none';
      throw new ProvidedValuesInvalidError(
        `values: ${functionName} is not a callable op of this listing. Callable ops: ${callable}.`,
      );
    }
    const values = required.get(op.fqn)!;
    if (values.length !== list.length) {
      const listed = describeValues(values);
      throw new ProvidedValuesInvalidError(
        `${functionName} takes ${values.length} values, not ${list.length}: ${listed}.`,
      );
    }
    const descriptions = list.map((one) =>
      typeof one === 'string' ? { name: one } : { name: one.name, fixed: one.value },
    );
    required.set(
      op.fqn,
      values.map((value, at) => ({ ...value, ...descriptions[at], telling: true, provided: true })),
    );
  }
  return required;
}

/** Formats values as `name (type)`, separated by commas; `none` if there are none. */
export function describeValues(values: readonly RequiredValue[]): string {
  return values.map(({ name, type }) => `${name} (${type})`).join(', ') || 'none';
}
