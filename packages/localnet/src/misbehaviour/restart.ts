import type { CallContext } from '../rpc/server/service.ts';
import { GrpcError, GrpcStatusCode } from '../rpc/server/status.ts';
import type { Interceptor } from './interceptor.ts';
import type { MisbehaviourSettings } from './schema.ts';

type Settings = NonNullable<MisbehaviourSettings['restart']>;

/** Closes the open streams and refuses new calls for a while, as a node that is set up again. */
export function restart({ downMs }: Settings, open: ReadonlySet<CallContext>): Interceptor {
  const upAtMs = performance.now() + downMs;
  for (const context of [...open]) context.cut();
  return (_call, next) => {
    if (performance.now() >= upAtMs) return next();
    throw new GrpcError(GrpcStatusCode.UNAVAILABLE, 'the node restarts');
  };
}
