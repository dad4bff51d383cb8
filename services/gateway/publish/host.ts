import type { ChainClient } from '@adaptor-marketplace/adaptor/chain/client';
import type { PackageVersions } from '@adaptor-marketplace/adaptor/chain/package-versions';
import type { Introspection } from '@adaptor-marketplace/adaptor/introspect/types';
import type { Network } from '@adaptor-marketplace/adaptor/networks';
import type { PackageSource } from '@adaptor-marketplace/adaptor/packages/source';
import type { GatewayNetwork } from '../options.ts';
import type { NetworkChoice } from '../request/network.ts';

/** One network as the publish helpers ask it. */
export interface PublishChain {
  settings: GatewayNetwork;
  client: ChainClient;
  versions: PackageVersions;
  /** Kept for ever, within bounds: what is published never changes. */
  packages: PackageSource;
  /**
   * Reads a package's interface off its bytecode; kept, and shared by all who ask at once.
   * @throws PackageError, BytecodeError, ProblemError 503 and 504
   */
  introspect(packageId: string, signal: AbortSignal): Promise<Introspection>;
}

/** What the publish helpers' routes share. */
export interface PublishHost {
  chains: ReadonlyMap<Network, PublishChain>;
  choose: NetworkChoice;
}
