import { ProblemError } from '../../../../lib/errors/index.ts';
import { coalesce } from '../../catalog/coalesce.ts';

export interface ReadBounds {
  /** Reads under way at once. */
  running: number;
  /** Reads that wait for one of those to end. */
  waiting: number;
  /** How long a read may have waited and still begin, in milliseconds. */
  waitMs: number;
}

/**
 * Bounds what all callers together ask: callers of one key share a read, which began after each of them called, and
 * of different keys only so many are read at once.
 * @throws ProblemError 503 `node_busy` beyond the bounds
 */
export function sharedReads<T>(
  bounds: ReadBounds,
  read: (key: string) => Promise<T>,
): (key: string) => Promise<T> {
  const shared = new Map<string, { callers: number; run: () => Promise<T> }>();
  const waiting: (() => void)[] = [];
  let running = 0;

  async function takeTurn(): Promise<void> {
    if (running < bounds.running) {
      running++;
      return;
    }
    if (waiting.length >= bounds.waiting) throw busy();
    await new Promise<void>((resolve) => waiting.push(resolve));
  }

  function passTurn(): void {
    const next = waiting.shift();
    if (next) next();
    else running--;
  }

  async function readInTurn(key: string): Promise<T> {
    const calledAt = performance.now();
    await takeTurn();
    try {
      if (performance.now() - calledAt > bounds.waitMs) throw busy();
      return await read(key);
    } finally {
      passTurn();
    }
  }

  return async (key) => {
    const found = shared.get(key) ?? { callers: 0, run: coalesce(() => readInTurn(key)) };
    shared.set(key, found);
    found.callers++;
    try {
      return await found.run();
    } finally {
      if (--found.callers === 0) shared.delete(key);
    }
  };
}

function busy(): ProblemError {
  return new ProblemError({
    status: 503,
    code: 'node_busy',
    title: 'Node busy',
    detail: "Too many addresses are being looked up at the network's node; try again shortly.",
    headers: { 'retry-after': '1' },
  });
}
