import { ask } from '@adaptor-marketplace/adaptor/chain/answers';
import { callOptions } from '@adaptor-marketplace/adaptor/chain/call-options';
import { type ChainClient, createChainClient } from '@adaptor-marketplace/adaptor/chain/client';
import { originOf } from '../arguments.ts';
import { type Io, Refusal } from '../io.ts';
import { nodeFailure } from '../output/node-failure.ts';
import { describedNetworks, isOwnMachine, type LocalNetwork, networkAtDefaultPorts } from './local.ts';

/** The node that is read and signed for. */
export interface ChosenNode {
  url: string;
  /** What decided: an option, a variable, a data folder or the network's public node. */
  from: string;
  /** The local network that it is the node of, where there is one. */
  local?: LocalNetwork;
}

/** The network as the marketplace names it, and its genesis digest. */
export interface Chain {
  network: string;
  chainId: string;
}

/** Genesis digests of the public networks. */
const publicChains: Record<string, string> = {
  testnet: '69WiPg3DAQiwdxfncX6wYQ2siKwAe6L9BZthQea3JNMD',
  mainnet: '4btiuiMPvEENsttpZC7CZ53DruC3MAgfznDbASZ7DR6S',
};

export const isPublic = ({ network, chainId }: Chain): boolean => publicChains[network] === chainId;

/** A busy machine answers late; one on which nothing listens refuses at once. */
const nodeTimeoutMs = 20_000;

/**
 * The node that is named, else the local one of the very chain that the marketplace follows, else the public one. A
 * marketplace of a public chain never leads to a local node.
 * @throws UsageError for a url that is none
 */
export async function chooseNode(
  io: Io,
  { rpc }: { rpc?: string },
  { marketplace, chain }: { marketplace: string; chain: Chain },
): Promise<ChosenNode> {
  if (rpc !== undefined) return { url: originOf(rpc, '--rpc'), from: '--rpc' };
  if (io.env.SUI_RPC_URL) {
    return { url: originOf(io.env.SUI_RPC_URL, 'SUI_RPC_URL'), from: 'SUI_RPC_URL' };
  }
  const local = isPublic(chain) ? undefined : await localNetworkOf(io, { marketplace, chain });
  if (local) return { url: local.rpcUrl, from: local.from, local };
  return { url: `https://fullnode.${chain.network}.sui.io:443`, from: `the public node of ${chain.network}` };
}

/** The local network that has this chain, where one runs. */
export async function localNetworkOf(
  io: Pick<Io, 'env'>,
  { marketplace, chain }: { marketplace: string; chain: Chain },
): Promise<LocalNetwork | undefined> {
  const described = await describedNetworks(io);
  const candidates = isOwnMachine(marketplace) ? [...described, networkAtDefaultPorts] : described;
  for (const candidate of candidates) {
    const client = createChainClient({ url: candidate.rpcUrl });
    try {
      if ((await chainIdOf(client)).value === chain.chainId) return candidate;
    } finally {
      client.close();
    }
  }
  return undefined;
}

async function chainIdOf({
  ledgerService,
}: ChainClient): Promise<{ value: string | undefined; reason: string }> {
  const info = await ask(ledgerService.getServiceInfo({}, callOptions(nodeTimeoutMs)));
  if (info.status === 'found') return { value: info.value.chainId, reason: 'it names no chain' };
  return { value: undefined, reason: nodeFailure(info.reason) };
}

/** @throws Refusal where the node does not answer, or is of another chain */
export async function requireChain(
  client: ChainClient,
  node: ChosenNode,
  { network, chainId }: Chain,
): Promise<void> {
  const { value, reason } = await chainIdOf(client);
  if (value === chainId) return;
  const remedy = isPublic({ network, chainId })
    ? `Give a node of ${network} with --rpc or SUI_RPC_URL.`
    : 'That is a local network: start it with npm start, or give its node with --rpc or SUI_RPC_URL.';
  const wanted = `The marketplace's ${network} is chain ${chainId}`;
  if (value === undefined) {
    const found = `The node ${node.url} (${node.from}) does not answer: ${reason}.`;
    throw new Refusal(`${found} ${wanted}. ${remedy}`);
  }
  throw new Refusal(`${wanted}; the node ${node.url} (${node.from}) is of chain ${value}. ${remedy}`);
}
