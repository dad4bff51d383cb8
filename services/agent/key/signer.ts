/** Signs for the managed address. A key in this process, or one that never leaves a key management service. */
export interface AgentSigner {
  /** In the long form. */
  address: string;
  /** The serialized signature, base64, of a transaction's BCS bytes. */
  sign(transaction: Uint8Array): Promise<string>;
}
