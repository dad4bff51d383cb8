/** The address that was last connected to this site. Reading it does not load the wallet code. */

const key = 'wallet-address';

export function recall(): string | undefined {
  try {
    return localStorage.getItem(key) ?? undefined;
  } catch {
    return undefined;
  }
}

export function remember(address: string | undefined): void {
  try {
    if (address === undefined) localStorage.removeItem(key);
    else localStorage.setItem(key, address);
  } catch {
    // Without storage, the address is connected for this page only.
  }
}
