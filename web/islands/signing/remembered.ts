import { loadPart } from '../api/load-part.ts';
import { listenToRemoval, readStored, store } from '../api/storage.ts';

/** The address that was last connected to this site. Reading it does not load the wallet code. */

const key = 'wallet-address';

export const recall = (): string | undefined => readStored(key);
export const remember = (address: string | undefined): void => store(key, address);

/** Calls `listener` when the reader disconnects the wallet in another tab. */
export const listenToForgetting = (listener: () => void): void => listenToRemoval(key, listener);

/** Loads the wallet code of a page for a reader that has connected a wallet, or once they connect one. */
export function loadWhenConnected(load: () => Promise<unknown>): void {
  const loadOnce = () => loadPart('Loading what your wallet can do here…', load);
  if (recall() !== undefined) loadOnce();
  document.addEventListener('wallet', loadOnce, { once: true });
}
