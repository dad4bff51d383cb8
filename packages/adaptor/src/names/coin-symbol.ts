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
 * Strangers choose both and several coins may share one, so a coin that is called SUI but is not the native one has the
 * package beside its name.
 */
export function formatCoinSymbol(coinType: string, info: { symbol: string } | null | undefined): string {
  const name = info?.symbol ?? parseTypeName(coinType);
  if (!/^sui$/i.test(name) || isSui(coinType)) return name;
  const packageId = coinType.split('::')[0]!;
  return `${name} of ${packageId.length > 14 ? `${packageId.slice(0, 6)}…${packageId.slice(-4)}` : packageId}`;
}
