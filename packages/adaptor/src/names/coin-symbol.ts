import { nameSkeleton } from './skeleton.ts';

/** Longest name of a coin without metadata. A symbol has at most 16 characters. */
const nameMax = 32;

const suiSkeleton = nameSkeleton('SUI');

/** `true` for `SUI` and what looks like it: `SUl`, `SU1`, `$SUI`. */
const looksLikeSui = (name: string): boolean =>
  nameSkeleton(name.replace(/[^A-Za-z0-9]/g, '')) === suiSkeleton;

/** Returns `true` for the native coin, in the long or the short spelling of its type. */
export const isSui = (coinType: string): boolean => /^0x0*2::sui::SUI$/.test(coinType);

/** The name of a type without its package, module and type parameters: `SUI` for `0x…::sui::SUI`. */
export function parseTypeName(type: string): string {
  const generic = type.indexOf('<');
  const plain = generic < 0 ? type : type.slice(0, generic);
  return plain.slice(plain.lastIndexOf(':') + 1);
}

/**
 * Returns the name of a coin on every surface: the symbol of its metadata or, without metadata, the last part of its type.
 * Strangers choose both and several coins may share one, so a coin whose name looks like SUI but that is not the native one
 * has the package beside its name.
 */
export function formatCoinSymbol(coinType: string, info: { symbol: string } | null | undefined): string {
  const full = info?.symbol ?? parseTypeName(coinType);
  const name = full.length > nameMax ? `${full.slice(0, nameMax - 1)}…` : full;
  if (isSui(coinType) || !looksLikeSui(name)) return name;
  const packageId = coinType.split('::')[0]!;
  return `${name} of ${packageId.length > 14 ? `${packageId.slice(0, 6)}…${packageId.slice(-4)}` : packageId}`;
}
