import { GrpcError, GrpcStatusCode } from '../rpc/server/status.ts';
import { concerns, type Interceptor, isStream } from './interceptor.ts';
import type { MisbehaviourSettings } from './schema.ts';

type Settings = NonNullable<MisbehaviourSettings['dropStream']>;

/** Ends streams after some frames. */
export function dropStream({ afterFrames, code, methods }: Settings): Interceptor {
  return ({ method, context }, next) => {
    const answer = next();
    if (!isStream(answer) || !concerns(methods, method)) return answer;
    return (async function* () {
      let frames = 0;
      if (afterFrames > 0) {
        for await (const frame of answer) {
          yield frame;
          if (++frames === afterFrames) break;
        }
        if (frames < afterFrames) return;
      }
      if (code) throw new GrpcError(GrpcStatusCode[code], `dropped on demand after ${afterFrames} frames`);
      context.cut();
    })();
  };
}
