import type { Network } from '@adaptor-marketplace/adaptor';
import type { Pool } from 'pg';
import { type GasCoin, leaseCoin, releaseStaleCoin } from '../../../db/queries/agent/gas-coins.ts';
import type { RunLease } from '../../../db/queries/agent/runs.ts';
import { RunFailedError } from '../../../lib/agent/run-failure.ts';
import { coalesce } from '../../../lib/concurrency/single-flight.ts';
import type { Logger } from '../../../lib/log/index.ts';
import { isOutdated, maintainCoins } from '../chain/gas-coins.ts';
import type { Node } from '../chain/node.ts';
import type { SettleTiming } from '../chain/settle.ts';
import type { SentTransaction } from '../chain/unrecorded.ts';
import type { Signer } from '../key/signer.ts';
import { RunTakenError } from './progress.ts';
import type { Wakers } from './wakers.ts';

/** Leases coins of the managed address to runs. A coin stays leased until its run has ended, in any process. */
export interface GasPool {
  /**
   * Waits for a coin for the run. Planned callers come before unplanned ones, otherwise in the order of their calls.
   * While both wait, every fifth coin goes to an unplanned caller.
   * @throws RunFailedError `agent_out_of_gas` where no coin suffices and none is in use, `node_unavailable`
   */
  lease(run: GasRequest): Promise<GasCoin>;
  /**
   * Maintains the coins of a network, unless this process has done so since it connected to the database. Wallets with
   * transactions that no run has are frozen then. @throws RunFailedError `node_unavailable`
   */
  prepare(node: Node): Promise<void>;
  /**
   * Makes the next lease in each network maintain its coins first: the database may have lost its newest changes. Networks
   * in which this process sends transactions are maintained at once.
   */
  invalidate(): void;
  /**
   * Releases the coin of a run that has signed nothing, if something else has used it; then `true`. @throws
   * RunFailedError `node_unavailable`
   */
  releaseStaleCoin(run: GasRequest, coin: GasCoin): Promise<boolean>;
}

/** A run, the network whose coins it needs, and the kind of its caller. */
interface GasRequest extends RunLease {
  node: Node;
  planned: boolean;
}

interface GasPoolDependencies {
  db: Pool;
  /** Connections that keep their session. */
  sessions: Pool;
  payer: Signer;
  wakers: Wakers;
  /** Minimum balance of a coin, in MIST. */
  gasMax: bigint;
  /** Takes over runs of dead workers, which keep their coins of the network until they have ended. */
  recover(network: Network): Promise<void>;
  timing: SettleTiming;
  /** Transactions that this process sends now. */
  sending: ReadonlySet<SentTransaction>;
  /** Counts a wallet that is frozen for a transaction without a run. */
  alarm(): void;
  log: Logger;
  now: () => Date;
  signal: AbortSignal;
}

/** Interval at which a waiting run looks for coins without a notification: coins that the operator sends cause none. */
const lookAgainMs = 1_000;

/** Runs wait in memory, and only the first of them queries the database: waiting occupies no connections. */
export function createGasPool(dependencies: GasPoolDependencies): GasPool {
  const { db, payer, signal } = dependencies;
  const queues = new Map<string, Queue>();
  /** First maintenance of the coins of a network by this process, by the network. A failed attempt is repeated. */
  const maintained = new Map<string, Promise<unknown>>();
  const maintainers = new Map<string, () => ReturnType<typeof maintainCoins>>();

  /** Maintains the coins of a network. Each maintenance holds a connection, so calls at the same time share one. */
  function maintain(node: Node) {
    const { network } = node.settings;
    const share = maintainers.get(network) ?? coalesce(() => maintainCoins({ ...dependencies, node }));
    maintainers.set(network, share);
    return share();
  }

  function maintainFirst(node: Node): Promise<unknown> {
    const { network } = node.settings;
    const running = maintained.get(network);
    if (running) return running;
    const maintaining = maintain(node);
    maintained.set(network, maintaining);
    maintaining.catch(() => {
      if (maintained.get(network) === maintaining) maintained.delete(network);
    });
    return maintaining;
  }

  async function leaseNext({ run, worker, node }: GasRequest): Promise<GasCoin> {
    using freed = dependencies.wakers.watchCoins(node.settings.network, payer.address);
    await maintainFirst(node);
    for (let mustMaintain = true; ; ) {
      signal.throwIfAborted();
      const coin = await leaseCoin(db, { run, worker }, dependencies.gasMax);
      if (coin === 'lost') throw new RunTakenError();
      if (coin !== 'none') return coin;
      if (mustMaintain) {
        await dependencies.recover(node.settings.network);
        const { free, used, stale } = await maintain(node);
        mustMaintain = false;
        if (free > 0) continue;
        if (used === 0 && stale > 0) {
          throw new RunFailedError(
            'node_unavailable',
            "The network's node is behind with the operator's gas coins. Nothing was sent. Send the request again.",
          );
        }
        if (used === 0) {
          throw new RunFailedError(
            'agent_out_of_gas',
            "The operator's key has no coin to pay the gas with. Send the request again once it is funded.",
          );
        }
      }
      const again = AbortSignal.timeout(lookAgainMs);
      await freed.waitForNews(AbortSignal.any([signal, again]));
      mustMaintain = again.aborted;
    }
  }

  return {
    async prepare(node) {
      await maintainFirst(node);
    },
    invalidate() {
      maintained.clear();
      for (const { node } of dependencies.sending) maintainFirst(node).catch(() => undefined);
    },
    async lease(run) {
      const { network } = run.node.settings;
      const queue = queues.get(network) ?? new Queue();
      queues.set(network, queue);
      await queue.enter(run.planned);
      try {
        return await leaseNext(run);
      } finally {
        queue.leave();
      }
    },
    async releaseStaleCoin({ run, worker, node }, coin) {
      if (!(await isOutdated(node, payer.address, coin, signal))) return false;
      await releaseStaleCoin(db, { run, worker });
      await maintain(node);
      return true;
    },
  };
}

/** Number of planned callers in a row that go first while an unplanned one waits. */
const plannedInRow = 4;

/** The callers of this process that wait for coins of one network. */
export class Queue {
  readonly #planned: (() => void)[] = [];
  readonly #unplanned: (() => void)[] = [];
  #taken = false;
  /** Number of planned callers served since an unplanned one was served or began to wait. */
  #inRow = 0;

  async enter(planned: boolean): Promise<void> {
    if (!this.#taken) {
      this.#taken = true;
      return;
    }
    if (!planned && this.#unplanned.length === 0) this.#inRow = 0;
    await new Promise<void>((resolve) => (planned ? this.#planned : this.#unplanned).push(resolve));
  }

  leave(): void {
    const isUnplanned =
      this.#planned.length === 0 || (this.#unplanned.length > 0 && this.#inRow >= plannedInRow);
    const next = (isUnplanned ? this.#unplanned : this.#planned).shift();
    this.#inRow = isUnplanned ? 0 : this.#inRow + 1;
    this.#taken = next !== undefined;
    next?.();
  }
}
