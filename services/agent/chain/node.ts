import { setTimeout as delay } from 'node:timers/promises';
import { getErrorMessage, type Network } from '@adaptor-marketplace/adaptor';
import {
  callOptions,
  createFunctionReader,
  createObjectReader,
  type FunctionReader,
  NodeUnavailableError,
  type ObjectReader,
  unwrapAnswer,
} from '@adaptor-marketplace/adaptor/chain';
import { hasActions } from '@adaptor-marketplace/adaptor/transactions';
import { RunFailedError } from '../../../lib/agent/run-failure.ts';
import { type NetworkNode, openNodes } from '../../../lib/chain/nodes.ts';
import type { NetworkSettings } from '../../../lib/config/networks.ts';
import { ProblemError } from '../../../lib/errors/index.ts';
import { networkNotServed } from '../../../lib/http/exchange.ts';

export type AgentNetwork = Omit<NetworkSettings, 'registryObjectId' | 'aggregatorUrl'>;

/** A network's node, with readers that cache what never changes. */
export interface Node extends NetworkNode<AgentNetwork> {
  functions: FunctionReader;
  objects: ObjectReader;
}

/** Returns the node of a network. @throws ProblemError 400 without a node or a wallet package, where no action runs */
export type NodeChoice = (network: Network) => Node;

export function openAgentNodes(
  networks: readonly AgentNetwork[],
  closing: AsyncDisposableStack,
  options: Omit<Parameters<typeof openNodes>[2], 'priority'>,
): NodeChoice {
  const nodes = new Map<Network, Node>();
  for (const [network, node] of openNodes(networks, closing, { ...options, priority: 'run' })) {
    const { client } = node;
    nodes.set(network, {
      ...node,
      functions: createFunctionReader(client),
      objects: createObjectReader(client),
    });
  }
  return (network) => {
    const node = nodes.get(network);
    if (node?.settings.walletPackageId !== undefined) return node;
    const served = networks.flatMap(({ network, walletPackageId }) =>
      walletPackageId === undefined ? [] : [network],
    );
    throw networkNotServed('The agent service', network, served);
  };
}

/** Runs `work`, which reads from a node for a run. @throws RunFailedError `node_unavailable` */
export async function fromNode<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const isNode =
      error instanceof NodeUnavailableError ||
      (error instanceof ProblemError && error.code.startsWith('node_'));
    if (!isNode) throw error;
    throw new RunFailedError('node_unavailable', error.message);
  }
}

/**
 * Runs `call`, which reads from a node to prepare the gas coins.
 * @throws RunFailedError `node_unavailable` for any error of the call, unless the signal aborted it
 */
export async function readForCoins<T>(signal: AbortSignal, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    signal.throwIfAborted();
    const reason = getErrorMessage(error).slice(0, 200);
    const detail = `The operator's gas coins cannot be prepared (${reason}). Nothing was sent. Send the request again.`;
    throw new RunFailedError('node_unavailable', detail);
  }
}

const checkpointMs = 15_000;

/** @throws an error of the call, or if the node does not report a checkpoint */
export async function newestCheckpoint(client: Node['client'], signal: AbortSignal): Promise<bigint> {
  const { checkpointHeight } = await client.ledgerService.getServiceInfo(
    {},
    callOptions(checkpointMs, signal),
  ).response;
  if (checkpointHeight === undefined) throw new Error('the node does not say which checkpoint is its newest');
  return checkpointHeight;
}

/** A package: the id that its types have, the id that calls go to, and the ids of all its versions. */
export interface CalledPackage {
  originalId: string;
  newestId: string;
  versionIds: ReadonlySet<string>;
}

/** The packages that a run's transaction may call in addition to an adaptor. */
export interface CalledPackages {
  wallet: CalledPackage;
  /** The recipient allowlist's; undefined where none is configured. */
  allowlist: CalledPackage | undefined;
  /** `true` if the wallet package enforces the bounds of actions. */
  hasActions: boolean;
  /** Id of the first version, by the id of each version. Aborts name the id of a version. */
  originals: ReadonlyMap<string, string>;
}

/** Reads the packages of a network, as its node knows them now. @throws RunFailedError `node_unavailable` */
export async function readPackages({ settings, functions, versions }: Node): Promise<CalledPackages> {
  const { walletPackageId = '', rulesPackageId, allowlistPackageId = rulesPackageId } = settings;
  const read = async (originalId: string): Promise<CalledPackage> => {
    const ids = unwrapAnswer(await versions.all(originalId)) ?? [];
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
      wallet,
      allowlist,
      originals: new Map(originals),
      hasActions: await hasActions(functions, wallet.newestId),
    };
  });
}

/** Reads the packages for a sent transaction, which has a verdict anyway: retries until the node answers. */
export async function waitForPackages(node: Node, signal: AbortSignal): Promise<CalledPackages> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await readPackages(node);
    } catch (error) {
      if (!(error instanceof RunFailedError)) throw error;
    }
    await delay(Math.min(100 * 2 ** attempt, waitMsMax), undefined, { signal });
  }
}

const waitMsMax = 5_000;
