import type { Claim } from '../../claims.ts';

/**
 * Part of a claim. Each item of an array must match some item, in any order, and an empty array only matches an empty
 * one. In place of a value it may have a regular expression or a function.
 */
export type ClaimPattern = { kind: Claim['kind'] } & Record<string, unknown>;

export function matches(value: unknown, pattern: unknown): boolean {
  if (typeof pattern === 'function') return pattern(value) === true;
  if (pattern instanceof RegExp) return typeof value === 'string' && pattern.test(value);
  if (Array.isArray(pattern)) {
    if (!Array.isArray(value)) return false;
    if (pattern.length === 0) return value.length === 0;
    return pattern.every((each) => value.some((item) => matches(item, each)));
  }
  if (typeof pattern === 'object' && pattern !== null) {
    if (typeof value !== 'object' || value === null) return false;
    return Object.entries(pattern).every(([key, each]) => matches(value[key as keyof typeof value], each));
  }
  return value === pattern;
}
