import { type TurnBounds, turns } from '../../../../lib/chain/node/turns.ts';
import { coalesce } from '../../catalog/coalesce.ts';

/**
 * Bounds what all callers together ask: callers of one key share a read, which began after each of them called, and
 * of different keys only so many are read at once.
 * @throws ProblemError 503 `node_busy` beyond the bounds
 */
export function sharedReads<T>(
  bounds: TurnBounds,
  read: (key: string) => Promise<T>,
): (key: string) => Promise<T> {
  const shared = new Map<string, { callers: number; run: () => Promise<T> }>();
  const inTurn = turns(bounds);

  return async (key) => {
    const found = shared.get(key) ?? { callers: 0, run: coalesce(() => inTurn(() => read(key))) };
    shared.set(key, found);
    found.callers++;
    try {
      return await found.run();
    } finally {
      if (--found.callers === 0) shared.delete(key);
    }
  };
}
