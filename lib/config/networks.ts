import type { Network } from '@adaptor-marketplace/adaptor';
import type { SlotSettings } from '../actions/slots.ts';
import type { AttesterSettings } from './attesters.ts';

/** Address of a provider, and the `x-token` that is sent to it alone. */
export interface ProviderAddress {
  url: string;
  token?: string | undefined;
}

export interface NetworkSettings {
  network: Network;
  /** Full node gRPC, `http(s)://host:port`. */
  rpcUrl: string;
  /** A node that still has the data that `rpcUrl` has pruned. */
  archiveUrl?: string | undefined;
  /** Bucket of checkpoint files, `<url>/<number>.binpb.zst`, for the same history. */
  checkpointsUrl?: string | undefined;
  /** `x-token` sent to `rpcUrl` and `archiveUrl`. */
  rpcToken?: string | undefined;
  /** More providers of the same network. */
  otherProviders?: readonly ProviderAddress[] | undefined;
  /** Explorer to which pages link ids: a url with `{id}`, and perhaps `{kind}`. */
  explorerUrl?: string | undefined;
  /** Server of the Move Registry (MVR), which names packages. Undefined: none is asked. */
  mvrUrl?: string | undefined;
  /** Maximum number of requests to each provider in 30 seconds. Undefined: any number. */
  rpcBudget?: number | undefined;
  /** Maximum number of simulations of canaries in a second. Undefined: none. */
  canaryRate?: number | undefined;
  /** The registry package as first published, and the shared `Registry` object. */
  registryPackageId: string;
  registryObjectId: string;
  /** The other packages as first published. Absent packages are not followed. */
  walletPackageId?: string | undefined;
  rulesPackageId?: string | undefined;
  rulesObjectId?: string | undefined;
  /** Absent: the rules package. */
  allowlistPackageId?: string | undefined;
  agentsPackageId?: string | undefined;
  agentsObjectId?: string | undefined;
  escrowPackageId?: string | undefined;
  /** The adaptors that agents' actions go to. */
  slots?: SlotSettings | undefined;
  /** Attesters whose statements about packages are shown. Absent: none. */
  attesters?: AttesterSettings | undefined;
  /** Addresses that the operator knows to be independent: payments to them prove owners in the ranking. */
  rankingPayees?: readonly string[] | undefined;
  /** Walrus aggregator (reads) and publisher (writes). */
  aggregatorUrl: string;
  publisherUrl?: string | undefined;
}

type PackageSetting = Extract<keyof NetworkSettings, `${string}PackageId` | `${string}ObjectId`>;

/** Settings of a network before its chain has been asked for what they leave out. */
export type ConfiguredNetwork = Omit<NetworkSettings, 'registryObjectId'> & {
  /** Absent: found from the transaction that published the registry. */
  registryObjectId?: string | undefined;
  /** Packages that the deployment file names, and no setting. The chain may not have them. */
  fromFile: readonly Extract<PackageSetting, `${string}PackageId`>[];
};

/** A network and its packages as first published, for code that reads or calls them. */
export type NetworkPackages = Pick<NetworkSettings, 'network' | 'attesters' | PackageSetting>;

/** Kinds of packages that can be followed on a network. Each kind has its own tables. */
export const sourceNames = ['registry', 'wallet', 'rules', 'agents', 'escrow', 'statements'] as const;
export type SourceName = (typeof sourceNames)[number];

export function listFollowedSources(settings: Partial<NetworkPackages>): SourceName[] {
  const packages: Record<SourceName, string | boolean | undefined> = {
    registry: true,
    wallet: settings.walletPackageId,
    rules: settings.rulesPackageId ?? settings.allowlistPackageId,
    agents: settings.agentsPackageId,
    escrow: settings.escrowPackageId,
    statements: settings.attesters !== undefined,
  };
  return sourceNames.filter((name) => packages[name]);
}
