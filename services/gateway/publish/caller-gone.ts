import type { Exchange } from '../../../lib/http/exchange.ts';

/** Aborts when the caller has left before the answer, so that nobody works for the void. */
export function callerGone({ res }: Exchange): AbortSignal {
  const gone = new AbortController();
  res.once('close', () => {
    if (!res.writableFinished) gone.abort();
  });
  return gone.signal;
}
