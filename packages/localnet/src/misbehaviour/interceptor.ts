import type { CallContext } from '../rpc/server/service.ts';

export type Answer = Promise<object> | AsyncIterable<object>;

/** Stands between a call and what serves it: it may refuse, or change what `next` brings. */
export type Interceptor = (call: InterceptedCall, next: () => Answer) => Answer;

interface InterceptedCall {
  method: string;
  request: object;
  context: CallContext;
}

export const isStream = (answer: Answer): answer is AsyncIterable<object> => Symbol.asyncIterator in answer;

/** Whether a misbehaviour that may name methods concerns this one. */
export const concerns = (methods: readonly string[] | undefined, method: string): boolean =>
  !methods || methods.includes(method);
