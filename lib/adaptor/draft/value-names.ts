import type { IntrospectedParam } from '../introspect/types.ts';

/** A call spec takes 64 characters; the rest is for a number. */
const wordLengthMax = 60;

/**
 * Names for the values that callers give by name, by position; undefined for arguments that are given otherwise. An
 * op's only amount and only minimum have roles of their own; of several, none is *the* amount. Bytecode has no
 * parameter names, so a name is what introspection found out, or the role, counted where it is repeated.
 */
export function valueNames(params: readonly IntrospectedParam[]): (string | undefined)[] {
  const words = params.map((param) => (isNamed(param, params) ? wordFor(param) : undefined));
  const used = new Set<string>();
  return words.map((word) => {
    if (word === undefined) return undefined;
    const repeated = words.filter((other) => other === word).length > 1;
    let name = repeated ? `${word}1` : word;
    for (let count = 2; used.has(name); count++) name = `${word}${count}`;
    used.add(name);
    return name;
  });
}

function isNamed({ role, type }: IntrospectedParam, params: readonly IntrospectedParam[]): boolean {
  if (role === 'pure') return true;
  if (role !== 'amount' && role !== 'minOut') return false;
  return type !== 'u64' || params.filter((other) => other.role === role).length > 1;
}

const wordFor = ({ role, name }: IntrospectedParam) =>
  (name ?? (role === 'pure' ? 'value' : role)).slice(0, wordLengthMax);
