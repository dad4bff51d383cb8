/** The address that was connected last, on this site: known without the code of wallets. */

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
    // It is connected for this page then.
  }
}
