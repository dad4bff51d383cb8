import { LRUCache } from 'lru-cache';
import { normalizeAddress } from '../chain/names.ts';
import type { PackageContent, PackageSource } from './source.ts';
import { isSystemPackage } from './system.ts';

/**
 * Caches the packages that `source` reads, since a package never changes. The cache evicts the least recently used.
 * @param bytesMax bound on the cached bytecode
 */
export function cachedPackages(source: PackageSource, bytesMax: number): PackageSource {
  const cache = new LRUCache<string, PackageContent>({ maxSize: bytesMax, sizeCalculation: estimateSize });
  return {
    async read(id, signal) {
      const key = normalizeAddress(id) ?? id;
      const known = cache.get(key);
      if (known) return known;
      const content = await source.read(key, signal);
      // Framework packages are upgraded in place.
      if (!isSystemPackage(key)) cache.set(key, content);
      return content;
    },
  };
}

function estimateSize({ modules, typeOrigins, linkage }: PackageContent): number {
  // An empty package needs a size too.
  const entries = 1 + modules.size + typeOrigins.size + linkage.size;
  return entries * 200 + [...modules.values()].reduce((sum, bytes) => sum + bytes.length, 0);
}
