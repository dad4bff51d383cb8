import { LRUCache } from 'lru-cache';
import { type ListedOp, type OpFault, opFault } from './op.ts';

/** An op of a manifest that is not executable, and why. */
export interface IndexedOpFault {
  /** Index in `manifest.ops`. */
  index: number;
  reason: OpFault;
}

/** An op whose call does not fit the package's function. The listing's check found it. */
export interface OpMisfit {
  code: 'function_mismatch';
  detail: string;
  /** Index in `ops` of the manifest with this hash. */
  index: number;
  manifestHash: string;
}

/** Bound on the cached faults of all manifests together. A manifest without faults counts as one. */
const cachedMax = 50_000;
const cached = new LRUCache<string, IndexedOpFault[]>({
  maxSize: cachedMax,
  sizeCalculation: (faults) => 1 + faults.length,
});

/**
 * Finds the ops of a verified manifest that are not executable, as far as the manifest shows. The result is cached by
 * hash, because every change of the catalog needs it for all entries.
 */
export function findOpFaults(hash: string, ops: readonly ListedOp[]): IndexedOpFault[] {
  const known = cached.get(hash);
  if (known) return known;
  const faults = ops.flatMap((op, index) => {
    const reason = opFault(op);
    return reason ? [{ index, reason }] : [];
  });
  cached.set(hash, faults);
  return faults;
}

/**
 * Merges the faults of a listing's ops from its manifest and from its package, in the order of the ops.
 * @param misfits results of the listing's check; those of another manifest are ignored
 */
export function withMisfits(
  hash: string,
  faults: readonly IndexedOpFault[],
  misfits: readonly OpMisfit[],
): IndexedOpFault[] {
  const more = misfits.flatMap(({ code, detail, index, manifestHash }) =>
    manifestHash === hash ? [{ index, reason: { code, detail } }] : [],
  );
  return [...faults, ...more].sort((a, b) => a.index - b.index);
}
