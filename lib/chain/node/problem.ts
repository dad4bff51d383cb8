import { type ProblemError, problem } from '../../errors/index.ts';

/** The error of a network's node that took too long (504) or could not answer (502), without the node's own words. */
export function nodeProblem(late: boolean): ProblemError {
  return late
    ? problem('node_timeout', "The network's node took too long. Try again shortly.")
    : problem('node_unavailable', "The network's node could not answer. Try again shortly.");
}
