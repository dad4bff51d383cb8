import type { SuiGrpcClient } from '@mysten/sui/grpc';
import { type Answer, isLate } from '../../../lib/chain/answers.ts';
import { nodeProblem } from '../../../lib/chain/node/problem.ts';

/** The part of a node's client that drafting asks. */
export type ToolsClient = Pick<
  SuiGrpcClient,
  'ledgerService' | 'movePackageService' | 'stateService' | 'simulateTransaction'
>;

/** Of each call to a node. */
export const timeoutMs = 5_000;

/**
 * What a node answered; undefined where there is no such thing.
 * @throws ProblemError 502 or 504 where it could not speak for the chain
 */
export function foundOf<T>(answer: Answer<T>): T | undefined {
  if (answer.status === 'found') return answer.value;
  if (answer.status === 'absent') return undefined;
  throw nodeProblem(isLate(answer));
}
