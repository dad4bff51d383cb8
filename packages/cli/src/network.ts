import { networks as knownNetworks, type Network } from '@adaptor-marketplace/adaptor';
import { ask, callOptions, type PackageVersions, packageVersions } from '@adaptor-marketplace/adaptor/chain';
import { type ChainClient, createChainClient } from '@adaptor-marketplace/adaptor/chain/client';
import { readFixedObjects } from '@adaptor-marketplace/adaptor/draft';
import type { RegistryIds } from '@adaptor-marketplace/adaptor/transactions';
import type { Marketplace } from '@adaptor-marketplace/sdk';
import type { Command } from 'commander';
import { z } from 'zod';
import { parseResponse } from './api.ts';
import { CommandFailedError, createNodeError, explainNodeError, type Io, UsageError } from './io.ts';
import { isOwnMachine, type LocalNetwork, networkAtDefaultPorts, readLocalNetworks } from './local.ts';
import {
  type ApiOptions,
  createApiCommand,
  createMarketplaceClient,
  originArgument,
  parseOrigin,
} from './options.ts';

/** The node for reading, simulating and executing. */
export interface ChosenNode {
  url: string;
  /** Origin of the choice, for people: an option, a variable, a data folder or the network's public node. */
  from: string;
  /** Sent as `x-token`, only to the node of SUI_RPC_URL. */
  token?: string;
  /** The local network that it belongs to, if any. */
  local?: LocalNetwork;
}

/** A network by the marketplace's name, and its genesis digest. */
export interface Chain {
  network: Network;
  chainId: string;
}

/** Genesis digests of the public networks. */
const publicChains: Record<Network, string> = {
  testnet: '69WiPg3DAQiwdxfncX6wYQ2siKwAe6L9BZthQea3JNMD',
  mainnet: '4btiuiMPvEENsttpZC7CZ53DruC3MAgfznDbASZ7DR6S',
};

/** Returns the public network with this genesis digest. */
export const nameChain = (chainId: string): Network | undefined =>
  knownNetworks.find((network) => publicChains[network] === chainId);

export const isPublic = ({ network, chainId }: Chain): boolean => publicChains[network] === chainId;

/** A busy machine answers late, but a port without a server refuses at once. */
const nodeTimeoutMs = 20_000;

/**
 * Chooses the node: the one that is named, else the local one if it has the chain that the marketplace follows, else
 * the public one. A marketplace of a public chain never leads to a local node.
 * @throws UsageError for an invalid url
 */
export async function chooseNode(
  io: Io,
  { rpc, rpcFrom = '--rpc' }: { rpc?: string; rpcFrom?: string },
  { marketplace, chain }: { marketplace: string; chain: Chain },
): Promise<ChosenNode> {
  const named = chooseNamedNode(io, { rpc, rpcFrom });
  if (named) return named;
  const local = isPublic(chain) ? undefined : await findLocalNetwork(io, { marketplace, chain });
  if (local) return { url: local.rpcUrl, from: local.from, local };
  return { url: `https://fullnode.${chain.network}.sui.io:443`, from: `the public node of ${chain.network}` };
}

function chooseNamedNode(
  { env }: Io,
  { rpc, rpcFrom = '--rpc' }: { rpc?: string; rpcFrom?: string },
): ChosenNode | undefined {
  const [url, from] = rpc === undefined ? [env.SUI_RPC_URL, 'SUI_RPC_URL'] : [rpc, rpcFrom];
  if (!url) return undefined;
  const node = { url: parseOrigin(url, from), from };
  const token = pickToken(env, node.url);
  return token === undefined ? node : { ...node, token };
}

/**
 * Picks the token for a node: that of SUI_RPC_TOKEN if SUI_RPC_URL names this node, so that a mistyped or foreign address
 * does not receive it.
 * @throws UsageError if the token names no node, or would be sent in the clear
 */
function pickToken({ SUI_RPC_TOKEN: token, SUI_RPC_URL: owner }: Io['env'], url: string): string | undefined {
  if (!token) return undefined;
  if (!owner) {
    throw new UsageError(
      `SUI_RPC_TOKEN is set without SUI_RPC_URL. Set SUI_RPC_URL to the node that the token is for: ${url} does not receive it otherwise. Or unset SUI_RPC_TOKEN.`,
    );
  }
  if (parseOrigin(owner, 'SUI_RPC_URL') !== url) return undefined;
  if (url.startsWith('http:') && !isOwnMachine(url)) {
    throw new UsageError(
      `SUI_RPC_TOKEN is not sent to ${url} (SUI_RPC_URL): http does not encrypt it. Use https, or unset SUI_RPC_TOKEN.`,
    );
  }
  return token;
}

/** Help text about the node of commands that ask no marketplace. */
export const nodeUrlHelp =
  'The node is --rpc, else SUI_RPC_URL, else the local one (rpcUrl in demo.json of DATA_DIR, else of .data, else\n' +
  'http://127.0.0.1:9000). SUI_RPC_TOKEN is sent as x-token to the node of SUI_RPC_URL alone.';

/**
 * Chooses the node of a command that asks no marketplace.
 * @throws UsageError for an invalid url
 */
export async function chooseNodeUrl(
  io: Io,
  options: { rpc?: string; rpcFrom?: string },
): Promise<ChosenNode> {
  const named = chooseNamedNode(io, options);
  if (named) return named;
  const [local = networkAtDefaultPorts] = await readLocalNetworks(io);
  return { url: local.rpcUrl, from: local.from };
}

/** Finds a running local network with this chain. */
export async function findLocalNetwork(
  io: Pick<Io, 'env'>,
  { marketplace, chain }: { marketplace: string; chain: Chain },
): Promise<LocalNetwork | undefined> {
  const described = await readLocalNetworks(io);
  const candidates = isOwnMachine(marketplace) ? [...described, networkAtDefaultPorts] : described;
  for (const candidate of candidates) {
    const client = createChainClient({ url: candidate.rpcUrl });
    try {
      if ((await readChainId(client)).value === chain.chainId) return candidate;
    } finally {
      client.close();
    }
  }
  return undefined;
}

async function readChainId({
  ledgerService,
}: ChainClient): Promise<{ value: string | undefined; reason: string }> {
  const info = await ask(ledgerService.getServiceInfo({}, callOptions(nodeTimeoutMs)));
  if (info.status === 'found') return { value: info.value.chainId, reason: 'it names no chain' };
  return { value: undefined, reason: explainNodeError(info.reason) };
}

/** @throws CommandFailedError if the node does not answer, or has another chain */
async function requireChain(
  client: ChainClient,
  node: ChosenNode,
  { network, chainId }: Chain,
): Promise<void> {
  const { value, reason } = await readChainId(client);
  if (value === chainId) return;
  const remedy = isPublic({ network, chainId })
    ? `Give a node of ${network} with --rpc or SUI_RPC_URL.`
    : 'That is a local network: start it with npm start, set DATA_DIR to its data folder, or give its node with --rpc or SUI_RPC_URL.';
  const expected = `The marketplace's ${network} is chain ${chainId}`;
  if (value === undefined) {
    const found = `The node ${node.url} (${node.from}) does not answer: ${reason}.`;
    throw new CommandFailedError(`${found} ${expected}. ${remedy}`);
  }
  throw new CommandFailedError(
    `${expected}; the node ${node.url} (${node.from}) is of chain ${value}. ${remedy}`,
  );
}

/** A command that reads from a node as well as from the marketplace. */
export function createNodeCommand(name: string, description: string): Command {
  return createApiCommand(name, description)
    .option('--rpc <url>', 'url of the node; see below', originArgument)
    .addHelpText(
      'after',
      'The node is --rpc or that of the profile, else SUI_RPC_URL, else the local one (rpcUrl in the same demo.json, else\n' +
        "http://127.0.0.1:9000) if it has the chain that the marketplace follows, else the network's public node.\n" +
        'SUI_RPC_TOKEN is sent as x-token to the node of SUI_RPC_URL alone.',
    );
}

export interface NodeOptions extends ApiOptions {
  rpc?: string;
  /** Origin of `rpc` for messages if a profile set it: `profile <name>`. */
  rpcFrom?: string;
}

/** A marketplace, the chosen one of its networks, and a node of that network. */
export interface Connection {
  io: Io;
  market: Marketplace;
  network: Network;
  chainId: string;
  node: ChosenNode;
  client: ChainClient;
}

/** The packages that transactions call. Each is a version of the package that the marketplace names. */
export interface Packages {
  /** The registry, at the package version that is called. */
  registry: RegistryIds;
  /** Id of the first version of the registry's package, which its types carry. */
  registryPackageId: string;
  /** The wallet package; undefined if the marketplace follows none. */
  walletPackage: WalletPackage | undefined;
  /** Ids of the first versions of packages whose shared objects obey the signer beyond one call. */
  guardedPackageIds: readonly string[];
}

export interface WalletPackage {
  /** Id of the first version, which its types carry. */
  originalId: string;
  calledId: string;
}

const servedNetwork = z.object({
  chainId: z.string().nullable(),
  registry: z.object({
    packageId: z.string(),
    callPackageId: z.string().nullable().optional(),
    objectId: z.string(),
  }),
  walletPackageId: z.string().nullable(),
  walletCallPackageId: z.string().nullable().optional(),
  guardedPackageIds: z.array(z.string()).optional(),
});
/** The networks that a marketplace does not serve have null ids. */
const unservedNetwork = z.object({ registry: z.object({ packageId: z.null() }) }).transform(() => undefined);
const schemaAnswer = z.object({ networks: z.record(z.string(), z.union([servedNetwork, unservedNetwork])) });

export type ServedNetwork = z.infer<typeof servedNetwork>;

/**
 * Returns the chosen network with the marketplace's description of it.
 * @throws UsageError if it serves none of that name; CommandFailedError if it does not know its chain yet
 */
export async function chooseServedNetwork(
  market: Marketplace,
  requested: Network | undefined,
): Promise<ServedNetwork & { network: Network; chainId: string }> {
  const { networks } = parseResponse(schemaAnswer, await market.api.getAdaptorSchemas());
  // The name becomes a part of the public node's url, so unknown names are ignored.
  const served = knownNetworks.filter((name) => networks[name]);
  const network = requested ?? (served.length === 1 ? served[0]! : undefined);
  const found = network === undefined ? undefined : networks[network];
  if (network === undefined || found === undefined) {
    throw new UsageError(
      `${requested === undefined ? '--network is required.' : `--network: ${market.baseUrl} does not serve ${requested}.`} ` +
        `The marketplace serves ${served.join(', ') || 'none'}.`,
    );
  }
  const { chainId } = found;
  if (chainId === null) {
    throw new CommandFailedError(
      `The marketplace has not reached its own ${network} node yet. Try again shortly.`,
    );
  }
  return { ...found, network, chainId };
}

/**
 * Runs work with a node of the same chain that the marketplace follows.
 * @param readFirst reads the facts that the work needs, while the node is asked for its chain
 * @throws CommandFailedError if the node has another chain
 */
export async function withConnection<Facts, Result>(
  io: Io,
  options: NodeOptions,
  readFirst: (client: ChainClient, served: ServedNetwork) => Promise<Facts>,
  work: (connection: Connection, facts: Facts) => Promise<Result>,
): Promise<Result> {
  const market = await createMarketplaceClient(io, options);
  const served = await chooseServedNetwork(market, options.network);
  const { network, chainId } = served;
  const node = await chooseNode(io, options, { marketplace: market.baseUrl, chain: served });
  const client = createChainClient({ url: node.url, token: node.token });
  try {
    const reading = readFirst(client, served);
    // If the node has a wrong chain, only that is reported.
    reading.catch(() => undefined);
    await requireChain(client, node, served);
    return await work({ io, market, network, chainId, node, client }, await reading);
  } finally {
    client.close();
  }
}

/**
 * Determines the packages to call. It requires the registry to be a shared object of the registry's own type: otherwise
 * a marketplace could name an object of the signer, and have it signed away.
 */
export async function resolvePackages(
  client: ChainClient,
  { registry, walletPackageId, walletCallPackageId, guardedPackageIds = [] }: ServedNetwork,
): Promise<Packages> {
  const versions = packageVersions(client);
  const { packageId: registryPackageId, objectId } = registry;
  const [packageId, calledWalletId] = await Promise.all([
    resolveCalledPackage(versions, registryPackageId, registry.callPackageId),
    walletPackageId === null ? null : resolveCalledPackage(versions, walletPackageId, walletCallPackageId),
    requireRegistry(client, registry),
  ]);
  const walletPackage =
    walletPackageId === null || calledWalletId === null
      ? undefined
      : { originalId: walletPackageId, calledId: calledWalletId };
  return { registryPackageId, registry: { packageId, objectId }, walletPackage, guardedPackageIds };
}

async function requireRegistry(
  client: ChainClient,
  { packageId, objectId }: { packageId: string; objectId: string },
): Promise<void> {
  const objects = await readFixedObjects(client, [objectId]);
  const type = objects.status === 'found' ? objects.value.get(objectId)?.type : undefined;
  if (type === `${packageId}::registry::Registry`) return;
  throw new CommandFailedError(`${objectId} is not the shared Registry of ${packageId}. Nothing was signed.`);
}

/**
 * Determines the version of a package that calls go to: the one that the marketplace names, else the newest one that
 * the node knows. The signer's own node confirms that it is a version of that package. Without this check, a
 * marketplace could have another package called with the signer's objects.
 * @param packageId id of the first version
 * @throws CommandFailedError if it is not such a version, or the node does not answer
 */
export async function resolveCalledPackage(
  versions: PackageVersions,
  packageId: string,
  named: string | null | undefined,
): Promise<string> {
  const called = named ?? (await readNewestVersion(versions, packageId));
  const original = await versions.readOriginalId(called);
  if (original.status === 'unavailable') {
    throw createNodeError(original.reason);
  }
  if (original.status === 'found' && original.value === packageId) return called;
  throw new CommandFailedError(
    `${called} is not a version of the package ${packageId}: nothing is signed for it.`,
  );
}

async function readNewestVersion(versions: PackageVersions, packageId: string): Promise<string> {
  const newest = await versions.newest(packageId);
  if (newest.status === 'found') return newest.value;
  throw new CommandFailedError(
    `Cannot read the versions of ${packageId} from the node: ${explainNodeError(newest.reason)}. Try again.`,
  );
}
