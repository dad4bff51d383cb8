/** Runs something after so many milliseconds, and answers what calls it off. */
export type Later = (afterMs: number, run: () => void) => () => void;

export const later: Later = (afterMs, run) => {
  const timer = setTimeout(run, afterMs);
  return () => clearTimeout(timer);
};

/** Rejects where the answer takes longer. */
export function within<T>(ms: number, answer: Promise<T>, timeLimit: Later): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  // After a pause of this process, timers run before the answers that have long arrived: those get their turn.
  const callOff = timeLimit(ms, () => void setImmediate(() => reject(tooLate(ms))));
  answer.then(resolve, reject).finally(callOff);
  return promise;
}

export const tooLate = (ms: number) => new Error(`The store did not answer within ${ms} ms.`);
