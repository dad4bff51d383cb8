import { expect, test } from 'vitest';
import { canonicalAddress, parseAddress } from './move-path.ts';

test('an address needs digits, and may have fewer than 64', () => {
  const canonical = `0x${'a'.padStart(64, '0')}`;
  for (const text of ['0xa', '0XA', 'a', canonical]) expect(parseAddress(text, 'owner')).toBe(canonical);
  for (const text of ['', '0x', 'x', 'g', '0x0x1', `0x${'1'.repeat(65)}`])
    expect(canonicalAddress(text)).toBeUndefined();
  expect(() => parseAddress('0x', 'owner')).toThrow('owner');
});
