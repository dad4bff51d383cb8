import { setTimeout as delay } from 'node:timers/promises';
import type { Network } from '@adaptor-marketplace/adaptor';
import { functionReader, NodeUnavailableError } from '@adaptor-marketplace/adaptor/chain';
import { hasActions } from '@adaptor-marketplace/adaptor/transactions';
import type { NetworkNode } from '../../../lib/chain/nodes.ts';
import type { NetworkPackages } from '../../../lib/config/networks.ts';

/**
 * Returns whether the wallets of a network have the lock `wallet::action`; null if no wallet package is followed, or if
 * the node has not answered yet.
 */
export type WalletLocks = (network: Network) => Promise<boolean | null>;

/** A new version of the package may bring the lock. */
const freshMs = 60_000;
/** Bound on the wait for a node, in milliseconds. A later request gets the answer. */
const waitMs = 1_000;

type Nodes = ReadonlyMap<Network, NetworkNode<Pick<NetworkPackages, 'walletPackageId'>>>;

/** Caches the answers of the nodes. Concurrent requests share one read. */
export function walletLocks(nodes: Nodes): WalletLocks {
  const reads = new Map<Network, { until: number; lock: Promise<boolean | null> }>();
  return async (network) => {
    const node = nodes.get(network);
    const { walletPackageId } = node?.settings ?? {};
    if (!node || walletPackageId === undefined) return null;
    let read = reads.get(network);
    if (!read || Date.now() >= read.until) {
      read = { until: Date.now() + freshMs, lock: readLock(node, walletPackageId) };
      reads.set(network, read);
    }
    const lock = await Promise.race([read.lock, delay(waitMs, undefined, { ref: false })]);
    if (lock === null) reads.delete(network);
    return lock ?? null;
  };
}

async function readLock(
  { client, versions }: NetworkNode<unknown>,
  walletPackageId: string,
): Promise<boolean | null> {
  const newest = await versions.newest(walletPackageId);
  if (newest.status !== 'found') return null;
  return await hasActions(functionReader(client), newest.value).catch((error: unknown) => {
    if (error instanceof NodeUnavailableError) return null;
    throw error;
  });
}
