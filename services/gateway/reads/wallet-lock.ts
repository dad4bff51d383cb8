import { setTimeout as delay } from 'node:timers/promises';
import { getErrorMessage, type Network } from '@adaptor-marketplace/adaptor';
import { createFunctionReader, NodeUnavailableError } from '@adaptor-marketplace/adaptor/chain';
import { hasActions } from '@adaptor-marketplace/adaptor/transactions';
import type { NetworkNode } from '../../../lib/chain/nodes.ts';
import type { NetworkPackages } from '../../../lib/config/networks.ts';
import type { Logger } from '../../../lib/log/index.ts';

/**
 * Returns `true` if the wallets of a network have the lock `wallet::action`; null if no wallet package is followed, or if
 * the node has not answered yet. Never rejects.
 */
export type WalletLocks = (network: Network) => Promise<boolean | null>;

/** Milliseconds for which an answer is cached: a new version of the package may add the lock. */
const freshMs = 60_000;
/** Delay until the next read after a failed one, in milliseconds. */
const retryMs = 5_000;
/** Bound on the wait for the first answer of a node, in milliseconds. All requests share it. */
const waitMsDefault = 1_000;

type Nodes = ReadonlyMap<Network, NetworkNode<Pick<NetworkPackages, 'walletPackageId'>>>;

/** Caches the answers of the nodes. Requests wait for the first answer only, and one read of a node runs at a time. */
export function createWalletLocks(nodes: Nodes, log: Logger, waitMs = waitMsDefault): WalletLocks {
  const locks = new Map<Network, CachedLock>();
  return async (network) => {
    const node = nodes.get(network);
    const { walletPackageId } = node?.settings ?? {};
    if (!node || walletPackageId === undefined) return null;
    let lock = locks.get(network);
    if (!lock) {
      const read = async () => {
        try {
          return await readLock(node, walletPackageId);
        } catch (error) {
          log.warn({ network, reason: getErrorMessage(error) }, 'could not read whether wallets have a lock');
          return null;
        }
      };
      lock = new CachedLock(read, waitMs);
      locks.set(network, lock);
    }
    return await lock.get();
  };
}

class CachedLock {
  readonly #read: () => Promise<boolean | null>;
  /** Settles with the first read, or after the bound on the wait for it. */
  readonly #firstRead: Promise<unknown>;
  #value: boolean | null = null;
  /** `Date.now()` of the next read; undefined while one runs. */
  #nextAt: number | undefined;

  constructor(read: () => Promise<boolean | null>, waitMs: number) {
    this.#read = read;
    this.#firstRead = Promise.race([this.#refresh(), delay(waitMs, undefined, { ref: false })]);
  }

  async get(): Promise<boolean | null> {
    if (this.#nextAt !== undefined && Date.now() >= this.#nextAt) void this.#refresh();
    await this.#firstRead;
    return this.#value;
  }

  async #refresh(): Promise<void> {
    this.#nextAt = undefined;
    const value = await this.#read();
    this.#value = value ?? this.#value;
    this.#nextAt = Date.now() + (value === null ? retryMs : freshMs);
  }
}

async function readLock(
  { client, versions }: NetworkNode<unknown>,
  walletPackageId: string,
): Promise<boolean | null> {
  const newest = await versions.newest(walletPackageId);
  if (newest.status !== 'found') return null;
  return await hasActions(createFunctionReader(client), newest.value).catch((error: unknown) => {
    if (error instanceof NodeUnavailableError) return null;
    throw error;
  });
}
