import { messageOf } from './internal/errors.ts';
import type { Logger } from './internal/log.ts';
import type { Ledger } from './ledger/ledger.ts';

/**
 * Intervals without a transaction that make one empty checkpoint: half as many spare half the disk. More would
 * delay streams, which report their progress every 25 checkpoints and whose readers time out.
 */
const idleIntervals = 2;

/**
 * Makes a checkpoint every `intervalMs` while transactions execute, and an empty one after two intervals
 * without any. The returned function ends it with a last checkpoint of what executed.
 */
export function startCheckpoints(ledger: Ledger, intervalMs: number, log: Logger): () => void {
  let idle = 0;
  const checkpoint = () => {
    idle = 0;
    try {
      ledger.createCheckpoint();
    } catch (error) {
      log.error({ err: messageOf(error) }, 'localnet could not make a checkpoint');
    }
  };
  const timer = setInterval(() => {
    idle += 1;
    if (ledger.hasPending || idle >= idleIntervals) checkpoint();
  }, intervalMs);
  return () => {
    clearInterval(timer);
    if (ledger.hasPending) checkpoint();
  };
}
