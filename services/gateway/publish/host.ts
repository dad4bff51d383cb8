import type { Introspection } from '../../../lib/adaptor/introspect/types.ts';
import type { PackageSource } from '../../../lib/adaptor/packages/source.ts';
import type { ChainClient } from '../../../lib/chain/client.ts';
import type { PackageVersions } from '../../../lib/chain/package-versions.ts';
import type { Network } from '../../../lib/config/index.ts';
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
