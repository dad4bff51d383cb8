import { GrpcError, GrpcStatusCode } from '../rpc/server/status.ts';
import { retryInfo } from '../rpc/server/status-details.ts';
import { concerns, type Interceptor } from './interceptor.ts';
import type { MisbehaviourSettings } from './schema.ts';

type Settings = NonNullable<MisbehaviourSettings['limitCalls']>;

/** Refuses the calls beyond a number in each window, as public providers do. */
export function limitCalls({ calls, windowMs, answer, delay, methods }: Settings): Interceptor {
  let endsAtMs = 0;
  let count = 0;
  return ({ method, context }, next) => {
    if (!concerns(methods, method)) return next();
    const nowMs = performance.now();
    if (nowMs >= endsAtMs) {
      endsAtMs = nowMs + windowMs;
      count = 0;
    }
    if (count++ < calls) return next();
    const waitMs = Math.ceil(endsAtMs - nowMs);
    if (answer === 'HTTP_429') {
      context.refuse(429, delay ? { 'retry-after': `${Math.ceil(waitMs / 1_000)}` } : {});
    }
    const message = `more than ${calls} requests in ${windowMs} ms`;
    throw new GrpcError(GrpcStatusCode.RESOURCE_EXHAUSTED, message, delay ? [retryInfo(waitMs)] : []);
  };
}
