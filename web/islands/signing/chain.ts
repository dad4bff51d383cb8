import type { AdaptorSchemas } from '@adaptor-marketplace/sdk';
import { SuiGrpcClient } from '@mysten/sui/grpc';
import { ActionFailedError, askApi } from '../api/ask.ts';

/** The chain of the page, from the data attributes of the connect button in the header. */
const { network = '', node = '', faucet } = document.querySelector<HTMLElement>('#connect')?.dataset ?? {};

export const siteNetwork = network;
export const faucetUrl: string | undefined = faucet;
/** Name of the network for wallets. A local network stands in for another one, and wallets call it `localnet`. */
export const walletNetwork = faucet === undefined ? network : 'localnet';
export const client = new SuiGrpcClient({ network: walletNetwork, baseUrl: node });

export async function askGraph<Data>(query: string, variables: Record<string, unknown>): Promise<Data> {
  const { data, errors } = await askApi<{ data?: Data; errors?: { message: string }[] }>('/graphql', {
    query,
    variables: { chain: network.toUpperCase(), ...variables },
  });
  if (data && !errors?.length) return data;
  throw new ActionFailedError('The index could not be read', `${errors?.[0]?.message ?? ''} Try again.`);
}

/** Packages of the network, each with the id of the version to call. */
export interface ChainIds {
  registry: { packageId: string; objectId: string };
  /** Id of the registry package as first published, which its types have. */
  registryOriginalId: string;
  wallet: CalledPackage | undefined;
  escrow: CalledPackage | undefined;
}

/** A package: the id of the version to call, and the original id, which its types have. */
interface CalledPackage {
  packageId: string;
  originalId: string;
}

let ids: Promise<ChainIds> | undefined;

/**
 * Reads the packages, and checks that the chain node serves the chain that the site follows.
 * @throws ActionFailedError
 */
export function readChainIds(): Promise<ChainIds> {
  ids ??= readIds().catch((error: unknown) => {
    ids = undefined;
    throw error;
  });
  return ids;
}

async function readIds(): Promise<ChainIds> {
  const [{ networks }, chain] = await Promise.all([
    askApi<AdaptorSchemas>('/api/adaptors/schema'),
    client.core.getChainIdentifier().catch((cause: unknown) => {
      throw Object.assign(unreachable(), { cause });
    }),
  ]);
  const served = networks[network as keyof typeof networks];
  if (!served?.served)
    throw new ActionFailedError(
      `This site does not serve ${network}`,
      'Open the catalog and choose a network.',
    );
  if (served.chainId !== null && served.chainId !== chain.chainIdentifier) {
    throw new ActionFailedError(
      `The public node is of another chain than this site’s ${network}`,
      'This host follows a chain of its own. Sign with the command line there, and name its node with --rpc.',
    );
  }
  const { registry } = served;
  const called = (originalId: string | null, packageId: string | null) =>
    originalId === null ? undefined : { packageId: packageId ?? originalId, originalId };
  return {
    registry: { packageId: registry.callPackageId ?? registry.packageId, objectId: registry.objectId },
    registryOriginalId: registry.packageId,
    wallet: called(served.walletPackageId, served.walletCallPackageId),
    escrow: called(served.escrowPackageId, served.escrowCallPackageId),
  };
}

export const unreachable = (): ActionFailedError =>
  new ActionFailedError(
    `The chain node of ${network} does not answer`,
    `Your browser could not reach ${node}. Nothing was signed. Check that you are online, and try again.`,
  );
