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

/** Bound on the cache: its manifests and their faults together. */
const cachedMax = 50_000;
const cached = new LRUCache<string, IndexedOpFault[]>({
  maxSize: cachedMax,
  sizeCalculation: (faults) => 1 + faults.length,
});

/** Coins that the fixed objects of an op determine, as the listing's check found them. Null if they determine none. */
export interface OpCoins {
  coinIn: string | null;
  coinOut: string | null;
  /** Index in `ops` of the manifest with this hash. */
  index: number;
  manifestHash: string;
}

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
 * Returns the coins of a listing's executable ops, in the order of the ops.
 * @param found results of the listing's check; those of another manifest are ignored
 */
export function findOpCoins(
  hash: string,
  found: readonly OpCoins[],
  notExecutable: readonly IndexedOpFault[],
): Omit<OpCoins, 'manifestHash'>[] {
  const faulty = new Set(notExecutable.map(({ index }) => index));
  return found.flatMap(({ manifestHash, index, coinIn, coinOut }) =>
    manifestHash === hash && !faulty.has(index) ? [{ index, coinIn, coinOut }] : [],
  );
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
