import { type PackageVersions, packageVersions } from '@adaptor-marketplace/adaptor/chain';
import type { ChainClient } from '@adaptor-marketplace/adaptor/chain/client';
import {
  type Introspection,
  introspect,
  isSystemPackage,
  keptPackages,
  nodePackages,
  type PackageSource,
} from '@adaptor-marketplace/adaptor/introspect';
import type { NetworkPackages } from '../../../lib/config/networks.ts';
import { type CachedWork, cachedWork } from '../concurrency/shared-work.ts';

/** One network as the publish helpers read it. */
export interface PublishChain {
  settings: NetworkPackages;
  client: ChainClient;
  versions: PackageVersions;
  /** Cached without end, within bounds: what is published never changes. */
  packages: PackageSource;
  /**
   * Reads a package's interface from its bytecode; cached, and shared by concurrent callers.
   * @throws PackageError, BytecodeError, ProblemError 503 and 504
   */
  introspect(packageId: string, signal: AbortSignal): Promise<Introspection>;
}

const packageBytesMax = 64 * 1024 * 1024;

/** Introspections are mostly computing, so only a few run at once. */
const bounds = { running: 4, waiting: 64, waitMs: 10_000, deadlineMs: 20_000 };

/** A framework package keeps its id when it is upgraded, so what was read of it expires. */
const systemTtlMs = 60_000;

export function publishChain(
  settings: NetworkPackages,
  client: ChainClient,
  versions: PackageVersions = packageVersions(client),
): PublishChain {
  const packages = keptPackages(nodePackages(client), packageBytesMax);
  const size = {
    bytesMax: 32 * 1024 * 1024,
    bytesOf: (introspection: Introspection) => JSON.stringify(introspection).length,
  };
  const cached: CachedWork<Introspection> = cachedWork({ ...bounds, ...size });
  const cachedForNow: CachedWork<Introspection> = cachedWork({ ...bounds, ...size, ttlMs: systemTtlMs });
  return {
    settings,
    client,
    versions,
    packages,
    introspect(packageId, signal) {
      const introspections = isSystemPackage(packageId) ? cachedForNow : cached;
      const { walletPackageId } = settings;
      return introspections(packageId, signal, (workSignal) =>
        introspect(packages, packageId, { walletPackageId, signal: workSignal }),
      );
    },
  };
}
