import { ProblemError } from '../../errors/index.ts';

/** Says that a network's node took too long (504) or could not answer (502); nothing of what it said. */
export function nodeProblem(late: boolean): ProblemError {
  return new ProblemError({
    status: late ? 504 : 502,
    code: late ? 'node_timeout' : 'node_unavailable',
    title: late ? 'Node timeout' : 'Node unavailable',
    detail: `The network's node ${late ? 'took too long' : 'could not answer'}; try again shortly.`,
    headers: { 'retry-after': '5' },
  });
}
