import { setTimeout as delay } from 'node:timers/promises';
import { GrpcError, GrpcStatusCode } from '../rpc/server/status.ts';
import { concerns, type Interceptor, isStream } from './interceptor.ts';
import type { MisbehaviourSettings } from './schema.ts';

type Settings = NonNullable<MisbehaviourSettings['cutStreams']>;

/** Ends streams some time after they began. */
export function cutStreams({ afterMs, code, methods }: Settings): Interceptor {
  return ({ method, context }, next) => {
    const answer = next();
    if (!isStream(answer) || !concerns(methods, method)) return answer;
    delay(afterMs, undefined, { signal: context.signal }).then(
      () => {
        if (code === undefined) context.cut();
        else context.fail(new GrpcError(GrpcStatusCode[code], `cut on demand after ${afterMs} ms`));
      },
      () => undefined,
    );
    return answer;
  };
}
