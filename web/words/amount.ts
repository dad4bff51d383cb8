import { unlimitedAllowance } from '@adaptor-marketplace/adaptor';

/** Converts a decimal number to base units; undefined if it is not an amount of a coin with these decimals. */
export function parseUnits(text: string, decimals: number): bigint | undefined {
  const [, whole = '', fraction = ''] = /^(\d{1,20})(?:\.(\d{1,18}))?$/.exec(text.trim()) ?? [];
  if (whole === '' || fraction.length > decimals) return undefined;
  const units = BigInt(whole + fraction.padEnd(decimals, '0'));
  return units <= unlimitedAllowance ? units : undefined;
}

/** Says which amounts of a coin with these decimals `parseUnits` accepts. */
export function describeAmountInput(decimals: number): string {
  if (decimals === 0) return 'Enter a whole number such as 15.';
  return `Enter a number such as 1.5, with at most ${decimals} ${decimals === 1 ? 'decimal' : 'decimals'}.`;
}
