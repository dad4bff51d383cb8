import type { Network } from '@adaptor-marketplace/adaptor/networks';

/** An address that signs. */
export interface Signer {
  /** In the long form. */
  address: string;
  /** The serialized signature, base64, of a transaction's BCS bytes. */
  sign(transaction: Uint8Array): Promise<string>;
}

/** Signs for the managed address, which pays the gas. A key in this process, or one in a key management service. */
export interface AgentSigner extends Signer {
  /**
   * The address that acts for one wallet alone, derived from the managed key: what one wallet grants it is of no use
   * for another. Undefined where the key cannot derive.
   */
  forWallet?(network: Network, walletId: string): Signer;
}
