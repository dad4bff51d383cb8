import { GrpcError, GrpcStatusCode } from '../rpc/server/status.ts';
import { concerns, type Interceptor } from './interceptor.ts';
import type { MisbehaviourSettings } from './schema.ts';
import { shareOfCalls } from './share.ts';

type Settings = NonNullable<MisbehaviourSettings['failCalls']>;

/** Answers a share of the calls with a code; they are not served. */
export function failCalls({ code, share, seed, methods }: Settings): Interceptor {
  const isChosen = shareOfCalls(share, seed);
  return ({ method }, next) => {
    if (!concerns(methods, method) || !isChosen()) return next();
    throw new GrpcError(GrpcStatusCode[code], `${code} on demand`);
  };
}
