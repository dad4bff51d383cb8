import { introspect } from '../../../lib/adaptor/introspect/introspect.ts';
import type { Introspection } from '../../../lib/adaptor/introspect/types.ts';
import { keptPackages } from '../../../lib/adaptor/packages/kept.ts';
import { nodePackages } from '../../../lib/adaptor/packages/node-source.ts';
import { isSystemPackage } from '../../../lib/adaptor/packages/system.ts';
import type { ChainClient } from '../../../lib/chain/client.ts';
import { type PackageVersions, packageVersions } from '../../../lib/chain/package-versions.ts';
import type { GatewayNetwork } from '../options.ts';
import type { PublishChain } from './host.ts';
import { type KeptWork, keptWork } from './kept-work.ts';

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
  const kept: KeptWork<Introspection> = keptWork({ ...bounds, ...size });
  const keptForNow: KeptWork<Introspection> = keptWork({ ...bounds, ...size, ttlMs: systemTtlMs });
  return {
    settings,
    client,
    versions,
    packages,
    introspect(packageId, signal) {
      const keep = isSystemPackage(packageId) ? keptForNow : kept;
      const { walletPackageId } = settings;
      return keep(packageId, signal, (workSignal) =>
        introspect(packages, packageId, { walletPackageId, signal: workSignal }),
      );
    },
  };
}
