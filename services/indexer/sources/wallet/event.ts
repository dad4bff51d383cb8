import { type WalletEvents, walletEvents } from '../../../../lib/chain/events/wallet.ts';
import type { ChainEvent } from '../source.ts';
import { type DecodedEvent, decodeForStorage } from '../storable.ts';

/** A wallet package's event that decoded, told apart by `module::Name`. */
export type WalletEvent = DecodedEvent<WalletEvents>;

export type WalletChainEvent = ChainEvent<WalletEvent>;

/** @throws with the reason, when the bytes do not decode or exceed what can be stored */
export function decodeWalletEvent(path: string, contents: Uint8Array): WalletEvent {
  return decodeForStorage(walletEvents, path, contents);
}
