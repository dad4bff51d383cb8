import { messageOf } from '@adaptor-marketplace/adaptor/error-message';
import type { Network } from '@adaptor-marketplace/adaptor/networks';
import { type OpenRun, readOpenRuns, readOwnRuns } from '../../../db/queries/agent/orphans.ts';
import { ProblemError } from '../../../lib/errors/index.ts';
import type { Node, NodeChoice } from '../chain/node.ts';
import { RunFailure } from '../failure.ts';
import { type DriveHost, progressOf, resumeRun } from '../run/drive.ts';
import type { DrivenRuns } from './driven.ts';
import type { Worker } from './worker.ts';

const interrupted = new RunFailure(
  'interrupted',
  'The service stopped before anything was signed, so nothing was spent. Send the same request again.',
);

export interface RecoverParts {
  worker: Worker;
  nodes: NodeChoice;
  host: DriveHost;
  driven: DrivenRuns;
}

/**
 * Takes up open runs that nothing drives: those of dead workers, and own ones whose driving ended by an unexpected
 * error or whose opening got no answer from the database. What was signed is sent again, the same bytes, and settled
 * in the background; what was not is ended. Resolves when all of them are taken up and the latter have ended.
 */
export function recovery({ worker, nodes, host, driven }: RecoverParts): () => Promise<void> {
  async function recover(): Promise<void> {
    const own = await worker.adopt();
    const runs = await driven.undriven(own, () => readOwnRuns(host.db, own));
    const open = await readOpenRuns(host.db, own, runs);
    await Promise.all(open.map((run) => takeUp(run, own)));
  }

  async function takeUp(open: OpenRun, number: number): Promise<void> {
    const { run, network, transaction, signatures, digest, bounds, signedCheckpoint } = open;
    const progress = progressOf(host, open, number);
    if (!transaction || signatures === null || digest === null) {
      host.log.warn({ run, state: open.state }, 'took over a run');
      await progress.fail(interrupted).catch(() => undefined);
      return;
    }
    const node = nodeOf(network as Network);
    if (!node) {
      host.log.error(
        { run, network, digest },
        'a signed run is on a network without settings; it stays open',
      );
      return;
    }
    host.log.warn({ run, state: open.state, digest }, 'took over a run');
    const { walletId, action } = open;
    const signed = { run, worker: number, request: { walletId, action }, node, progress };
    const resumed = resumeRun(host, signed, { transaction, signatures, digest, bounds, signedCheckpoint });
    driven.drive(signed, resumed);
  }

  function nodeOf(network: Network): Node | undefined {
    try {
      return nodes(network);
    } catch (error) {
      if (error instanceof ProblemError) return undefined;
      throw error;
    }
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
