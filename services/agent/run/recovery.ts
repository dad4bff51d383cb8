import { getErrorMessage, type Network } from '@adaptor-marketplace/adaptor';
import { type OpenRun, readOpenRuns, readOwnRuns } from '../../../db/queries/agent/locks.ts';
import { readUnrecordedDigest } from '../../../db/queries/agent/unrecorded.ts';
import { RunFailedError } from '../../../lib/agent/run-failure.ts';
import type { RunStepName } from '../../../lib/agent/shapes.ts';
import { createSingleFlight } from '../../../lib/concurrency/single-flight.ts';
import { ProblemError } from '../../../lib/errors/index.ts';
import type { Node, NodeChoice } from '../chain/node.ts';
import type { RunTracker } from './driven-runs.ts';
import type { ExecuteDependencies } from './execute.ts';
import { Progress } from './progress.ts';
import { resumeRun } from './settle-run.ts';
import { startRunTrace } from './trace-run.ts';
import type { Worker } from './worker.ts';

const interrupted = new RunFailedError(
  'interrupted',
  'The service stopped before anything was signed. Nothing was spent. Send the same request again.',
);

const forgotten = new RunFailedError(
  'unknown',
  'The database lost what followed. A transaction of this wallet executed that no run has, perhaps that of this run. The wallet stays locked until the operator settles this run. Do not send the action again until then.',
);

interface RecoveryDependencies {
  worker: Worker;
  nodes: NodeChoice;
  dependencies: ExecuteDependencies;
  driven: RunTracker;
}

/**
 * Takes up open runs that nothing drives: of dead workers, and own ones that stopped with an unexpected error or whose
 * opening got no answer from the database. Signed runs are sent again, the same bytes, and settled in the background.
 * Resolves when all are taken up, and the unsigned ones of `network` have ended. Those of another network may wait for
 * its node without end.
 */
export function createRecovery({
  worker,
  nodes,
  dependencies,
  driven,
}: RecoveryDependencies): (network?: Network) => Promise<void> {
  /** Unsigned runs that were taken up and have not ended. */
  const ending = new Set<{ network: string; ended: Promise<void> }>();

  async function takeUpAll(): Promise<void> {
    const workerId = await worker.adopt();
    const runs = await driven.findUndriven(workerId, () => readOwnRuns(dependencies.db, workerId));
    const open = await readOpenRuns(dependencies.db, workerId, runs);
    for (const run of open) takeUp(run, workerId);
  }

  function takeUp(open: OpenRun, workerId: number): void {
    const { run, network, transaction, signatures, digest, bounds, signedCheckpoint } = open;
    const step = open.step as RunStepName;
    const trace = startRunTrace({ run, network, action: open.action });
    const state = { run, worker: workerId, nextPosition: open.nextPosition, step, trace };
    const progress = new Progress({ ...dependencies, ...state });
    const node = findNode(network as Network);
    if (!transaction || signatures === null || digest === null) {
      const ended = endUnsigned(open, progress, node)
        .catch((error) =>
          dependencies.log.warn({ run, reason: getErrorMessage(error) }, 'could not take over a run'),
        )
        .finally(() => {
          ending.delete(one);
          trace?.end();
        });
      const one = { network, ended };
      ending.add(one);
      driven.drive({ run, worker: workerId }, ended);
      return;
    }
    if (!node) {
      dependencies.log.error(
        { run, network, digest },
        'a signed run is on a network that is not configured; it stays open',
      );
      trace?.end();
      return;
    }
    dependencies.log.warn({ run, state: open.state, digest }, 'took over a run');
    const { walletId, action } = open;
    const signed = { run, worker: workerId, request: { walletId, action }, node, progress };
    const known = { transaction, signatures, digest, bounds, signedCheckpoint };
    const settled = resumeRun(dependencies, signed, known).finally(() => trace?.end());
    driven.drive(signed, settled);
  }

  /** Ends a run without a signature, unless the database may have lost it: the gas coins show that. */
  async function endUnsigned(open: OpenRun, progress: Progress, node: Node | undefined): Promise<void> {
    if (node) await dependencies.gas.prepare(node);
    dependencies.log.warn({ run: open.run, state: open.state }, 'took over a run');
    const digest = await readUnrecordedDigest(dependencies.db, open);
    const failure = digest === undefined ? interrupted : forgotten;
    if (digest === undefined) await progress.fail(failure);
    else await progress.leave(failure, digest);
    dependencies.count(open.action, failure.code);
  }

  function findNode(network: Network): Node | undefined {
    try {
      return nodes(network);
    } catch (error) {
      if (error instanceof ProblemError) return undefined;
      throw error;
    }
  }

  const takeUpOnce = createSingleFlight(() =>
    takeUpAll().catch((error) =>
      dependencies.log.warn({ reason: getErrorMessage(error) }, 'could not look for orphaned runs'),
    ),
  );
  return async (network) => {
    await takeUpOnce.run();
    await Promise.all([...ending].map((one) => one.network === network && one.ended));
  };
}
