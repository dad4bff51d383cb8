import type { Signer } from '@mysten/sui/cryptography';
import type { Command } from 'commander';
import { z } from 'zod';
import { readFixedObjects } from '../../lib/adaptor/draft/read-objects.ts';
import type { RegistryIds } from '../../lib/adaptor/registry-calls.ts';
import { ask } from '../../lib/chain/answers.ts';
import { type ChainClient, callOptions, createChainClient } from '../../lib/chain/client.ts';
import { packageVersions } from '../../lib/chain/package-versions.ts';
import type { Api } from '../api/client.ts';
import { read } from '../api/read.ts';
import { type Io, Refusal, UsageError } from '../io.ts';
import { type ApiOptions, apiCommand, apiOf } from '../options.ts';
import { calledPackage } from './called-package.ts';
import { readKey } from './key.ts';

export interface SigningOptions extends ApiOptions {
  keyFile?: string;
  rpc?: string;
}

/** Who signs, and the network and marketplace that it is for. */
export interface Session {
  io: Io;
  api: Api;
  signer: Signer;
  address: string;
  network: string;
  client: ChainClient;
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

/** A command that signs a transaction. */
export function signingCommand(name: string, description: string): Command {
  return apiCommand(name, description)
    .option(
      '--key-file <file>',
      'the key that signs, suiprivkey1..., which only its owner may read; else SUI_SECRET_KEY_FILE or SUI_SECRET_KEY',
    )
    .option(
      '--rpc <url>',
      "the node to sign for, of the marketplace's network; else SUI_RPC_URL, else the public one",
    );
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

const nodeTimeoutMs = 20_000;

/**
 * Runs what signs. The node is of the very chain that the marketplace follows, and the registry is a shared object
 * of the registry's own type: a marketplace cannot have an object of the signer's signed away by naming it.
 */
export async function withSession<Result>(
  io: Io,
  options: SigningOptions,
  work: (session: Session) => Promise<Result>,
): Promise<Result> {
  const signer = await readKey(options.keyFile, io.env);
  const api = apiOf(io, options);
  const { networks } = read(schemaAnswer, (await api.get('/api/adaptors/schema')).body);
  const served = Object.keys(networks).filter((name) => networks[name]);
  const network = networkOf(served, options.network);
  const {
    chainId,
    registry,
    walletPackageId,
    walletCallPackageId,
    guardedPackageIds = [],
  } = networks[network]!;
  const rpcUrl = options.rpc ?? (io.env.SUI_RPC_URL || `https://fullnode.${network}.sui.io:443`);
  if (!URL.canParse(rpcUrl)) throw new UsageError(`The node's url is http(s)://host[:port], not ${rpcUrl}.`);
  const client = createChainClient({ url: rpcUrl });
  try {
    await requireChain(client, { rpcUrl, chainId, network });
    await requireRegistry(client, registry);
    const versions = packageVersions(client);
    const { packageId: registryPackageId, objectId } = registry;
    const packageId = await calledPackage(versions, registryPackageId, registry.callPackageId);
    const address = signer.toSuiAddress();
    return await work({
      ...{ io, api, signer, address, network, client, registryPackageId, guardedPackageIds },
      registry: { packageId, objectId },
      walletPackage:
        walletPackageId === null
          ? undefined
          : {
              originalId: walletPackageId,
              calledId: await calledPackage(versions, walletPackageId, walletCallPackageId),
            },
    });
  } finally {
    client.close();
  }
}

function networkOf(known: string[], asked: string | undefined): string {
  const network = asked ?? (known.length === 1 ? known[0] : undefined);
  if (network !== undefined && known.includes(network)) return network;
  throw new UsageError(`Say with --network which: this marketplace has ${known.join(', ') || 'none'}.`);
}

async function requireChain(
  { ledgerService }: ChainClient,
  { rpcUrl, chainId, network }: { rpcUrl: string; chainId: string | null; network: string },
): Promise<void> {
  if (chainId === null) {
    throw new Refusal(`The marketplace has not reached its own ${network} node yet: try again shortly.`);
  }
  const info = await ask(ledgerService.getServiceInfo({}, callOptions(nodeTimeoutMs)));
  if (info.status !== 'found') {
    throw new Refusal(`The node ${rpcUrl} does not answer (${info.reason}): name another with --rpc.`);
  }
  if (info.value.chainId === chainId) return;
  throw new Refusal(
    `The marketplace's ${network} is chain ${chainId}, the node ${rpcUrl} is of chain ${info.value.chainId}: ` +
      'name a node of that chain with --rpc or SUI_RPC_URL.',
  );
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
