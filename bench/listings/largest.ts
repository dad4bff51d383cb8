import {
  canonicalJson,
  type Manifest,
  manifestHash,
  manifestLimits,
} from '@adaptor-marketplace/adaptor/manifest';
import type { BenchListing } from './listings.ts';

const opsMany = 1_000;

/**
 * The nth of the largest manifests that the indexer accepts: as many executable ops as their keys allow, each another
 * function, padded to the bound on bytes by their names. The same in every process; another version differs in its summary.
 */
export function largestListing(n: number, version = 1): BenchListing {
  const packageId = `0x${(0xfffff000 + n).toString(16).padStart(64, '0')}`;
  const serviceType = `${packageId}::adaptor::Adaptor`;
  const buildManifest = (pad: number): Manifest => ({
    name: `Largest ${n}`,
    category: 'Swap',
    summary: `Version ${version}.`,
    serviceType,
    packageId,
    ops: Array.from({ length: opsMany }, (_, at) => ({
      kind: 'swap' as const,
      module: 'adaptor',
      entry: `op${at}_${'x'.repeat(pad)}`,
      call: {
        typeArgs: [],
        args: [
          { role: 'wallet' as const },
          { role: 'amount' as const },
          { role: 'pure' as const, type: 'u64', name: 'x' },
        ],
      },
    })),
  });
  const bare = canonicalJson(buildManifest(0)).length;
  const manifest = buildManifest(Math.min(120, Math.floor((manifestLimits.bytesMax - bare) / opsMany)));
  const hash = manifestHash(manifest);
  const uri = `walrus://${Buffer.from(hash, 'hex').toString('base64url')}`;
  const publisher = `0x${(0xee0000 + n).toString(16).padStart(64, '0')}`;
  return { serviceType, packageId, publisher, manifest, bytes: canonicalJson(manifest), hash, uri };
}
