import { afterEach, expect, test, vi } from 'vitest';
import { listenToRemoval } from './storage.ts';

afterEach(() => void vi.unstubAllGlobals());

test('what one tab removes is removed in the others, such as the address of a wallet that was disconnected', () => {
  const [tab, stored] = [new EventTarget(), new Map([['wallet-address', '0x1']])];
  vi.stubGlobal('addEventListener', tab.addEventListener.bind(tab));
  vi.stubGlobal('localStorage', { getItem: (key: string) => stored.get(key) ?? null });
  const change = (key: string | null) => tab.dispatchEvent(Object.assign(new Event('storage'), { key }));
  let forgotten = 0;
  listenToRemoval('wallet-address', () => {
    forgotten += 1;
  });
  // Another tab has connected an account.
  change('wallet-address');
  expect(forgotten).toBe(0);
  stored.clear();
  change('theme');
  expect(forgotten).toBe(0);
  change('wallet-address');
  change(null);
  expect(forgotten).toBe(2);
});
