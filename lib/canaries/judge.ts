/** Result of one simulated call of an op. Amounts are in base units, as decimal strings. */
export interface CanaryOutcome {
  /** Amount that the call was given. Null if the op takes none. */
  amount: string | null;
  /** Name of the abort, or kind of the failure, such as `EPaused`. Null if the call worked. */
  failure: string | null;
  /** MIST that an execution would cost. */
  gas: string;
  /** Coin that the call took, or would have taken if it failed. Null if it took none. */
  coinIn: string | null;
  /** Coin that it brought. Null if it brought none. */
  coinOut: string | null;
  taken: string;
  brought: string;
}

/** Calls of an op that were simulated together, one for each size, the smallest first. */
export interface CanaryRun {
  /** Milliseconds since the epoch. */
  at: number;
  /** Newest checkpoint that the node had. Null if it did not say so. */
  checkpoint: number | null;
  /** Version of the listing. */
  version: number;
  outcomes: CanaryOutcome[];
}

export const canaryStates = ['up', 'degraded', 'down', 'unproven'] as const;

/**
 * State of an op. `degraded`: it fails for some sizes. `unproven`: it never worked in a simulation, which a new wallet
 * may explain as well as a fault.
 */
export type CanaryState = (typeof canaryStates)[number];

/** Runs that the state of an op follows from. */
export const judgedRuns = 3;
/** Failures of a size among these runs that make it fail. */
const failuresMin = 2;

/**
 * Judges an op by its last three runs, the newest last: a size fails if two of them failed.
 * @param everWorked `true` if a call of the op ever worked, in these runs or before
 */
export function judgeRuns(runs: readonly CanaryRun[], everWorked: boolean): CanaryState {
  const sizes = runs.at(-1)?.outcomes.length ?? 0;
  if (!everWorked || sizes === 0) return 'unproven';
  const judged = runs.slice(-judgedRuns);
  const fails = Array.from({ length: sizes }, (_, size) => {
    const failures = judged.filter(({ outcomes }) => (outcomes[size]?.failure ?? null) !== null);
    return failures.length >= failuresMin;
  });
  if (!fails.includes(true)) return 'up';
  return fails.includes(false) ? 'degraded' : 'down';
}

/** Judges an entry by the states of its ops: those that never worked say nothing. @returns null without ops */
export function judgeEntry(states: readonly CanaryState[]): CanaryState | null {
  if (states.length === 0) return null;
  const judged = states.filter((state) => state !== 'unproven');
  if (judged.length === 0) return 'unproven';
  if (judged.every((state) => state === 'up')) return 'up';
  return judged.every((state) => state === 'down') ? 'down' : 'degraded';
}
