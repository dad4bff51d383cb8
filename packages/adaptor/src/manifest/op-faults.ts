import { LRUCache } from 'lru-cache';
import { type ListedOp, type OpFault, opFault } from './op.ts';

/** An op of a manifest that is not executable, and why. */
export interface OpFaultAt {
  /** Place in `manifest.ops`, from 0. */
  index: number;
  reason: OpFault;
}

/** An op whose call does not fit the package's function, as the listing's check found it. */
export interface OpMisfit {
  code: 'function_mismatch';
  detail: string;
  /** Place in `ops` of the manifest with this hash. */
  index: number;
  manifestHash: string;
}

/** Faults that are cached, of all manifests together; one without any counts as one. */
const cachedMax = 50_000;
const cached = new LRUCache<string, OpFaultAt[]>({
  maxSize: cachedMax,
  sizeCalculation: (faults) => 1 + faults.length,
});

/**
 * The ops of a verified manifest that are not executable, as far as the manifest shows. Judged once for each hash while
 * it is cached: every change of the catalog asks again for all that is in it.
 */
export function opFaultsOf(hash: string, ops: readonly ListedOp[]): OpFaultAt[] {
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
 * The faults of a listing's ops by its manifest and by its package, in the order of the ops.
 * @param misfits of the listing's check; those of another manifest do not count
 */
export function withMisfits(
  hash: string,
  faults: readonly OpFaultAt[],
  misfits: readonly OpMisfit[],
): OpFaultAt[] {
  const more = misfits.flatMap(({ code, detail, index, manifestHash }) =>
    manifestHash === hash ? [{ index, reason: { code, detail } }] : [],
  );
  return [...faults, ...more].sort((a, b) => a.index - b.index);
}
