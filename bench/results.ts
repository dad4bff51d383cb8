import type { Result } from './measure.ts';

export interface Measured extends Result {
  /** ISO 8601. */
  date: string;
  node: string;
  cores: number;
  processor: string;
}

/** The latest full result of a benchmark without a distance to the node, and the latest over each distance. */
interface SavedResult extends Partial<Measured> {
  /** Each is under the milliseconds of its round trip. */
  overMs?: Record<string, Measured>;
}

/** Each result is under the name of its benchmark. */
export type Results = Record<string, SavedResult>;

/** Returns the results with a new one, which replaces only the one over the same distance. */
export function addResult(results: Results, measured: Measured, delayMs: number): Results {
  const { overMs, ...near } = results[measured.name] ?? {};
  const all = delayMs === 0 ? overMs : { ...overMs, [delayMs]: measured };
  const saved: SavedResult = delayMs === 0 ? { ...measured } : near;
  if (all) saved.overMs = all;
  return { ...results, [measured.name]: saved };
}
