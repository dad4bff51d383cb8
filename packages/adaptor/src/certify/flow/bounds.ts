/**
 * Bounds of the analysis. They count steps and sizes, not time, so that a browser and a server give the same result.
 * Code beyond a bound counts as unread.
 */
export const bounds = {
  /** Steps of one certificate: visited instructions, and nodes of the values that are joined. */
  steps: 4_000_000,
  /** Steps of one function. */
  functionSteps: 400_000,
  /** Instructions of one function. The chain's own bound is larger. */
  instructions: 20_000,
  /** Functions that a certificate or a search for writers may reach. */
  functions: 4_000,
  /** Rounds over the blocks of a function, and over functions that call each other. */
  rounds: 40,
  /** Origins of one value. */
  origins: 256,
  /** Steps of a path. */
  depth: 14,
  /** Nodes of one value. */
  nodes: 400,
  /** Effects of one function. */
  effects: 1_500,
  /** Flows, and splits, that keep their sources apart. Beyond it, those of one instruction are joined. */
  paths: 200,
} as const;
