import { LRUCache } from 'lru-cache';
import { type ListedOp, type OpFault, opFault } from './op.ts';

/** An op of a manifest that is not executable, and why. */
export interface OpFaultAt {
  /** Place in `manifest.ops`, from 0. */
  index: number;
  reason: OpFault;
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
