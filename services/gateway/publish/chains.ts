import type { ChainClient } from '@adaptor-marketplace/adaptor/chain/client';
import { type PackageVersions, packageVersions } from '@adaptor-marketplace/adaptor/chain/package-versions';
import { introspect } from '@adaptor-marketplace/adaptor/introspect/introspect';
import type { Introspection } from '@adaptor-marketplace/adaptor/introspect/types';
import { keptPackages } from '@adaptor-marketplace/adaptor/packages/kept';
import { nodePackages } from '@adaptor-marketplace/adaptor/packages/node-source';
import { isSystemPackage } from '@adaptor-marketplace/adaptor/packages/system';
import type { GatewayNetwork } from '../options.ts';
import { type CachedWork, cachedWork } from '../shared-work.ts';
import type { PublishChain } from './host.ts';

const packageBytesMax = 64 * 1024 * 1024;

/** Introspections are mostly computing, so few run at once; they give other requests their turn. */
const bounds = { running: 4, waiting: 64, waitMs: 10_000, deadlineMs: 20_000 };

/** A framework package keeps its id when it is upgraded: how long what was read of it stands, in milliseconds. */
const systemTtlMs = 60_000;

/** A network's node as the publish helpers ask it. */
export function publishChain(
  settings: GatewayNetwork,
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
