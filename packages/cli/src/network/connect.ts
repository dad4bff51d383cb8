import { type ChainClient, createChainClient } from '@adaptor-marketplace/adaptor/chain/client';
import { packageVersions } from '@adaptor-marketplace/adaptor/chain/package-versions';
import { readFixedObjects } from '@adaptor-marketplace/adaptor/draft/read-objects';
import type { RegistryIds } from '@adaptor-marketplace/adaptor/registry-calls';
import { z } from 'zod';
import type { Api } from '../api/client.ts';
import { read } from '../api/read.ts';
import { type Io, Refusal, UsageError } from '../io.ts';
import { type ApiOptions, apiOf } from '../options.ts';
import { calledPackage } from './called-package.ts';
import { type ChosenNode, chooseNode, requireChain } from './node.ts';

export interface NodeOptions extends ApiOptions {
  rpc?: string;
}

/** A marketplace, the network that is meant of those it serves, and a node of that network. */
export interface Connection {
  io: Io;
  api: Api;
  network: string;
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
  api: Api,
  asked: string | undefined,
): Promise<ServedNetwork & { network: string; chainId: string }> {
  const { networks } = read(schemaAnswer, (await api.get('/api/adaptors/schema')).body);
  const served = Object.keys(networks).filter((name) => networks[name]);
  const network = asked ?? (served.length === 1 ? served[0]! : undefined);
  const found = network === undefined ? undefined : networks[network];
  if (network === undefined || found === undefined) {
    throw new UsageError(
      `--network: ${asked === undefined ? 'which network is meant?' : `${api.url} does not serve ${asked}.`} ` +
        `It serves ${served.join(', ') || 'none'}.`,
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
  const api = await apiOf(io, options);
  const served = await servedBy(api, options.network);
  const { network, chainId } = served;
  const node = await chooseNode(io, options, { marketplace: api.url, chain: served });
  const client = createChainClient({ url: node.url });
  try {
    await requireChain(client, node, served);
    return await work({ io, api, network, chainId, node, client }, served);
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
  throw new Refusal(`${objectId} is not the shared Registry of ${packageId}: nothing is signed for it.`);
}
