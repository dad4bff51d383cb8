import { type Answer, isLate } from '../answers.ts';
import { nodeProblem } from './problem.ts';

/**
 * What a node answered; undefined where there is no such thing.
 * @throws ProblemError 502 or 504 where it could not speak for the chain
 */
export function foundOf<T>(answer: Answer<T>): T | undefined {
  if (answer.status === 'found') return answer.value;
  if (answer.status === 'absent') return undefined;
  throw nodeProblem(isLate(answer));
}
