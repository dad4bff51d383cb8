import { type Answer, isLate } from './answers.ts';

/** A network's node took too long (`late`), or could not answer. */
export class NodeUnavailableError extends Error {
  readonly late: boolean;

  constructor(late: boolean) {
    super(`The network's node ${late ? 'took too long' : 'could not answer'}; try again shortly.`);
    this.name = 'NodeUnavailableError';
    this.late = late;
  }
}

/**
 * Returns the value that a node answered with, or undefined if there is none.
 * @throws NodeUnavailableError if the node did not answer in time, or answered with an error of its own
 */
export function unwrapAnswer<T>(answer: Answer<T>): T | undefined {
  if (answer.status === 'found') return answer.value;
  if (answer.status === 'absent') return undefined;
  throw new NodeUnavailableError(isLate(answer));
}
