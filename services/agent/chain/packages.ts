import { setTimeout as delay } from 'node:timers/promises';
import { foundOf } from '@adaptor-marketplace/adaptor/chain/found';
import { hasActions } from '@adaptor-marketplace/adaptor/transactions/lock';
import { RunFailure } from '../failure.ts';
import { fromNode, type Node } from './node.ts';

/** A package by the id that its types go by, the one that calls go to, and all of its versions. */
export interface CalledPackage {
  originalId: string;
  newestId: string;
  versionIds: ReadonlySet<string>;
}

/** The packages that a run's transaction may call beside an adaptor. */
export interface CalledPackages {
  wallet: CalledPackage;
  /** The recipient allowlist's; undefined where none is configured. */
  allowlist: CalledPackage | undefined;
  /** Whether the wallet package holds actions to bounds. */
  hasActions: boolean;
  /** By the id of each version, which aborts name, that of the first. */
  originals: ReadonlyMap<string, string>;
}

/**
 * The packages of a network as its node knows them now.
 * @throws RunFailure `node_unavailable`
 */
export async function readPackages({ settings, functions, versions }: Node): Promise<CalledPackages> {
  const { walletPackageId = '', rulesPackageId, allowlistPackageId = rulesPackageId } = settings;
  const read = async (originalId: string): Promise<CalledPackage> => {
    const ids = foundOf(await versions.all(originalId)) ?? [];
    return { originalId, newestId: ids.at(-1) ?? originalId, versionIds: new Set([originalId, ...ids]) };
  };
  return await fromNode(async () => {
    const [wallet, allowlist] = await Promise.all([
      read(walletPackageId),
      allowlistPackageId === undefined ? undefined : read(allowlistPackageId),
    ]);
    const originals = [wallet, ...(allowlist ? [allowlist] : [])].flatMap(({ originalId, versionIds }) =>
      [...versionIds].map((id) => [id, originalId] as const),
    );
    return {
      ...{ wallet, allowlist, originals: new Map(originals) },
      hasActions: await hasActions(functions, wallet.newestId),
    };
  });
}

/** The same, for a transaction that was sent: it has a verdict no matter how long the node is out. */
export async function waitForPackages(node: Node, signal: AbortSignal): Promise<CalledPackages> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await readPackages(node);
    } catch (error) {
      if (!(error instanceof RunFailure)) throw error;
    }
    await delay(Math.min(100 * 2 ** attempt, waitMsMax), undefined, { signal });
  }
}

const waitMsMax = 5_000;
