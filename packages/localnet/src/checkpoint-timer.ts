import { messageOf } from './internal/errors.ts';
import type { Logger } from './internal/log.ts';
import { quietEveryMs } from './ledger/checkpoint-history.ts';
import type { Ledger } from './ledger/ledger.ts';

/** Intervals without a transaction that make one empty checkpoint: half as many spare half the disk. */
const idleIntervals = 2;

/**
 * A network that executed nothing for so long makes an empty checkpoint every `quietEveryMs`, which takes no room on disk.
 * Streams report their progress at every such checkpoint or second one, before their readers time out.
 */
const quietAfterMs = 600_000;

/**
 * Makes a checkpoint every `intervalMs` while transactions execute, and an empty one after two intervals without any, or,
 * after ten minutes without any, every five seconds. The returned function ends it with a last checkpoint of what executed.
 */
export function startCheckpoints(ledger: Ledger, intervalMs: number, log: Logger): () => void {
  const quietIntervals = Math.max(idleIntervals, Math.ceil(quietEveryMs / intervalMs));
  /** Intervals since the last checkpoint, and since the last one with a transaction. */
  let idle = 0;
  let quiet = 0;
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
    quiet = ledger.hasPending ? 0 : quiet + 1;
    const wanted = quiet * intervalMs > quietAfterMs ? quietIntervals : idleIntervals;
    if (ledger.hasPending || idle >= wanted) checkpoint();
  }, intervalMs);
  return () => {
    clearInterval(timer);
    if (ledger.hasPending) checkpoint();
  };
}
