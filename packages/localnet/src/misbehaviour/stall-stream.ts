import { concerns, type Interceptor, isStream } from './interceptor.ts';
import type { MisbehaviourSettings } from './schema.ts';

type Settings = NonNullable<MisbehaviourSettings['stallStream']>;

/** Streams bring some frames and then nothing; only the client or the network's end ends them. */
export function stallStream({ afterFrames, methods }: Settings): Interceptor {
  return ({ method }, next) => {
    const answer = next();
    if (!isStream(answer) || !concerns(methods, method)) return answer;
    return (async function* () {
      let frames = 0;
      for await (const frame of answer) {
        if (frames++ === afterFrames) break;
        yield frame;
      }
      if (frames > afterFrames) await new Promise(() => undefined);
    })();
  };
}
