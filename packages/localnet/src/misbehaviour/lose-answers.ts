import { GrpcError, GrpcStatusCode } from '../rpc/server/status.ts';
import { type Interceptor, isStream } from './interceptor.ts';
import type { MisbehaviourSettings } from './schema.ts';
import { shareOfCalls } from './share.ts';

type Settings = NonNullable<MisbehaviourSettings['loseAnswers']>;

/** Lets transactions execute and keeps the answer back. */
export function loseAnswers({ answer: instead, share, seed }: Settings): Interceptor {
  const isChosen = shareOfCalls(share, seed);
  return ({ method }, next) => {
    const answer = next();
    if (method !== 'ExecuteTransaction' || isStream(answer) || !isChosen()) return answer;
    return answer.then(() => {
      if (instead === 'never') return new Promise(() => undefined);
      throw new GrpcError(GrpcStatusCode[instead], 'the response was dropped on demand');
    });
  };
}
