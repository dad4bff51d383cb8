import { isSystemPackage, type PackageSource } from '@adaptor-marketplace/adaptor/introspect';
import { LRUCache } from 'lru-cache';

/** Lifetime of a cached package. The framework is upgraded in place: its packages keep their ids. */
const cachedMs = 60_000;

/** Caches packages of the framework, which each call needs. Failures are not cached. */
export function cacheSystemPackages(source: PackageSource): PackageSource {
  const cache = new LRUCache<string, ReturnType<PackageSource['read']>>({ max: 16, ttl: cachedMs });

  function readCached(id: string) {
    const known = cache.get(id);
    if (known) return known;
    // Without the signal: other callers share the read.
    const reading = source.read(id);
    // Set once: each `set` would begin the lifetime again.
    cache.set(id, reading);
    reading.catch(() => cache.delete(id));
    return reading;
  }

  return {
    async read(id, signal) {
      return await (isSystemPackage(id) ? readCached(id) : source.read(id, signal));
    },
  };
}
