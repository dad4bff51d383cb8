import type { Network } from '@adaptor-marketplace/adaptor/networks';
import type { OpenRun } from '../../../db/queries/agent/orphans.ts';
import { messageOf } from '../../../lib/errors/index.ts';
import type { NodeChoice } from '../chain/node.ts';
import { type DriveHost, progressOf, resumeRun } from '../run/drive.ts';
import { RunFailure } from '../run/failure.ts';
import type { Worker } from './worker.ts';

const interrupted = new RunFailure(
  'interrupted',
  'The service stopped before anything was signed, so nothing was spent. Send the same request again.',
);

export interface RecoverParts {
  worker: Worker;
  nodes: NodeChoice;
  host: DriveHost;
  /** Keeps what goes on in the background until it has ended. */
  track(work: Promise<void>): void;
}

/**
 * Takes over the runs of dead workers. What was signed is sent again, the same bytes, and settled in the background;
 * what was not is ended. Resolves when all of them are taken over and the latter have ended.
 */
export function recovery({ worker, nodes, host, track }: RecoverParts): () => Promise<void> {
  async function recover(): Promise<void> {
    const adopted = await worker.adopt();
    await Promise.all(adopted.runs.map((run) => settle(run, adopted.worker)));
  }

  async function settle(open: OpenRun, number: number): Promise<void> {
    const { run, transaction, signatures, digest, bounds, signedCheckpoint } = open;
    host.log.warn({ run, state: open.state, digest }, 'took over a run');
    const progress = progressOf(host, open, number);
    if (!transaction || signatures === null || digest === null) {
      await progress.fail(interrupted).catch(() => undefined);
      return;
    }
    const node = nodes(open.network as Network);
    const { walletId, action } = open;
    const signed = { run, worker: number, request: { walletId, action }, node, progress };
    track(resumeRun(host, signed, { transaction, signatures, digest, bounds, signedCheckpoint }));
  }

  let running: Promise<void> | undefined;
  return () => {
    running ??= recover()
      .catch((error) => host.log.warn({ reason: messageOf(error) }, 'could not look for orphaned runs'))
      .finally(() => {
        running = undefined;
      });
    return running;
  };
}
