import { networks as knownNetworks, type Network } from '@adaptor-marketplace/adaptor';
import { ask, callOptions, type PackageVersions, packageVersions } from '@adaptor-marketplace/adaptor/chain';
import { type ChainClient, createChainClient } from '@adaptor-marketplace/adaptor/chain/client';
import { readFixedObjects } from '@adaptor-marketplace/adaptor/draft';
import type { RegistryIds } from '@adaptor-marketplace/adaptor/transactions';
import type { Marketplace } from '@adaptor-marketplace/sdk';
import type { Command } from 'commander';
import { z } from 'zod';
import { read } from './api.ts';
import { type Io, nodeFailure, Refusal, UsageError } from './io.ts';
import { describedNetworks, isOwnMachine, type LocalNetwork, networkAtDefaultPorts } from './local.ts';
import { type ApiOptions, apiCommand, marketplaceOf, originArgument, originOf } from './options.ts';

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
  network: Network;
  chainId: string;
}

/** Genesis digests of the public networks. */
const publicChains: Record<Network, string> = {
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
  { rpc, rpcFrom = '--rpc' }: { rpc?: string; rpcFrom?: string },
  { marketplace, chain }: { marketplace: string; chain: Chain },
): Promise<ChosenNode> {
  if (rpc !== undefined) return { url: originOf(rpc, rpcFrom), from: rpcFrom };
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

/** A command that reads from a node beside the marketplace. */
export function nodeCommand(name: string, description: string): Command {
  return apiCommand(name, description)
    .option('--rpc <url>', 'url of the node; see below', originArgument)
    .addHelpText(
      'after',
      'The node is --rpc or that of the profile, else SUI_RPC_URL, else the local one (rpcUrl in the same demo.json, else\n' +
        "http://127.0.0.1:9000) if it has the chain that the marketplace follows, else the network's public node.",
    );
}

export interface NodeOptions extends ApiOptions {
  rpc?: string;
  /** Set with an `rpc` of a profile. */
  rpcFrom?: string;
}

/** A marketplace, the network that is meant of those it serves, and a node of that network. */
export interface Connection {
  io: Io;
  market: Marketplace;
  network: Network;
  chainId: string;
  node: ChosenNode;
  client: ChainClient;
}

/** The packages that transactions go to, each a version of the package that the marketplace names. */
export interface Packages {
  /** The registry, at the version that is called. */
  registry: RegistryIds;
  /** As first published, by which the registry's types go. */
  registryPackageId: string;
  /** The wallet package; undefined where the marketplace follows none. */
  walletPackage: WalletPackage | undefined;
  /** Packages, as first published, whose shared objects obey the signer beyond one call. */
  guardedPackageIds: readonly string[];
}

export interface WalletPackage {
  /** As first published, by which its types go. */
  originalId: string;
  /** The version that is called. */
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
/** A marketplace names the networks that it does not serve with nulls. */
const unservedNetwork = z.object({ registry: z.object({ packageId: z.null() }) }).transform(() => undefined);
const schemaAnswer = z.object({ networks: z.record(z.string(), z.union([servedNetwork, unservedNetwork])) });

export type ServedNetwork = z.infer<typeof servedNetwork>;

/** The network that is meant, as the marketplace describes it. @throws UsageError where it serves none of that name */
export async function servedBy(
  market: Marketplace,
  requested: Network | undefined,
): Promise<ServedNetwork & { network: Network; chainId: string }> {
  const { networks } = read(schemaAnswer, await market.api.getAdaptorSchemas());
  // The name is a part of the url of the public node: no other one is taken.
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
    throw new Refusal(`The marketplace has not reached its own ${network} node yet. Try again shortly.`);
  }
  return { ...found, network, chainId };
}

/** Runs what reads from a node of the very chain that the marketplace follows. */
export async function withConnection<Result>(
  io: Io,
  options: NodeOptions,
  work: (connection: Connection, served: ServedNetwork) => Promise<Result>,
): Promise<Result> {
  const market = await marketplaceOf(io, options);
  const served = await servedBy(market, options.network);
  const { network, chainId } = served;
  const node = await chooseNode(io, options, { marketplace: market.baseUrl, chain: served });
  const client = createChainClient({ url: node.url });
  try {
    await requireChain(client, node, served);
    return await work({ io, market, network, chainId, node, client }, served);
  } finally {
    client.close();
  }
}

/**
 * The registry is a shared object of the registry's own type: a marketplace cannot have an object of the signer's
 * signed away by naming it.
 */
export async function packagesOf(
  client: ChainClient,
  { registry, walletPackageId, walletCallPackageId, guardedPackageIds = [] }: ServedNetwork,
): Promise<Packages> {
  await requireRegistry(client, registry);
  const versions = packageVersions(client);
  const { packageId: registryPackageId, objectId } = registry;
  const packageId = await calledPackage(versions, registryPackageId, registry.callPackageId);
  const walletPackage =
    walletPackageId === null
      ? undefined
      : {
          originalId: walletPackageId,
          calledId: await calledPackage(versions, walletPackageId, walletCallPackageId),
        };
  return { registryPackageId, registry: { packageId, objectId }, walletPackage, guardedPackageIds };
}

async function requireRegistry(
  client: ChainClient,
  { packageId, objectId }: { packageId: string; objectId: string },
): Promise<void> {
  const objects = await readFixedObjects(client, [objectId]);
  const type = objects.status === 'found' ? objects.value.get(objectId)?.type : undefined;
  if (type === `${packageId}::registry::Registry`) return;
  throw new Refusal(`${objectId} is not the shared Registry of ${packageId}. Nothing was signed.`);
}

/**
 * The version of a package that calls go to: the one that the marketplace names, or else the newest one that the node
 * knows. The signer's own node says whether it is a version of that package at all: another package of the
 * marketplace's choice would be called with what the signer owns.
 * @param packageId as first published
 */
export async function calledPackage(
  versions: PackageVersions,
  packageId: string,
  named: string | null | undefined,
): Promise<string> {
  const called = named ?? (await newestOf(versions, packageId));
  const original = await versions.originalOf(called);
  if (original.status === 'unavailable') {
    throw new Refusal(`The node does not answer: ${nodeFailure(original.reason)}. Try again.`);
  }
  if (original.status === 'found' && original.value === packageId) return called;
  throw new Refusal(`${called} is not a version of the package ${packageId}: nothing is signed for it.`);
}

async function newestOf(versions: PackageVersions, packageId: string): Promise<string> {
  const newest = await versions.newest(packageId);
  if (newest.status === 'found') return newest.value;
  throw new Refusal(
    `Cannot read the versions of ${packageId} from the node: ${nodeFailure(newest.reason)}. Try again.`,
  );
}
