import fc from 'fast-check';
import { INTEGER_BITS, type IntegerKind } from '../../types.ts';
import type { Case, Suite } from '../suite.ts';

const KINDS = Object.keys(INTEGER_BITS) as IntegerKind[];

const ARITHMETIC = { add: '+', sub: '-', mul: '*', div: '/', rem: '%', and: '&', or: '|', xor: '^' };
const COMPARISONS = { lt: '<', le: '<=', gt: '>', ge: '>=', eq: '==', ne: '!=' };
const SHIFTS = { shl: '<<', shr: '>>' };

const maximum = (kind: IntegerKind) => (1n << BigInt(INTEGER_BITS[kind])) - 1n;

/** Functions that keep the compiler from evaluating the expressions itself. */
function members(): string {
  const define = (names: Record<string, string>, kind: IntegerKind, right: string, returns: string) =>
    Object.entries(names).map(
      ([name, operator]) => `fun ${name}_${kind}(a: ${kind}, b: ${right}): ${returns} { a ${operator} b }`,
    );
  return KINDS.flatMap((kind) => [
    ...define(ARITHMETIC, kind, kind, kind),
    ...define(COMPARISONS, kind, kind, 'bool'),
    ...define(SHIFTS, kind, 'u8', kind),
    ...KINDS.map((to) => `fun ${kind}_to_${to}(a: ${kind}): ${to} { (a as ${to}) }`),
  ]).join('\n');
}

/** Two values anywhere in a type, the same ones in every run. */
function sample(kind: IntegerKind, seed: number): [bigint, bigint] {
  const value = fc.bigInt({ min: 0n, max: maximum(kind) });
  return fc.sample(fc.tuple(value, value), { numRuns: 1, seed })[0]!;
}

function casesOf(kind: IntegerKind): Case[] {
  const max = maximum(kind);
  const bits = INTEGER_BITS[kind];
  const literal = (value: bigint, type: string = kind) => `${value}${type}`;
  const call = (name: string, ...args: string[]) => `${name}_${kind}(${args.join(', ')})`;
  const cases: Case[] = [];
  for (const [i, name] of Object.keys(ARITHMETIC).entries()) {
    const [a, b] = sample(kind, bits + i);
    // Past the top, below zero, by zero, and the largest product.
    for (const [left, right] of [
      [max, 1n],
      [0n, 1n],
      [a, 0n],
      [max, max],
      [max / 2n, 2n],
      [a, b],
    ] as const) {
      cases.push({ returns: kind, body: call(name, literal(left), literal(right)) });
    }
  }
  for (const [i, name] of Object.keys(COMPARISONS).entries()) {
    const [a, b] = sample(kind, bits + 50 + i);
    for (const [left, right] of [
      [a, a],
      [0n, max],
      [a, b],
    ] as const) {
      cases.push({ returns: 'bool', body: call(name, literal(left), literal(right)) });
    }
  }
  for (const name of Object.keys(SHIFTS)) {
    const [a] = sample(kind, bits + 90);
    for (const by of new Set([0, 1, bits - 1, Math.min(bits, 255), 255])) {
      cases.push({ returns: kind, body: call(name, literal(a), `${by}u8`) });
    }
  }
  for (const to of KINDS) {
    const fits = maximum(to) < max ? maximum(to) : max;
    for (const value of new Set([0n, fits, max])) {
      cases.push({ returns: to, body: `${kind}_to_${to}(${literal(value)})` });
    }
  }
  return cases;
}

/** Every operation on every width, at its edges. */
export const ARITHMETIC_SUITE: Suite = {
  name: 'arithmetic',
  members: members(),
  cases: KINDS.flatMap(casesOf),
};
