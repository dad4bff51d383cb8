import type { Result } from './measure.ts';

export interface Measured extends Result {
  /** ISO 8601. */
  date: string;
  node: string;
  cores: number;
  processor: string;
}

/** The latest full result of a benchmark without a distance to the node, and the latest over each distance. */
export interface SavedResult extends Partial<Measured> {
  /** By milliseconds of the round trip. */
  overMs?: Record<string, Measured>;
}

/** By name of the benchmark. */
export type Results = Record<string, SavedResult>;

/** Returns the results with a new one, which replaces only the one over the same distance. */
export function addResult(results: Results, measured: Measured, delayMs: number): Results {
  const { overMs, ...near } = results[measured.name] ?? {};
  const all = delayMs === 0 ? overMs : { ...overMs, [delayMs]: measured };
  const saved: SavedResult = delayMs === 0 ? { ...measured } : near;
  if (all) saved.overMs = all;
  return { ...results, [measured.name]: saved };
}
